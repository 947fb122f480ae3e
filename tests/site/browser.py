"""What the tests of the site share: its folder, a browser and axe-core. A plugin, as tests/python has the conftest."""

import importlib.util
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

SITE = Path(__file__).resolve().parents[2] / "site"

Browse = Callable[..., str]

RUN = """<script>
addEventListener('load', async () => {
  const found = await axe.run(document, {resultTypes: ['violations']});
  const answer = document.createElement('pre');
  answer.id = 'axe';
  answer.textContent = JSON.stringify({passes: found.passes.length, theme: document.documentElement.dataset.theme,
    wide: document.documentElement.scrollWidth > window.innerWidth,
    faults: found.violations.map(
      each => ({id: each.id, impact: each.impact, nodes: each.nodes.map(node => node.html)}))});
  document.body.append(answer);
});
</script>"""


def leave_out(reason: str) -> None:
    """Skip and say why; where CI is set nothing is left out."""
    (pytest.fail if "CI" in os.environ else pytest.skip)(reason)


@pytest.fixture(scope="session")
def site() -> Path:
    if not (SITE / "index.html").exists():
        pytest.skip("the site is not built: `make test-site` builds and tests it")
    return SITE


@pytest.fixture(scope="session")
def laboratory(site: Path) -> str:
    """The page of the laboratory in the site."""
    page = "laboratory/index.html"
    if not (site / page).exists():
        leave_out("the laboratory is not in the site: `make test-site` puts it there with Node 20 or newer")
    return page


class Handler(SimpleHTTPRequestHandler):
    """The files of the site; scripts are put in front of a page, and behind it, as a test asks."""

    first, last = "", ""

    def do_GET(self) -> None:
        file = SITE / urlsplit(self.path).path.lstrip("/")
        if file.suffix != ".html" or not file.exists():
            super().do_GET()
            return
        page = file.read_text(encoding="utf-8")
        page = page.replace("<head>", f"<head>{self.first}", 1).replace("</body>", f"{self.last}</body>", 1).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *args: object) -> None:
        """No lines on standard error."""


@pytest.fixture(scope="session")
def browse(site: Path) -> Iterator[Browse]:
    """Open a page of the site in a headless Chromium; the document after its scripts have run."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        leave_out("no Chromium here, so that neither search nor accessibility is tested: `make chromium` installs it")

    def open_page(page: str, *, first: str = "", last: str = "", width: int = 1280) -> str:
        served = type("Served", (Handler,), {"first": first, "last": last})
        server = ThreadingHTTPServer(("127.0.0.1", 0), lambda *it: served(*it, directory=str(site)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            shown = subprocess.run(
                [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                 f"--window-size={width},900", "--virtual-time-budget=20000", "--dump-dom",
                 f"http://127.0.0.1:{server.server_port}/{page}"],
                capture_output=True, text=True, timeout=300, check=True,
            )  # fmt: skip
        server.shutdown()
        server.server_close()
        return shown.stdout

    yield open_page


@pytest.fixture(scope="session")
def axe(site: Path) -> str:
    """axe-core as a script: the copy that a package of the lock ships."""
    package = importlib.util.find_spec("axe_playwright_python")
    if package is None or package.origin is None:
        leave_out("no axe-core here, so that accessibility is not tested: `make site` installs it")
    source = Path(package.origin).with_name("axe.min.js").read_text(encoding="utf-8")
    return f"<script>{source}</script>{RUN}"
