"""A server of the page's files for this machine alone."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from farlink.errors import UsageError

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")


class Handler(SimpleHTTPRequestHandler):
    """The files of a folder, the index from memory. Other sites' names for this machine are refused."""

    index = b""
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript", ".wasm": "application/wasm"}

    def do_GET(self) -> None:
        """Answer a request."""
        if urlsplit(f"//{self.headers.get('Host', '')}").hostname not in NAMES:
            self.send_error(HTTPStatus.FORBIDDEN)
        elif urlsplit(self.path).path in ("/", "/index.html"):
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(self.index)))
            self.end_headers()
            self.wfile.write(self.index)
        else:
            super().do_GET()

    def end_headers(self) -> None:
        """Keep another version of the program from being shown out of a browser's cache."""
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *args: object) -> None:
        """No lines on standard error."""


def bind(folder: Path, index: bytes, port: int) -> ThreadingHTTPServer:
    """Begin to listen on the loopback address; 0 is any free port."""
    served = type("Served", (Handler,), {"index": index})
    handler: Callable[..., Handler] = lambda *it: served(*it, directory=str(folder))  # noqa: E731
    try:
        return ThreadingHTTPServer((HOST, port), handler)
    except OSError as error:
        raise UsageError(f"port {port} of {HOST}: {error.strerror}; choose another with --port") from None


def address(server: ThreadingHTTPServer) -> str:
    """Where the page is."""
    return f"http://{HOST}:{server.server_port}/"
