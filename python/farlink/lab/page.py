"""The files of the page, as `make lab-page` built them into this package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from farlink.errors import UsageError
from farlink.printable import json_in_page

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
