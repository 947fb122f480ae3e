"""The laboratory in the site: a copy of its page, and a frame that shows it in docs/laboratory.md."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from executed import ROOT

BUILT = ROOT / "python" / "farlink" / "lab" / "built"
PAGE = "docs/laboratory"
FOLDER = "laboratory"
FRAME = """
<p><a class="farlink-laboratory-link" href="{address}">Open the laboratory in a window of its own</a></p>
<iframe class="farlink-laboratory" src="{address}" title="Laboratory" loading="lazy" allow="clipboard-write"></iframe>
"""


def frame_laboratory(app: Any, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    """Put the frame behind the first paragraph of its page."""
    if page == PAGE and (BUILT / "index.html").is_file():
        # An address with the name of the file also works where no server looks for it.
        frame = FRAME.format(address=f"../{FOLDER}/index.html")
        context["body"] = context["body"].replace("</p>", f"</p>{frame}", 1)


def copy_laboratory(app: Any, failure: Exception | None) -> None:
    """Put the page into the site; say so where it is left out."""
    if (BUILT / "index.html").is_file():
        shutil.copytree(BUILT, Path(app.outdir, FOLDER), dirs_exist_ok=True)
    else:
        print(
            "!!! LEFT OUT of the site: the laboratory, whose page `make lab-page` builds with Node !!!", file=sys.stderr
        )
