"""Links of the site: internal ones lead to a page and a place on it, external ones are well-formed. No network."""

import json
import posixpath
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytest_plugins = ["browser"]


class Page(HTMLParser):
    """The places of a page, what it links to and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if "src" in given:
            self.loaded.append(given["src"])
        if tag == "link" and given.get("rel") in ("stylesheet", "preload", "icon"):
            self.loaded.append(given["href"])


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    paths = [path for path in site.rglob("*.html") if "_static" not in path.parts]  # a template of the theme is there
    found = {str(path.relative_to(site)): Page(path.read_text(encoding="utf-8")) for path in paths}
    assert len(found) > 70
    return found


def test_internal_links_lead_to_a_page_and_a_place(site: Path, pages: dict[str, Page]) -> None:
    lost = []
    for name, page in pages.items():
        for target in {*page.links, *page.loaded}:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = (
                posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path))) if parts.path else name
            )
            is_there = (site / file).is_file()
            if is_there and parts.fragment and file in pages:
                is_there = unquote(parts.fragment) in pages[file].places
            if not is_there and target != "#":
                lost.append(f"{name}: {target}")
    assert lost == []


def test_external_links_are_well_formed(pages: dict[str, Page]) -> None:
    for name, page in pages.items():
        for target in page.links:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                assert parts.scheme == "https" and "." in parts.netloc and " " not in target, f"{name}: {target}"


def test_pages_load_nothing_from_the_network(pages: dict[str, Page]) -> None:
    for name, page in pages.items():
        assert [target for target in page.loaded if urlsplit(target).netloc] == [], name


def test_the_first_page_leads_to_the_start(site: Path, pages: dict[str, Page]) -> None:
    assert "docs/README.html" in pages["index.html"].links
    assert "url=docs/README.html" in (site / "index.html").read_text(encoding="utf-8")


def test_tutorials_offer_their_notebooks(site: Path, pages: dict[str, Page]) -> None:
    offered = {link for page in pages.values() for link in page.links if link.endswith(".ipynb")}
    assert len(offered) >= 6
    for path in site.glob("notebooks/*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        assert notebook["nbformat"] == 4 and len(notebook["cells"]) > 5


def test_the_reference_has_every_public_name_and_every_command(pages: dict[str, Page]) -> None:
    import farlink as fl
    from farlink.cli import cli

    names = {f"farlink.{name}" for name in fl.__all__ if name != "__version__"}
    assert names <= pages["docs/reference/python.html"].places
    commands = {f"farlink-{name}" for name in cli.commands}
    assert commands <= pages["docs/reference/commands.html"].places


def test_the_laboratory_in_the_site_is_that_of_the_package(site: Path, laboratory: str) -> None:
    import farlink

    built = Path(farlink.__file__).parent / "lab" / "built"
    copied = {path.name: path.read_bytes() for path in (site / laboratory).parent.iterdir()}
    assert {"index.html", "lab.js", "lab.css", "worker.js", "farlink.wasm"} <= copied.keys()
    assert copied == {path.name: path.read_bytes() for path in built.iterdir()}
