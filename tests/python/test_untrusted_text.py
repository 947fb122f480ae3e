"""Names and values from outside: no terminal acts on them, no spreadsheet computes them, no expression grows."""

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import farlink as fl
import pyarrow as pa
import pytest
from conftest import LINK, PATIENCE_S, Cli
from farlink.results.report_table import ReportTable
from farlink.runs.toml_text import toml
from farlink.sweeps import formula
from farlink.tables import arrow

EVIL = "a\x1b[31m\r\n\x07\x7f\x9b\u202eb"
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
TOML = toml(EVIL)
NAMED = (
    LINK.replace('"link"', TOML)
    .replace('"ground"', TOML)
    .replace('"transfer"', TOML)
    .replace('"5 s"', '"1 s"')
    .replace("packet_error_rate", "packet_error_rate")
)
"""The scenario, its flow and one of its nodes are called `EVIL`."""


def clean(text: str) -> None:
    assert not CONTROLS.search(text), ascii(text)


def test_no_output_of_a_scenario_holds_a_control_character(farlink: Cli, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(NAMED)
    for command in (
        ["check", "s.toml"],
        ["run", "s.toml"],
        ["run", "s.toml", "--seeds", "1..3"],
        ["run", "s.toml", "--json"],
        ["run", "s.toml", "--out", "saved"],
        ["explain", "s.toml"],
        ["explain", "saved"],
    ):
        done = farlink(*command)
        assert done.returncode == 0, done.stderr
        assert r"a\u001b[31m" in done.stdout
        clean(done.stdout + done.stderr)
    document = json.loads(farlink("run", "s.toml", "--json").stdout)
    assert (document["scenario"], document["flows"][0]["flow"]) == (EVIL, EVIL)


def test_no_output_of_a_sweep_or_a_tuning_holds_a_control_character(farlink: Cli, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(NAMED)
    grid = f'scenario = "s.toml"\nseeds = "1..3"\n[cross]\n"flows.0.label" = [{TOML}, "b"]\n'
    (tmp_path / "sweep.toml").write_text(grid)
    for form in ("text", "markdown", "latex", "csv"):
        done = farlink("sweep", "sweep.toml", "--format", form, "--out", f"store{EVIL.replace('/', '')}")
        assert done.returncode == 0, done.stderr
        clean(done.stdout + done.stderr)
        assert "u001b" in done.stderr
    window = "flows.0.tcp.max_window=1..2 packets"
    done = farlink("tune", "s.toml", "--param", window, "--seeds", "1..3", "--out", "tuned", "--flow", EVIL)
    assert done.returncode == 0, done.stderr
    clean(done.stdout + done.stderr)


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", f"{EVIL}.toml"],
        ["run", "s.toml", "--set", EVIL],
        ["run", "s.toml", "--set", f"{EVIL}=1"],
        ["run", "s.toml", "--set", f"name={EVIL}"],
        ["run", "s.toml", "--set", f"links.0.rate={EVIL}"],
        ["run", "s.toml", "--set", f"flows.0.to={EVIL}"],
        ["run", "s.toml", "--set", f"links.0.rate={{ csv = {TOML} }}"],
        ["run", "s.toml", "--out", f"s.toml/{EVIL}"],
        ["run", "s.toml", "--series", EVIL],
        ["run", "s.toml", "--seeds", EVIL],
        ["run", "s.toml", f"--{EVIL}"],
        [EVIL],
        ["sweep", EVIL],
        ["sweep", "sweep.toml"],
        ["sweep", "key.toml"],
        ["tune", "s.toml", "--param", f"{EVIL}=1..2"],
        ["tune", "s.toml", "--param", "flows.0.tcp.max_window=1..2 packets", "--flow", EVIL],
        ["compare", EVIL, "--by", "x"],
        ["list", EVIL],
        ["study", "run", EVIL],
        ["explain", EVIL],
    ],
    ids=range(21),
)
def test_no_message_holds_a_control_character(farlink: Cli, tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "s.toml").write_text(LINK)
    (tmp_path / "sweep.toml").write_text(f'scenario = "s.toml"\n[cross]\n{TOML} = [1, 2]\n')
    (tmp_path / "key.toml").write_text(f'scenario = "s.toml"\n{TOML} = 1\n')
    done = farlink(*arguments)
    if done.returncode != 0:
        assert (done.returncode, done.stdout) == (2, "")
        assert "Traceback" not in done.stderr
        first, *excerpt = done.stderr.splitlines()
        assert first.startswith("farlink: ")
        assert len(excerpt) in (0, 2)
    clean(done.stdout + done.stderr)


def test_progress_on_a_terminal_shows_an_escaped_name(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(NAMED.replace('"1 s"', '"2000 s"'))
    main, terminal = pty.openpty()
    command = [sys.executable, "-m", "farlink", "run", "s.toml"]
    running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    shown = b""
    try:
        while part := os.read(main, 4096):
            shown += part
    except OSError:  # Linux: the other end is closed
        pass
    assert running.wait(timeout=PATIENCE_S) == 0
    os.close(main)
    assert rb"a\u001b[31m" in shown
    assert b"a\x1b[31m" not in shown


def test_a_label_that_looks_like_a_formula_of_tex_is_drawn_as_text(farlink: Cli, tmp_path: Path) -> None:
    label = r"$\frac{1$"
    (tmp_path / "s.toml").write_text(LINK.replace('"transfer"', toml(label)).replace('"link"', "'$\\x$'"))
    assert farlink("run", "s.toml", "--plot", "p.svg").returncode == 0
    grid = f'scenario = "s.toml"\nseeds = "1..2"\n[cross]\n"flows.0.label" = [{toml(label)}, "$\\\\b$"]\n'
    (tmp_path / "sweep.toml").write_text(grid)
    assert farlink("sweep", "sweep.toml").returncode == 0
    for kind in (["--x", "flows.0.label"], ["--kind", "cdf", "--by", "flows.0.label"]):
        done = farlink("plot", "sweep.results", *kind, "-o", "p.svg")
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t=", "\r="])
def test_a_text_that_a_spreadsheet_would_compute_begins_with_an_apostrophe(tmp_path: Path, begin: str) -> None:
    text = f"{begin}cmd|' /C calc'!A0"
    table = pa.table({text: [text, "plain"], "number": [-1.5, 2.0], "whole": [-1, 2], "none": [None, text]})
    arrow.write(table, tmp_path / "t.csv")
    ReportTable(table).save(tmp_path / "s.csv")
    for written in (arrow.to_csv(table), (tmp_path / "t.csv").read_text(), (tmp_path / "s.csv").read_text()):
        header, first, second = csv.reader(io.StringIO(written, newline=""))
        for cell in (header[0], first[0], second[3]):
            assert cell[0] not in "=+-@\t\r"
            assert cell.endswith("cmd|' /C calc'!A0")
        assert (first[1:], second[:3]) == (["-1.5", "-1", ""], ["plain", "2.0", "2"])


def test_series_and_sweeps_as_csv_hold_no_formulas_and_negative_numbers(farlink: Cli, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(LINK.replace('"transfer"', '"=1+1"'))
    assert farlink("run", "s.toml", "--series", "s.csv").returncode == 0
    rows = csv.DictReader(io.StringIO((tmp_path / "s.csv").read_text()))
    assert {row["flow"] for row in rows} == {"'=1+1"}
    (tmp_path / "sweep.toml").write_text(
        'scenario = "s.toml"\nseeds = "1..2"\n[cross]\n"flows.0.label" = ["=1+1", "+2"]\n'
    )
    done = farlink("sweep", "sweep.toml", "--format", "csv")
    assert {row["flows.0.label"] for row in csv.DictReader(io.StringIO(done.stdout))} == {"'=1+1", "'+2"}
    window = '"flows.0.tcp.max_window" = ["1 packets", "20 packets"]'
    (tmp_path / "window.toml").write_text(f'scenario = "s.toml"\nseeds = "1..2"\n[cross]\n{window}\n')
    assert farlink("sweep", "window.toml").returncode == 0
    compare = ("compare", "window.results", "--by", "flows.0.tcp.max_window", "--baseline", "20 packets")
    [row] = csv.DictReader(io.StringIO(farlink(*compare, "--format", "csv").stdout))
    assert float(row["goodput_bps_difference"]) < 0


SECRET = "hunter2"


@pytest.mark.parametrize(
    ("name", "scenario", "lines"),
    [
        ("f", LINK.replace('rate = "10 Mbit/s"', 'rate = { csv = "f" }'), "0,1\nhunter2,1"),
        ("f", LINK.replace('rate = "10 Mbit/s"', 'rate = { csv = "f" }'), "hunter2:x:0:0"),
        ("f", LINK.replace('rate = "10 Mbit/s"', 'rate = { mahimahi = "f" }'), "1\nhunter2"),
        ("f", LINK.replace('delay = "20 ms"', 'delay = { csv = "f" }'), "0,hunter2"),
        ("f", LINK + '[mobility]\nname = "random_waypoint"\n[radio]\npropagation_speed = { csv = "f" }\n', "0,hunter2"),
        *(
            ("f", LINK + f'[mobility]\nname = "scripted"\nmoves = {{ {kind} = "f" }}\n', lines)
            for kind, lines in [
                ("ns2", "hunter2"),
                ("ns2", "$node_(hunter2) set X_ 1"),
                ("ns2", "hunter2 set X_ 1"),
                ("ns2", "$node_(0) set X_ hunter2"),
                ("ns2", "$ns_ at hunter2 x"),
                ("bonnmotion", "hunter2"),
                ("bonnmotion", "0 1 hunter2"),
                ("fcd", "hunter2"),
                ("fcd", "<hunter2/>"),
                ("fcd", "<a></hunter2>"),
                ("fcd", "<hunter2:a/>"),
                ("fcd", '<a hunter2="1" hunter2="2"/>'),
                ("fcd", "<a>&hunter2;</a>"),
                (
                    "fcd",
                    '<fcd-export><timestep time="0"><person id="hunter2" x="0" y="hunter2"/></timestep></fcd-export>',
                ),
                ("fcd", '<fcd-export><timestep time="hunter2"><person id="hunter2"/></timestep></fcd-export>'),
                (
                    "fcd",
                    '<fcd-export><timestep time="0">'
                    + "".join(f'<person id="hunter2{i}" x="0" y="0"/>' for i in range(3))
                    + "</timestep></fcd-export>",
                ),
            ]
        ),
        *(
            (name, LINK + f'[topology]\nname = "file"\npath = "{name}"\n', lines)
            for name, lines in [
                ("f.csv", "hunter2:x:0:0"),
                ("f.csv", "a,hunter2,1"),
                ("f.graphml", "hunter2"),
                ("f.graphml", "<hunter2/>"),
                ("f.graphml", '<g><graph><node id="a"/><edge source="a" target="hunter2"/></graph></g>'),
                ("f.graphml", '<g><graph><node id="hunter2"/><node id="hunter2"/></graph></g>'),
            ]
        ),
    ],
)
def test_a_file_that_is_named_by_mistake_is_not_quoted(
    farlink: Cli, tmp_path: Path, name: str, scenario: str, lines: str
) -> None:
    (tmp_path / name).write_text(lines)
    (tmp_path / "s.toml").write_text(scenario)
    done = farlink("check", "s.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert SECRET not in done.stderr
    assert re.match(rf"farlink: {name}:\d+:\d+: ", done.stderr), done.stderr
    assert done.stderr.count("\n") == 1


def test_the_neighbours_of_a_topology_are_not_quoted(farlink: Cli, tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("west,0,0\neast,1,1\n")
    (tmp_path / "f.csv").write_text("west,hunter2\n")
    link = 'link = { rate = "1 Mbit/s", delay = "1 ms" }'
    (tmp_path / "s.toml").write_text(LINK + f'[topology]\nname = "file"\npath = "n.csv"\nlinks = "f.csv"\n{link}\n')
    done = farlink("check", "s.toml")
    assert done.returncode == 2
    assert SECRET not in done.stderr
    assert "f.csv:1:1: topology.path: an unknown node; known: " in done.stderr


@pytest.mark.parametrize(
    "expression",
    [
        "1:.999999999f",
        "1:999999999",
        "1:0999999999.1f",
        "1:9" + 5000 * "9",
        "9**9**9",
        "9**4000000",
        "9**4000000 % 7",
        "'%.999999999f' % 1",
        "'a' * 99999",
        "1 << 9999",
        400 * "(" + "1" + 400 * ")",
        900 * "-" + "1",
        "1" + 400 * "0",
        "(-1) ** 0.5",
        "max('a')",
        "min()",
        "1 / 0",
        5000 * "1 + ",
        "__import__('os')",
        "min.__globals__",
    ],
)
def test_no_derived_value_grows_or_ends_the_process(expression: str) -> None:
    with pytest.raises(fl.UsageError) as refused:
        formula.fill_template(f"{{{expression}}} packets", fl.load("satellite"))
    assert "0x" not in str(refused.value)
    assert len(str(refused.value)) < 2500


def test_a_sweep_with_such_a_value_is_refused_in_one_line(farlink: Cli, tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(
        'scenario = "satellite"\n[derive]\n"links.0.queue.limit" = "{1:.999999999f} packets"\n'
    )
    done = farlink("sweep", "sweep.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("farlink: ")
    assert "write one such as .0f" in done.stderr
    assert done.stderr.count("\n") == 1


def test_derived_values_are_computed() -> None:
    scenario = fl.load("satellite")
    for template, filled in (
        ("{links.0.rate * links.0.delay / 12000:.0f} packets", "2500 packets"),
        ("{max(1, 2 ** 3 // 3, 7 % 4):.0f}..{1 if links.0.rate > 1e9 else 2:g} {-1:+.2e}", "3..2 -1.00e+00"),
        ("n{2 * 3 - 1} {1 / 4}", "n5 0.25"),
    ):
        assert formula.fill_template(template, scenario) == filled
