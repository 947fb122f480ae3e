"""How Sphinx builds the documentation (`make site`). The order of pages is in toc.yml."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import farlink  # noqa: E402
from laboratory import copy_laboratory, frame_laboratory  # noqa: E402
from notebooks import NOTEBOOKS, write_notebooks  # noqa: E402

project = "Farlink"
author = "the Farlink authors"
version = release = farlink.__version__

# The sources are those of the repository, so that pages outside of docs/ have a place, too.
root_doc = "docs/README"
include_patterns = [
    "docs/**.md",
    "tests/*/README.md",
    "bench/*/README.md",
    "web/README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
]
exclude_patterns = [
    ".*",
    "bench/results",
    "crates",
    "dist",
    "fuzz",
    "python",
    "results",
    "site",
    "studies",
    "target",
    "web/node_modules",
]

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_external_toc",
]
external_toc_path = str(HERE / "toc.yml")

myst_heading_anchors = 4
myst_links_external_new_tab = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "undoc-members": False}
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
add_module_names = False
default_role = "code"  # docstrings quote names as Markdown does

html_theme = "pydata_sphinx_theme"
html_title = "Farlink"
html_static_path = ["static"]
html_css_files = ["farlink.css"]
html_js_files = ["farlink.js"]
html_sidebars = {"docs/start": [], "docs/comparison/README": []}  # sections of one page
templates_path = ["templates"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_additional_pages = {"index": "to-start.html"}
html_context = {"default_mode": "auto", "notebooks": NOTEBOOKS}
html_theme_options = {
    "logo": {"text": "Farlink"},
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "navigation_with_keys": False,
    "show_nav_level": 1,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["notebook", "page-toc"],
    "footer_start": ["version"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def setup(app: object) -> None:
    """Write the tutorials as notebooks, too, and put the laboratory into the site."""
    connect = app.connect  # type: ignore[attr-defined]
    connect("build-finished", write_notebooks)
    connect("html-page-context", frame_laboratory)
    connect("build-finished", copy_laboratory)
