"""The comparison with other simulators: its tables."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

RUN = Path(__file__).resolve().parents[2] / "bench/peers/run.py"


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    return runpy.run_path(str(RUN))


def row(work: str, simulator: str, ratio: float | None, delivered: int) -> dict[str, Any]:
    return {"work": work, "simulator": simulator, "ratio_to_farlink": ratio, "delivered": delivered}


def test_ratios_have_a_line_per_work_and_both_kinds_of_script(run: dict[str, Any]) -> None:
    rows = [
        row("a", "farlink", 1.0, 100),
        row("a", "ns-2", 4.0, 90),
        row("a", "ns-2, few headers", 2.0, 90),
        row("b", "farlink", 1.0, 50),
        row("b", "ns-2, few headers", None, 60),
    ]
    lines = [re.split(r"  +", line.strip()) for line in run["ratios"](rows).split("\n")]
    assert lines[0] == ["work", "ns-2", "packets", "ns-2, few headers", "packets"]
    assert lines[2:] == [["a", "4.0", "0.90", "2.0", "0.90"], ["b", "-", "-", "-", "1.20"]]


def test_the_machine_is_described_also_where_the_system_tells_little(run: dict[str, Any], tmp_path: Path) -> None:
    names, cpuinfo, cache = run["machine"].__globals__, tmp_path / "cpuinfo", tmp_path / "cache" / "index0"
    cpuinfo.write_text("")
    names.update(CPUINFO=cpuinfo, CACHES=tmp_path / "none")
    assert run["machine"]()["caches"] == "unknown"
    cpuinfo.write_text("processor\t: 0\nmodel name\t: Xeon\n")
    cache.mkdir(parents=True)
    for name, content in (("level", "1"), ("type", "Data"), ("size", "48K")):
        (cache / name).write_text(f"{content}\n")
    names.update(CACHES=cache.parent)
    about = run["machine"]()
    assert about["processor"].startswith("Xeon, ") and about["caches"] == "L1d 48K"
