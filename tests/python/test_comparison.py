"""The page that compares all congestion controls: its files, its numbers, and what it advises."""

import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest
from farlink import _farlink
from farlink.sweeps.description import read

FOLDER = Path(__file__).resolve().parents[2] / "docs/comparison"
spec = importlib.util.spec_from_file_location("comparison_page", FOLDER / "make.py")
assert spec and spec.loader
comparison = sys.modules["comparison_page"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(comparison)

REGISTERED = [model["name"] for model in json.loads(_farlink.models()) if model["kind"] == "congestion_control"]


@pytest.fixture(scope="module")
def numbers() -> dict[tuple[str, str, str], tuple[float, float, float]]:
    return comparison.read_numbers()


def test_the_page_has_every_congestion_control_on_every_link(numbers) -> None:
    assert sorted(comparison.CONTROLS) == sorted(REGISTERED), "a new one belongs into FAMILIES of make.py"
    pairs = {(link, control) for link, control, _ in numbers}
    assert pairs == {(link, control) for link in comparison.LINKS for control in REGISTERED}
    rows = comparison.NUMBERS.read_text(encoding="utf-8").splitlines()[1:]
    assert {row.split(",")[2] for row in rows} == {"20"}, "the page says that there are 20 seeds"


def test_every_link_has_a_sweep_of_every_congestion_control_alone_and_beside_cubic() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} == set(comparison.LINKS)
    makefile = (FOLDER.parents[1] / "Makefile").read_text(encoding="utf-8")
    assert f"LINKS := {' '.join(comparison.LINKS)}\n" in makefile
    for link, about in comparison.LINKS.items():
        sweep = read(FOLDER / f"{link}.toml")
        given = sweep.grid.cross["flows.tested.tcp.congestion_control"]
        names = [each["name"] if isinstance(each, dict) else each for each in given]
        assert sorted(names) == sorted(REGISTERED), link
        assert len(sweep.points()) == 2 * len(REGISTERED) and list(sweep.seeds) == list(range(1, 21))
        # Without marks DCTCP and Prague are Reno.
        assert [each for each in sweep.warnings if "marks packets" not in str(each)] == []
        rate = f"{about.rate_mbps:g} Mbit/s"
        assert {"name": "enhanced_hybla", "capacity": rate} in given
        resolved = sweep.scenario.to_toml()
        assert f'rate = "{rate}"' in resolved and 'preset = "linux", congestion_control = "cubic"' in resolved


def test_the_page_has_the_numbers_of_its_table_for_machines(numbers) -> None:
    page = comparison.PAGE.read_text(encoding="utf-8")
    assert comparison.made_anew(page, numbers) == page, "`make comparison` writes it anew"
    assert len(re.findall(r"<!-- \w+ \w+ \w+ -->", page)) > 30
    assert f"![{comparison.ALTERNATIVE}]({comparison.PICTURE.name})" in page


def test_the_advice_holds_in_the_numbers(numbers) -> None:
    def mean(link: str, control: str, column: str = "goodput_mbps") -> float:
        return numbers[link, control, column][0]

    # 1. No goodput is noticeably larger than that of CUBIC on fibre, and the best is the one that the page names.
    best = max(REGISTERED, key=lambda control: mean("fibre", control))
    assert mean("fibre", best) < 1.002 * mean("fibre", "cubic")
    assert f"The largest of all, that of `{best}`, is" in comparison.PAGE.read_text(encoding="utf-8")
    # 2. BBRv3 has several times the goodput of CUBIC, beyond both intervals, or a small part of its delay.
    for link in ("radio", "geo", "leo"):
        assert numbers[link, "bbr3", "goodput_mbps"][1] > 2.5 * numbers[link, "cubic", "goodput_mbps"][2]
    assert mean("bufferbloat", "bbr3", "delay_mean_ms") < 0.1 * mean("bufferbloat", "cubic", "delay_mean_ms")
    assert min(mean("bufferbloat", control) for control in ("bbr3", "cubic")) > 0.97 * 10 * 1448 / 1500
    # 3. Prague fills the L4S queue's link, and has the least delay of all that do.
    full = [control for control in REGISTERED if mean("l4s", control) > 0.95 * 40 * 1448 / 1500]
    assert min(full, key=lambda control: mean("l4s", control, "delay_mean_ms")) == "prague"
    assert mean("l4s", "prague", "delay_mean_ms") < 10.3 + 1
