"""The site in a headless Chromium: search finds, and axe-core finds no serious fault."""

import html
import json
import re
from collections.abc import Callable

import pytest

pytest_plugins = ["browser"]

KINDS = {
    "home": "docs/README.html",
    "start": "docs/start.html",
    "tutorial": "docs/tutorials/lesson.html",
    "gallery": "docs/gallery.html",
    "guide": "docs/guide/json.html",
    "python": "docs/reference/python.html",
    "commands": "docs/reference/commands.html",
    "laboratory": "docs/laboratory.html",
    "study": "docs/studies/underwater/report.html",
    "search": "search.html",
}
SERIOUS = ("serious", "critical")
DARK = "<script>localStorage.setItem('mode', 'dark'); localStorage.setItem('theme', 'dark')</script>"

Browse = Callable[..., str]


def examine(browse: Browse, axe: str, page: str, **options) -> dict:
    shown = browse(page, last=axe, **options)
    return json.loads(html.unescape(re.search(r'<pre id="axe">(.*?)</pre>', shown, re.DOTALL)[1]))


def serious(found: dict) -> list[str]:
    assert found["passes"] > 10
    return [f"{each['id']}: {each['nodes'][:3]}" for each in found["faults"] if each["impact"] in SERIOUS]


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_no_serious_fault(kind: str, browse: Browse, axe: str) -> None:
    assert serious(examine(browse, axe, KINDS[kind])) == []


@pytest.mark.parametrize("kind", ["tutorial", "guide"])
def test_nor_in_the_dark(kind: str, browse: Browse, axe: str) -> None:
    found = examine(browse, axe, KINDS[kind], first=DARK)
    assert found["theme"] == "dark" and serious(found) == []


@pytest.mark.parametrize("kind", ["tutorial", "guide"])
def test_nor_on_a_phone_where_the_page_is_not_wider_than_the_screen(kind: str, browse: Browse, axe: str) -> None:
    found = examine(browse, axe, KINDS[kind], width=390)
    assert not found["wide"] and serious(found) == []


def test_axe_finds_a_serious_fault_where_there_is_one(browse: Browse, axe: str) -> None:
    fault = '<img src="missing.png"><p style="color: #ccc; background: #ddd">grey on grey</p>'
    found = serious(examine(browse, fault + axe, KINDS["home"]))
    assert {each.split(":")[0] for each in found} >= {"image-alt", "color-contrast"}


def test_search_finds_a_model_and_a_tutorial(browse: Browse) -> None:
    shown = browse("search.html?q=gilbert_elliott")
    assert "docs/models.html" in shown
    assert "leo-handovers.html" in browse("search.html?q=handovers")
    assert "congestion-control-python.html" in browse("search.html?q=own+congestion+control")


def test_the_laboratory_is_shown_on_its_page(laboratory: str, browse: Browse) -> None:
    assert f'<iframe class="farlink-laboratory" src="../{laboratory}"' in browse("docs/laboratory.html")
