"""A headless Chromium that carries out orders: a page fetches them here and posts its answers (engine/main.ts)."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

BUILT = Path(__file__).resolve().parents[1] / "build" / "tests"
PATIENCE_S = 300.0
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
"""Where Chromium is; None where it is not."""


def leave_out(reason: str) -> None:
    """Skip and say why; where CI is set nothing is left out."""
    (pytest.fail if "CI" in os.environ else pytest.skip)(reason)


class Page:
    """The page of the tests in a browser."""

    def __init__(self) -> None:
        self.orders: queue.Queue[dict[str, Any]] = queue.Queue()
        self.answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self.asked = 0

    def __call__(self, name: str, **body: Any) -> Any:
        """Let the page do one thing; what it answered."""
        self.asked += 1
        self.orders.put({"number": self.asked, "name": name, "body": body})
        # The answer to an order that a test did not wait for may come first.
        while (answer := self.answers.get(timeout=PATIENCE_S))["number"] != self.asked:
            pass
        assert "error" not in answer, answer["error"]
        return answer["answer"]


class Handler(SimpleHTTPRequestHandler):
    """The files of the page, its orders and its answers."""

    page: Page
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript", ".wasm": "application/wasm"}

    def do_GET(self) -> None:
        if self.path != "/order":
            super().do_GET()
            return
        order = json.dumps(self.page.orders.get()).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(order)))
        self.end_headers()
        self.wfile.write(order)

    def do_POST(self) -> None:
        answer = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()
        self.page.answers.put(json.loads(answer))

    def log_message(self, *args: object) -> None:
        """No lines on standard error."""


@contextmanager
def chromium(address: str) -> Iterator[None]:
    """A browser without a window that shows a page."""
    if BROWSER is None:
        leave_out("no Chromium here, so that the laboratory is not tested: `make chromium` installs it")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--no-first-run"]
        # Without a debugging port a headless browser ends with its first page.
        command = [BROWSER, *options, "--remote-debugging-port=0", address]
        shown = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            yield
        finally:
            shown.terminate()
            shown.wait()


@pytest.fixture(scope="session")
def lab() -> Iterator[Page]:
    """The page of the tests, in a browser for all of them."""
    if not (BUILT / "index.html").exists():
        leave_out("the page of the tests is not built: `make test-lab` builds and tests it")
    page = Page()
    served = type("Served", (Handler,), {"page": page})
    server = ThreadingHTTPServer(("127.0.0.1", 0), lambda *it: served(*it, directory=str(BUILT)))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with chromium(f"http://127.0.0.1:{server.server_port}/"):
        yield page
    server.shutdown()
    server.server_close()
