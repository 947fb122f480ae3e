"""Reports as Markdown with pictures beside it, and the same as one self-contained HTML page."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from farlink.system.files import read_text, write_bytes, write_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TEMPLATES = Path(__file__).parent / "templates"
FIGURES = "figures"
TABLES = "tables"
DPI = 110
REPORTS = ("report", "multiverse")
"""The pages that link to each other, by their names without `.md` and `.html`."""
PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
  body {{ font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #222; }}
  table {{ display: block; overflow-x: auto; border-collapse: collapse; margin: 1rem 0; font-size: 0.85rem; }}
  th, td {{ border-bottom: 1px solid #ddd; padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }}
  th {{ border-bottom-color: #888; }}
  img {{ max-width: 100%; }}
  code {{ font-size: 0.85em; overflow-wrap: anywhere; }}
  .reproduced {{ color: #00684c; }} .not {{ color: #a03800; }}
</style>
{body}</html>
"""


class Picture:
    """A figure drawn, and where it stands beside the Markdown."""

    def __init__(self, caption: str, figure: Figure) -> None:
        from farlink.drawing.inline import png

        self.caption = caption
        self.png = png(figure, DPI)
        self.path = f"{FIGURES}/{caption.partition(':')[0].lower().replace(' ', '-')}.png"


def write(
    folder: Path,
    name: str,
    values: Mapping[str, Any],
    pictures: Sequence[Picture],
    kept: Sequence[str],
    filters: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Write `name.md` from the template of that name, `name.html`, and the pictures.

    An earlier `name.md` keeps the parts `kept`, which people write.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    for picture in pictures:
        write_bytes(folder / picture.path, picture.png)
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=False,  # what it makes is Markdown
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(filters, cell=format_cell)
    page = folder / f"{name}.md"
    markdown = environment.get_template(f"{name}.md").render(**values, **kept_parts(page, kept))
    write_text(page, markdown)
    write_text(folder / f"{name}.html", as_html(markdown, pictures))


def format_cell(text: str) -> str:
    """Write a text as it may stand in a cell of a Markdown table."""
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())


def kept_parts(path: Path, names: Sequence[str]) -> dict[str, str]:
    """The text between the markers of each part that people write."""
    page = read_text(path) if path.exists() else ""
    return {name: page.partition(f"<!-- {name} -->\n")[2].partition(f"<!-- end of {name} -->")[0] for name in names}


def as_html(markdown: str, pictures: Sequence[Picture]) -> str:
    """Turn a report into a page of its own, with the pictures inside and links to the pages of other reports."""
    from markdown_it import MarkdownIt

    # The page loads nothing: a study's text cannot name a picture elsewhere.
    shown = {picture.path for picture in pictures}
    parser = MarkdownIt("js-default").disable("strikethrough")
    title = markdown.partition("\n")[0].removeprefix("# ")
    tokens = parser.parse(re.sub(r"<!-- .*? -->\n", "", markdown))
    for token, heading in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", re.sub(r"\W+", "-", heading.content.lower()).strip("-"))
    for each in (child for token in tokens for child in token.children or ()):
        if each.type == "image" and each.attrs["src"] not in shown:
            each.attrs["src"] = ""
    body = parser.renderer.render(tokens, parser.options, {})
    for picture in pictures:
        data = base64.b64encode(picture.png).decode()
        body = body.replace(f'src="{picture.path}"', f'src="data:image/png;base64,{data}"')
    for name in REPORTS:
        body = body.replace(f'href="{name}.md', f'href="{name}.html')
    body = body.replace("<td>reproduced", '<td class="reproduced">reproduced')
    body = re.sub(r"<td>(not reproduc|direction only)", r'<td class="not">\1', body)
    return PAGE.format(title=html.escape(title), body=body)
