"""A server of the page's files for this machine alone."""

from __future__ import annotations

import sys
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from farlink.errors import UsageError

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")


class Handler(SimpleHTTPRequestHandler):
    """The files of a folder, the index from memory. Other sites' names for this machine are refused."""

    index = b""
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript", ".wasm": "application/wasm"}

    def send_head(self) -> BytesIO | BinaryIO | None:
        """Begin the answer to GET and HEAD; give what GET sends then."""
        if _host(self.headers.get("Host", "")) not in NAMES:
            self.send_error(HTTPStatus.FORBIDDEN)
            return None
        if self.path.partition("?")[0] not in ("/", "/index.html"):
            return super().send_head()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(self.index)))
        self.end_headers()
        return BytesIO(self.index)

    def end_headers(self) -> None:
        """Keep another version of the program from being shown out of a browser's cache."""
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *args: object) -> None:
        """No lines on standard error."""


class Server(ThreadingHTTPServer):
    """A server that ignores a browser which closes a connection early."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print a traceback for what is a defect only."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def _host(header: str) -> str | None:
    """The name in a Host header, None where there is none."""
    try:
        return urlsplit(f"//{header}").hostname
    except ValueError:
        return None


def bind(folder: Path, index: bytes, port: int) -> ThreadingHTTPServer:
    """Begin to listen on the loopback address; 0 is any free port."""
    served = type("Served", (Handler,), {"index": index})
    try:
        return Server((HOST, port), partial(served, directory=str(folder)))
    except OSError as error:
        raise UsageError(f"port {port} of {HOST}: {error.strerror}; choose another with --port") from None


def address(server: ThreadingHTTPServer) -> str:
    """Where the page is."""
    return f"http://{HOST}:{server.server_port}/"
