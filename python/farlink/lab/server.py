"""The page's files, as `make lab-page` built them into this package, and a server of them for this machine alone."""

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
from farlink.printable import json_in_page

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
FOLDER = Path(__file__).parent / "built"
INDEX = "index.html"


def folder() -> Path:
    """Give the folder of the built page; refuse to go on without."""
    if not (FOLDER / INDEX).is_file():
        how = "in a checkout of the sources `make lab-page` builds it, for which Node 20 is needed"
        raise UsageError(f"this installation of farlink is without the laboratory's page; {how}")
    return FOLDER


def index(pages: Path, opened: dict[str, Any] | None) -> bytes:
    """Give the page, with what is to be opened in the element `opened` (web/src/engine/opened.ts)."""
    text = (pages / INDEX).read_text(encoding="utf-8")
    if opened is not None:
        element = f'<script type="application/json" id="opened">{json_in_page(opened)}</script>'
        text = text.replace("</head>", f"{element}</head>", 1)
    return text.encode()


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
