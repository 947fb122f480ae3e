"""The benchmark history: every row is whole, the last one is today's, and the figure of the docs shows them."""

import json
import re
import runpy
from datetime import date
from pathlib import Path
from typing import Any

import matplotlib
import pytest
from farlink.drawing.of_runs import save_figure

ROOT = Path(__file__).resolve().parents[2]
DECISIONS = ROOT / "docs/decisions"


@pytest.fixture(scope="module")
def history() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "bench/history.py"))


@pytest.fixture(scope="module")
def ratchet() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "bench/ratchet.py"))


def test_every_row_says_when_and_what_and_counts_something(history: dict[str, Any]) -> None:
    rows = history["read"]()
    for row in rows:
        assert None not in row and None not in row.values(), "a row of another length"
        assert date.fromisoformat(row["date"]) and row["change"]
        assert re.fullmatch(r"[0-9a-f]{8}|\d+\.\d+\.\d+", row["version"])
        assert not row["decision"] or list(DECISIONS.glob(f"{row['decision']}-*.md"))
    assert [row["date"] for row in rows] == sorted(row["date"] for row in rows)
    counts = history["works"](rows)
    assert all(count > 0 for counted in counts.values() for _, count in counted)
    assert all(any(row[work] for work in counts) for row in rows)


def test_the_last_row_is_the_baseline(history: dict[str, Any], ratchet: dict[str, Any]) -> None:
    baseline = json.loads((ROOT / "bench/baseline.json").read_text())
    last = history["read"]()[-1]
    assert baseline.keys() <= last.keys()
    for work, instructions in baseline.items():
        assert int(last[work]) == pytest.approx(instructions, rel=ratchet["TOLERANCE"]), (
            f"`make ratchet-record`: {work}"
        )


def test_a_row_is_appended_by_the_ratchet(
    history: dict[str, Any], ratchet: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "history.csv"
    copy.write_bytes((ROOT / "bench/history.csv").read_bytes())
    monkeypatch.setitem(ratchet["record"].__globals__, "HISTORY", copy)
    monkeypatch.setitem(history["read"].__globals__, "HISTORY", copy)
    before = history["read"]()
    ratchet["record"]({"satellite": 1600, "manet": 320}, "a predicted path, for the common case", "0011")
    *kept, last = history["read"]()
    assert kept == before
    assert (last["change"], last["decision"]) == ("a predicted path, for the common case", "0011")
    assert (last["satellite"], last["manet"], last["chain"]) == ("1600", "320", "")


def test_the_figure_shows_the_history(history: dict[str, Any], tmp_path: Path) -> None:
    kept = history["PICTURE"].read_text(encoding="utf-8")
    save_figure(history["figure"](history["read"]()), tmp_path / "made.svg")
    made = (tmp_path / "made.svg").read_text(encoding="utf-8")
    if f"Matplotlib v{matplotlib.__version__}" not in kept:
        pytest.skip("another version of Matplotlib draws other paths")
    assert made == kept, "`make bench-history` draws it anew"
