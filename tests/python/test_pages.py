"""The tutorials: what their code prints and draws is what they show."""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from executed import PAGES, ROOT, blocks, figures, run
from matplotlib.image import imread
from notebooks import NOTEBOOKS, as_notebook

pytestmark = pytest.mark.slow

AGAIN = "`make pages` writes it anew; read what has changed before you commit it"
MOST_CHANGED = 0.02
"""Mean difference of the pixels, from 0 to 1: fonts may differ, curves may not."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_what_its_code_prints_and_draws(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert run(text, tmp_path) == text, AGAIN
    plt.close("all")
    for kept, made in figures(page, tmp_path):
        assert kept.exists(), f"{kept}: {AGAIN}"
        before, now = imread(kept), imread(made)
        assert before.shape == now.shape and np.abs(before - now).mean() < MOST_CHANGED, f"{kept.name}: {AGAIN}"


def test_a_page_taken_apart_is_the_page() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert "".join(map(str, blocks(text))) == text


def test_an_output_that_is_missing_or_wrong_is_found(tmp_path: Path) -> None:
    right = "# Page\n\n```python\nx = 6\n```\n\n```python\nprint(7 * x)\n```\n\n```text\n42\n```\n\nEnd\n"
    assert run(right, tmp_path) == right
    assert run(right.replace("42", "43"), tmp_path) == right
    assert run(right.replace("\n```text\n42\n```\n", ""), tmp_path) == right
    failing = "```console\n$ farlink check nothing\nvalid\n```\n"
    assert "no such file or built-in scenario" in run(failing, tmp_path)


def test_a_command_other_than_farlink_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="only `farlink` is run"):
        run("```console\n$ ls\n```\n", tmp_path)


def test_every_tutorial_in_python_is_a_notebook_with_the_same_code() -> None:
    assert len(NOTEBOOKS) >= 6
    for page in NOTEBOOKS:
        text = (ROOT / f"{page}.md").read_text(encoding="utf-8")
        notebook = json.loads(json.dumps(as_notebook(ROOT / f"{page}.md")))
        code = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for block in blocks(text):
            if block.language == "python":
                assert any(cell.endswith(block.text.rstrip()) for cell in code)
        assert any(cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code")
        for cell in notebook["cells"]:
            assert "](../" not in cell["source"]
