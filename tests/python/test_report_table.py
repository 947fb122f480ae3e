import csv
from pathlib import Path

import farlink as fl
import pyarrow as pa
from conftest import Command
from farlink.results import comparison
from farlink.results.measure import Measure
from farlink.results.report_table import ReportTable

VARIANT = "flows.0.tcp.congestion_control"


def test_a_comparison_fits_a_terminal_and_its_numbers_stay_together() -> None:
    rows = [
        {
            "links.0.error.rate": rate,
            "flows.0.tcp.congestion_control": "reno",
            "against": "enhanced_hybla",
            "pairs": 20,
            "goodput_bps_difference": -12382143.7,
            "goodput_bps_difference_low": -17560932.1,
            "goodput_bps_difference_high": -7204111.9,
            "goodput_bps_ratio": 0.1207,
            "goodput_bps_ratio_low": 0.04707,
            "goodput_bps_ratio_high": None,
        }
        for rate in (0.0, 1e-7)
    ]
    table = ReportTable(pa.Table.from_pylist(rows))
    lines = table.narrow().splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[:3] == ["flows.0.tcp.congestion_control: reno", "against: enhanced_hybla", "20 pairs per row"]
    assert lines[-1].split() == ["1e-07", "-12.4", "-17.6..-7.2", "0.121", "0.0471..-"]
    assert "[Mbit/s]" in table.narrow()
    assert repr(table) == table.narrow(), "printed in Python as on the command line"
    html = table._repr_html_()
    assert "<th>goodput_difference [Mbit/s]</th><th>95 % CI</th>" in html
    assert "<td>-12.4</td><td>-17.6..-7.2</td>" in html and "against: enhanced_hybla" in html
    # What goes into papers is whole.
    assert all(name in table.render("github") for name in rows[0])


def test_a_small_difference_can_be_written_in_the_unit_of_what_differs() -> None:
    columns = {"goodput_bps": [187_000.0, 186_500.0], "against_best_bps": [None, -478.0]}
    table = {name + end: values for name, values in columns.items() for end in ("", "_low", "_high")}
    last = ReportTable(pa.table(table)).narrow(one_unit=list(columns)).splitlines()[-1]
    assert last.split() == ["186", "186..186", "-0.478", "-0.478..-0.478"]


def test_the_variant_of_a_comparison_of_two_stays_in_its_row_in_the_unit_of_the_sweep(tmp_path: Path) -> None:
    base = fl.load("satellite").set("duration", "8 s").set("links.0.error", "none")
    results = fl.sweep(base, {"links.0.delay": ["300 ms", "300.1 ms"]}, seeds=2).run(out=tmp_path / "store")
    values = results.summary(["goodput_bps"]).table["goodput_bps"].to_pylist()
    assert min(values) > 1e6 > abs(values[0] - values[1]), "the sweep's table has Mbit/s; the difference alone has not"
    assert results.summary().narrow().startswith("2 runs per row\n")
    two = results.compare("links.0.delay").narrow()
    lines = two.splitlines()
    assert lines[:2] == ["against: 300 ms", "2 pairs per row"]
    assert lines[-1].startswith("300.1 ms ") and "[Mbit/s]" in two


def test_points_where_nothing_is_random_have_no_interval_and_are_named(command: Command, link: Path) -> None:
    vary = ("--vary", f"{VARIANT}=reno,hybla", "--vary", "links.0.error.rate=0,1e-2", "--set", "duration=3 s")
    status, out, err = command("sweep", "link.toml", *vary, "--seeds", "4", "--out", "store", "--quiet")
    fixed = [line.split() for line in out.splitlines() if line.split()[1:2] == ["0"]]
    assert status == 0 and len(fixed) == 2 and all(cells[3::2] == ["-"] * 4 for cells in fixed)
    assert sum(".." in line for line in out.splitlines()) == 2, "points with losses have intervals"
    note = (
        f"farlink: at 2 of 4 points ({VARIANT} hybla, links.0.error.rate 0; {VARIANT} reno, links.0.error.rate 0) "
        "all seeds gave equal results: nothing random took effect\n"
    )
    assert note in err
    status, out, err = command("compare", "store", "--by", VARIANT, "--format", "csv")
    assert status == 0 and note in err
    chosen = ("--by", VARIANT, "--where", "links.0.error.rate=1e-2", "--label", "reno=Reno")
    assert "gave equal results" not in command("compare", "store", *chosen, "--format", "latex")[2]
    made = fl.Results(link.parent / "store")
    some = made.summary(where={VARIANT: "reno"}, labels={"reno": "Reno", "0": "none"})
    assert some.remark.startswith(f"at 1 of 2 points ({VARIANT} Reno, links.0.error.rate none) all seeds"), some.remark
    comments = [line for line in some.render("latex").splitlines() if line.startswith("% ") and "eno" in line]
    assert len([line for line in comments if "gave equal" not in line]) == 1, comments
    rows = {row["links.0.error.rate"]: row for row in csv.DictReader(out.splitlines())}
    assert rows["0.0"]["goodput_bps_difference_low"] == "" != rows["0.01"]["goodput_bps_difference_low"]
    assert rows["0.0"]["verdict"] in ("higher, exact", "lower, exact"), "two exact means differ, or not"


def test_a_comparison_says_whether_the_interval_of_the_difference_excludes_zero() -> None:
    def verdict(pairs: list[tuple[float, float]]) -> str | None:
        return comparison.cells("goodput_bps", *Measure("goodput_bps").compare(pairs))["verdict"]

    assert verdict([(11.0, 1.0), (12.0, 2.1), (13.0, 3.2)]) == "higher"
    assert verdict([(1.0, 11.0), (2.0, 12.1), (3.0, 13.2)]) == "lower"
    assert verdict([(1.0, 2.0), (3.0, 2.0), (2.0, 2.1)]) == "not significant"
    assert verdict([(1.0, 2.0)]) is None, "a single pair has no interval"


def test_the_baseline_of_a_parameter_has_its_unit() -> None:
    assert comparison.against("flows.0.tcp.congestion_control") == "against"
    row = {"links.0.delay_s": 0.075, comparison.against("links.0.delay_s"): 0.025, "pairs": 5}
    assert "against: 25 ms" in repr(ReportTable.of([row]))
