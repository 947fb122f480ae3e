"""What a notebook shows: displays as HTML, data frames, a progress bar, and interrupts that keep what is done.

The methods that a notebook calls are called directly; IPython, which is no dependency, is played by a stand-in.
"""

import base64
import re
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import farlink as fl
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

UNSAFE = "<b>&\x1b[31m"


class Pairs(HTMLParser):
    """The open elements, checked against those that close."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag != "img":
            self.open.append(tag)
        else:
            assert dict(attrs)["alt"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def pictures(html: str) -> list[bytes]:
    """The pictures in well-formed HTML."""
    pairs = Pairs()
    pairs.feed(html)
    assert pairs.open == []
    return [base64.b64decode(data) for data in re.findall(r'src="data:image/png;base64,([^"]+)"', html)]


def text(html: str) -> str:
    return re.sub(r'src="[^"]*"|<[^>]+>', " ", html)


def unsafe() -> fl.Scenario:
    begun = fl.Scenario(UNSAFE, duration="1 s").node(UNSAFE).node("$b$")
    return begun.link(UNSAFE, "$b$", rate="1 Mbit/s", delay="1 ms").flow(UNSAFE, "$b$", label="<i>")


def test_a_scenario_shows_its_network_and_tables(link: Path) -> None:
    html = fl.load(link)._repr_html_()
    (picture,) = pictures(html)
    assert picture.startswith(b"\x89PNG") and len(picture) < 40_000
    shown = text(html)
    for expected in ("link: 5 s, 2 nodes, routing shortest_path, seed 7", "ground-remote", "transfer", "bulk"):
        assert expected in shown
    assert "1 flow " in shown and "<script" not in html


@pytest.mark.parametrize("name", ["dumbbell", "manet", "frn", "underwater", "gateway"])
def test_every_kind_of_network_is_drawn(name: str) -> None:
    assert len(pictures(fl.load(name)._repr_html_())) == 1


def test_a_refused_scenario_shows_why_and_texts_are_escaped(link: Path) -> None:
    html = fl.load(link).set("links.0.rate", UNSAFE)._repr_html_()
    assert html.startswith("<pre>") and "links.0.rate" in html and "<b>" not in html
    html = unsafe()._repr_html_()
    assert len(pictures(html)) == 1
    assert "&lt;b&gt;&amp;\\u001b[31m" in html and "<b>" not in html and "<i>" not in html
    assert "<b>" not in unsafe().run()._repr_html_()


def test_a_large_network_shows_the_first_rows_and_no_figure() -> None:
    link = {"rate": "1 Mbit/s", "delay": "1 ms"}
    chain = fl.Scenario("chain", duration="1 s", topology={"name": "chain", "nodes": 300, "link": link})
    html = chain.flow("n0", "n299")._repr_html_()
    assert pictures(html) == []
    assert "299 links, the first 12 of them" in html


def test_a_run_shows_its_table_and_series(link: Path) -> None:
    scenario = fl.load(link)
    html = scenario.run(seeds=[1, 2])._repr_html_()
    assert len(pictures(html)) == 1 and "±" in html
    assert pictures(scenario.run(series=False)._repr_html_()) == []
    assert len(repr(scenario.run(seed=1)).splitlines()) == 2


def test_results_show_a_summary_and_a_figure(link: Path, tmp_path: Path) -> None:
    rates = {"links.0.error.rate": [0.0, 1e-6]}
    results = fl.sweep(link, rates, seeds=2).run(out=tmp_path / "a", jobs=1)
    html = results._repr_html_()
    assert len(pictures(html)) == 1
    assert "4 runs in" in html and "2 points" in html
    assert "goodput [Mbit/s]" in html and "95 % CI" in html and "2 runs per row" in html
    assert "goodput_bps" not in html and "e+0" not in html
    windows = {"flows.transfer.tcp.max_window": ["4 packets", "8 packets"]}
    names = {"flows.transfer.tcp.congestion_control": ["reno", "hybla"]}
    assert len(pictures(fl.sweep(link, windows | names, seeds=1).run(jobs=1)._repr_html_())) == 1
    assert pictures(fl.sweep(link, rates | windows | names, seeds=1).run(jobs=1)._repr_html_()) == []


def test_tables_are_data_frames_in_one_call(link: Path, tmp_path: Path) -> None:
    run = fl.load(link).run(seeds=[1, 2])
    results = fl.sweep(link, {"duration": ["1 s", "2 s"]}, seeds=2).run(out=tmp_path / "store", jobs=1)
    for held, rows in ((run, 2), (results, 4)):
        assert isinstance(held.to_pandas(), pd.DataFrame) and isinstance(held.to_polars(), pl.DataFrame)
        assert len(held.to_pandas()) == len(held.to_polars()) == rows
        assert pa.table(held).equals(held.flows)
        assert pl.DataFrame(held).equals(held.to_polars())
        for name in held.TABLES:
            assert held.to_polars(name).columns == getattr(held, name).column_names
        with pytest.raises(fl.UsageError, match=r"no table flow; did you mean `flows`\?"):
            held.to_pandas("flow")
    assert results.to_pandas()["duration_s"].tolist() == [1.0, 2.0, 1.0, 2.0]
    assert results.summary().to_pandas().equals(results.summary().to_polars().to_pandas())


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_a_library_that_is_missing_is_named(link: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = fl.load(link).set("duration", "1 s").run()
    assert run.flows.num_rows == 1  # Arrow looks for pandas once, and not for a module that is None
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(fl.UsageError, match=rf"{name} is not installed; install it: pip install 'farlink\[{name}\]'$"):
        getattr(run, f"to_{name}")()
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert f'\n{name} = ["{name}>=' in project.partition("[project.optional-dependencies]")[2]


@pytest.fixture
def updates(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a bar in the notebook of a stand-in for IPython shows."""
    shown: list[str] = []
    package, display = ModuleType("IPython"), ModuleType("IPython.display")
    package.get_ipython = lambda: SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    display.HTML = str  # type: ignore[attr-defined]

    def show(html: str, display_id: bool) -> SimpleNamespace:
        assert display_id
        shown.append(html)
        return SimpleNamespace(update=shown.append)

    display.display = show  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr("farlink.execution.progress.BETWEEN_UPDATES_S", 0.0)
    return shown


def test_a_notebook_shows_a_bar_of_several_runs_and_takes_it_away(link: Path, updates: list[str]) -> None:
    fl.sweep(link, {"duration": ["1 s", "2 s"]}, seeds=2).run(jobs=1)
    assert [re.findall(r'value="([\d.]+)"', html) for html in updates[:-1]] == [
        [share] for share in ("0.0000", "0.2500", "0.5000", "0.7500", "1.0000")
    ]
    assert "50 % of 4 runs, " in updates[2]
    assert updates[-1] == ""
    updates.clear()
    fl.load(link).run(seeds=[1, 2])
    assert "of 2 runs" in updates[0] and updates[-1] == ""
    updates.clear()
    fl.load(link).run(seed=1)
    fl.load(link).run(seeds=[1, 2], progress=False)
    assert updates == []


def test_a_script_shows_a_bar_on_a_terminal_if_it_is_asked_for(
    link: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fl.load(link).run(seeds=[1, 2], progress=True)
    monkeypatch.setenv("FORCE_COLOR", "1")  # Rich then takes a pipe for a terminal
    fl.load(link).run(seeds=[1, 2])
    assert capfd.readouterr().err == ""
    fl.load(link).run(seeds=[1, 2], progress=True)
    assert "2 runs" in capfd.readouterr().err


def test_a_figure_is_shown_without_a_backend_of_pyplot(link: Path, tmp_path: Path) -> None:
    run = fl.load(link).run(seed=1)
    store = fl.sweep(link, {"duration": ["1 s", "2 s"]}, seeds=2).run(out=tmp_path / "store", jobs=1)
    for figure in (run.plot(), store.plot("duration")):
        png, about = figure._repr_png_()  # type: ignore[attr-defined]
        assert png.startswith(b"\x89PNG") and about["width"] == round(figure.get_size_inches()[0] * 80)


def interrupt_at(share: float) -> Callable[[float], None]:
    def report(done: float) -> None:
        if done >= share:
            raise KeyboardInterrupt

    return report


def test_an_interrupt_keeps_the_finished_runs(link: Path, tmp_path: Path) -> None:
    sweep = fl.sweep(link, {"duration": ["1 s", "2 s"]}, seeds=60)
    with pytest.raises(fl.SweepInterrupted, match=r"of 120 runs are finished.*resumes with out=") as stopped:
        sweep.run(out=tmp_path / "store", jobs=1, progress=interrupt_at(0.0))
    assert isinstance(stopped.value, KeyboardInterrupt)
    kept = stopped.value.results
    assert kept is not None and 1 <= kept.runs.num_rows < 120
    reported: list[float] = []
    assert sweep.run(out=stopped.value.folder, jobs=1, progress=reported.append).runs.num_rows == 120
    assert len(reported) == 120 - kept.runs.num_rows
    # A minute's work, of which a hundredth is awaited: a machine that is busy elsewhere does not get to its end either.
    with pytest.raises(fl.Interrupted, match=r"\d+ of 1000 seeds are finished") as ended:
        fl.load(link).set("duration", "100 s").run(seeds=range(1000), jobs=1, progress=interrupt_at(0.01))
    assert ended.value.run.flows.num_rows == len(ended.value.run.seeds) < 1000
