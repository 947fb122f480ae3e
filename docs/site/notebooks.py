"""Executed pages as Jupyter notebooks, outputs and figures included. A notebook is JSON (nbformat 4.5)."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

from executed import FIGURE, PAGES, ROOT, Block, blocks, commands

NOTEBOOKS = {
    str(page.relative_to(ROOT).with_suffix("")): f"notebooks/{page.stem}.ipynb"
    for page in PAGES
    if page.parent.name == "tutorials" and "```python\n" in page.read_text(encoding="utf-8")
}
"""Pages by their name in Sphinx, and the notebook of each in the site."""
PAGE_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|attachment:)[^)]+\)")


def write_notebooks(app: Any, failure: Exception | None) -> None:
    """Write the notebooks into the site."""
    for page, notebook in NOTEBOOKS.items():
        target = Path(app.outdir, notebook)
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(as_notebook(ROOT / f"{page}.md"), indent=1), encoding="utf-8")


def as_notebook(page: Path) -> dict[str, Any]:
    """Make a notebook of a page."""
    cells: list[dict[str, Any]] = []
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.language == "text" and cells and cells[-1]["cell_type"] == "code":
            cells[-1]["outputs"] = [stream(block.text)]
        elif (code := as_code(block)) is not None:
            printed = "".join(line for line in block.text.splitlines(True) if not line.startswith("$ "))
            outputs = [stream(printed)] if block.language == "console" and printed else []
            cells.append(
                {"cell_type": "code", "source": code, "metadata": {}, "execution_count": None, "outputs": outputs}
            )
        elif str(block).strip():
            cells.append(as_text(str(block).strip("\n"), page.parent))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def as_code(block: Block) -> str | None:
    """Give a block as a cell that does the same, if it does something."""
    if block.file:
        return f"%%writefile {block.file}\n{block.text.rstrip()}"
    if block.language == "console":
        return "\n".join(f"!{command}" for command in commands(block.text))
    return block.text.rstrip() if block.language == "python" else None


def as_text(text: str, folder: Path) -> dict[str, Any]:
    """Give a cell of text that contains its figures; links to other pages lead nowhere from a notebook."""
    attachments = {}
    for target in FIGURE.findall(text):
        name = Path(target).name
        attachments[name] = {"image/png": base64.b64encode((folder / target).read_bytes()).decode()}
        text = text.replace(f"]({target})", f"](attachment:{name})")
    text = PAGE_LINK.sub(r"\1", text)
    cell: dict[str, Any] = {"cell_type": "markdown", "source": text, "metadata": {}}
    return {**cell, "attachments": attachments} if attachments else cell


def stream(text: str) -> dict[str, Any]:
    """Give what a cell printed."""
    return {"output_type": "stream", "name": "stdout", "text": text}
