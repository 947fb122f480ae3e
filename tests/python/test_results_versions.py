"""A store with two versions of a class in Python, or of a file that the scenario reads."""

import subprocess
import sys
from pathlib import Path

import farlink as fl
import pytest

VARIANT = "flows.0.tcp.congestion_control"
CLASS = """
class Kept:
    def on_ack(self, view):
        if view.may_grow:
            view.cwnd += 1 / view.cwnd
    def on_congestion(self, view):
        view.cwnd = view.ssthresh = max({share} * view.flight, 2)
"""
SCRIPT = f"""
import sys
import farlink as fl
from kept import Kept
if __name__ == "__main__":
    base = fl.load("link.toml").set("duration", "5 s")
    axes = {{"{VARIANT}": ["reno", Kept] if sys.argv[1] == "varied" else [Kept]}}
    print(fl.sweep(base, axes, seeds=2).run(out="store", jobs=1).runs.num_rows)
"""


def sweep_with(folder: Path, share: float, how: str = "varied") -> None:
    (folder / "kept.py").write_text(CLASS.format(share=share))
    (folder / "script.py").write_text(SCRIPT)
    command = [sys.executable, "-B", "script.py", how]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("4\n" if how == "varied" else "2\n", "")


def test_two_versions_of_a_class_are_two_variants(
    link: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep_with(tmp_path, 0.3)
    sweep_with(tmp_path, 0.7)
    results = fl.Results(tmp_path / "store")
    rows = results.summary(["goodput_bps"]).table.to_pylist()
    reno, first, second = (row[VARIANT] for row in rows)
    assert first != second and first.startswith("kept:Kept (") and second.startswith("kept:Kept (") and reno == "reno"
    assert [row["runs"] for row in rows] == [2, 2, 2]
    assert rows[1]["goodput_bps"] != rows[2]["goodput_bps"]
    compared = results.compare(VARIANT, baseline="reno").table.to_pylist()
    assert [(row[VARIANT], row["pairs"]) for row in compared] == [(first, 2), (second, 2)]
    assert capsys.readouterr().err.count("2 versions of kept:Kept: distinguished") == 1


def test_two_versions_of_the_only_class_are_two_variants(link: Path, tmp_path: Path) -> None:
    sweep_with(tmp_path, 0.3, "alone")
    sweep_with(tmp_path, 0.7, "alone")
    rows = fl.Results(tmp_path / "store").summary(["goodput_bps"]).table.to_pylist()
    assert len({row[VARIANT] for row in rows}) == 2 and [row["runs"] for row in rows] == [2, 2]


def test_two_versions_of_a_file_are_not_averaged(
    link: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for rate in (1, 2):
        (tmp_path / "rate.csv").write_text(f"time_s,rate_bps\n0,{rate}000000\n")
        base = fl.load(link).set("duration", "2 s").set("links.0.rate", {"csv": str(tmp_path / "rate.csv")})
        sweep = fl.sweep(base, {VARIANT: ["reno", "cubic"]}, seeds=2)
        assert sweep.run(out=tmp_path / "store", jobs=1).parameters == [VARIANT]
    results = fl.Results(tmp_path / "store")
    rows = results.summary(["goodput_bps"]).table.to_pylist()
    assert [row["runs"] for row in rows] == [2, 2, 2, 2]
    assert len({row["version"] for row in rows}) == 2
    compared = results.compare(VARIANT, baseline="reno").table.to_pylist()
    assert [(row[VARIANT], row["pairs"]) for row in compared] == [("cubic", 2), ("cubic", 2)]
    with pytest.raises(fl.UsageError, match="version"):
        results.plot(VARIANT, kind="bar")
    one = results.plot(VARIANT, kind="bar", where={"version": rows[0]["version"]})
    assert one.axes
    assert "in the column `version`" in capsys.readouterr().err
