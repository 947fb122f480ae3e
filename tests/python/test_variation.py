"""A sweep on the command line equals the sweep of a file; a file of the wrong kind is called what it is."""

from pathlib import Path

import farlink as fl
import pytest
from conftest import Command
from farlink.tables.parameters import written_values

VARIANT = "flows.0.tcp.congestion_control"
RATE = "links.0.error.rate"
SWEEP = f"""
scenario = "link.toml"
seeds = 2
set = {{ duration = "1 s" }}
[cross]
"{VARIANT}" = ["reno", "hybla"]
"{RATE}" = [0, 1e-2]
"""
OPTIONS = ("--set", "duration=1 s", "--vary", f"{VARIANT}=reno, hybla", "--vary", f"{RATE}=0,1e-2", "--seeds", "2")


def test_values_on_the_command_line_are_the_sweep_of_a_file(command: Command, link: Path, tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(SWEEP)
    of_file = command("sweep", "sweep.toml", "--out", "of_file", "--format", "csv", "--quiet")
    written = command("sweep", "link.toml", *OPTIONS, "--out", "written", "--format", "csv", "--quiet")
    assert of_file[0] == written[0] == 0
    assert of_file[1] == written[1]
    exported = [command("export", store)[1] for store in ("of_file", "written")]
    assert exported[0] == exported[1] and exported[0].count('"table": "runs"') == 8


def test_it_resumes_and_seeds_and_set_go_over_those_of_a_file(command: Command, link: Path, tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(SWEEP.replace("seeds = 2", "seeds = 1"))
    assert command("sweep", "link.toml", *OPTIONS, "--quiet")[0] == 0
    before = fl.Results(tmp_path / "link.results").runs["key"].to_pylist()
    status, _, err = command("sweep", "sweep.toml", "--seeds", "2", "--out", "link.results", "--quiet")
    assert status == 0 and "8 runs in link.results" in err
    assert f"farlink compare link.results --by {VARIANT}\n" in err
    assert fl.Results(tmp_path / "link.results").runs["key"].to_pylist() == before
    status, _, _ = command("sweep", "sweep.toml", "--set", "duration=0.5 s", "--out", "short", "--quiet")
    assert status == 0
    assert 'duration = "500 ms"' in fl.Results(tmp_path / "short").runs["resolved"][0].as_py()


def test_a_sweep_of_the_command_line_is_drawn_over_time_as_the_message_says(command: Command, link: Path) -> None:
    sweep = ("sweep", "link.toml", *OPTIONS, "--out", "store", "--quiet")
    drawn = ("plot", "store", "--kind", "time", "--by", VARIANT, "--where", f"{RATE}=0", "-o", "time.png")
    assert command(*sweep)[0] == 0
    status, _, err = command(*drawn)
    assert status == 2 and "has no series; sweep again with --series, or `series = true` in the sweep's file" in err
    assert command(*sweep, "--series")[0] == 0
    assert command(*drawn)[0] == 0
    status, _, err = command(*drawn, "--y", "queue")
    assert (status, err.count("\n")) == (2, 1) and "queue: a sweep keeps no time series of queues; `farlink run" in err


def test_the_store_of_a_scenario_is_suggested(command: Command, link: Path) -> None:
    assert command("sweep", "link.toml", *OPTIONS, "--quiet")[0] == 0
    for name in ("link", "link.toml"):
        for asked in (("compare", name, "--by", VARIANT), ("plot", name, "--x", RATE, "-o", "f.png")):
            status, _, err = command(*asked)
            assert status == 2 and err.endswith("; did you mean link.results?\n")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("sweep", "satellite"), "satellite: a scenario; give what to compare, such as --vary flows.0."),
        (("sweep", "link.toml"), "link.toml: a scenario, not a sweep; `farlink run` runs it, and `farlink sweep` with"),
        (("sweep", "nothing.toml"), "nothing.toml: no such file; `farlink sweep --help` shows"),
        (
            ("sweep", "sweep.toml", "--vary", f"{VARIANT}=reno"),
            "sweep.toml: a sweep, not a scenario; add the values to",
        ),
        (("sweep", "satellite", "--vary", VARIANT), "write PATH=a,b,c"),
        (("sweep", "satellite", "--vary", f"{VARIANT}=reno,"), "a value is empty"),
        (("sweep", "satellite", "--vary", f"{VARIANT}=reno,renn"), "renn"),
        (("sweep", "satellite", "--vary", "duration=1 s", "--vary", "duration=2 s"), "duration is given twice"),
        (("sweep", "satellite", "--vary", f"{VARIANT}=cubic,cubic"), f"{VARIANT}: cubic is given twice; leave one"),
        (("sweep", "satellite", "--vary", "duration=1 s,1000 ms"), "duration: 1000 ms is given twice as 1 s; leave"),
        (("sweep", "satellite", "--vary", "foo=1,2"), "farlink: --vary foo: unknown key `foo`; known: name, "),
        (
            ("sweep", "satellite", "--vary", "links.0.rate=1x,2x"),
            "farlink: --vary links.0.rate:1:1: links.0.rate: a bit",
        ),
        (("run", "sweep.toml"), "sweep.toml: a sweep, not a scenario; `farlink sweep sweep.toml` runs it"),
        (("check", "sweep.toml"), "sweep.toml: a sweep, not a scenario; `farlink sweep sweep.toml` runs it"),
        (("explain", "sweep.toml"), "sweep.toml: a sweep, not a scenario; `farlink sweep sweep.toml` runs it"),
    ],
)
def test_the_wrong_kind_is_one_message(
    command: Command, link: Path, tmp_path: Path, arguments: tuple[str, ...], expected: str
) -> None:
    (tmp_path / "sweep.toml").write_text(SWEEP)
    status, out, err = command(*arguments)
    assert (status, out) == (2, "")
    assert expected in err and "docs/" not in err
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("path", "value", "varied"),
    [
        (RATE, "0.1", RATE),
        ("links.ground-remote.error.rate", "0.1", RATE),
        (RATE, "0.1", "links.0.error"),
        (VARIANT, "reno", "flows.*.tcp.congestion_control"),
    ],
)
def test_a_setting_that_every_point_replaces_is_refused(
    command: Command, link: Path, tmp_path: Path, path: str, value: str, varied: str
) -> None:
    expected = f"{path}: the sweep varies {varied}, which replaces it; leave one of them out\n"
    options = ("--set", f"{path}={value}", "--vary", f"{varied}=0,0.2", "--seeds", "1")
    status, out, err = command("sweep", "link.toml", *options)
    assert (status, out, err) == (2, "", f"farlink: --set {expected}")
    file = tmp_path / "sweep.toml"
    crossed = f'scenario = "link.toml"\nseeds = 1\n[cross]\n"{varied}" = [0, 0.2]\n'
    file.write_text(crossed)
    status, out, err = command("sweep", "sweep.toml", *options[:2])
    assert (status, out, err) == (2, "", f"farlink: --set {expected}")
    file.write_text(f'{crossed}[set]\n"{path}" = "reno"\n')
    status, out, err = command("sweep", "sweep.toml")
    assert (status, out, err) == (2, "", f"farlink: sweep.toml: set {expected}")


def test_a_setting_that_some_items_keep_stays(command: Command, link: Path) -> None:
    setting = ("--set", "flows.*.tcp.congestion_control=cubic", "--set", "links.0.error.rate=0.01")
    status, _, err = command("sweep", "link.toml", *setting, "--vary", f"{VARIANT}=reno", "--seeds", "1", "--quiet")
    assert status == 0 and "1 run in link.results\n" in err


def test_a_path_to_every_flow_is_a_question_to_results(command: Command, link: Path, tmp_path: Path) -> None:
    every, second = "flows.*.tcp.congestion_control", ('flows.+={from = "ground", to = "remote"}', "duration=1 s")
    options = ("--set", second[0], "--set", second[1], "--seeds", "2", "--quiet")
    assert command("sweep", "link.toml", *options, "--vary", f"{every}=reno,hybla", "--out", "both")[0] == 0
    results = fl.Results(tmp_path / "both")
    assert results.compare(every).table.to_pylist() == results.compare(VARIANT).table.to_pylist()
    assert command("plot", "both", "--x", every, "--by", "flow", "-o", "both.png")[0] == 0
    assert command("sweep", "link.toml", *options, "--vary", f"{VARIANT}=hybla,westwood", "--out", "first")[0] == 0
    status, _, err = command("compare", "first", "--by", every)
    assert (status, err.count("\n")) == (2, 1)
    assert f"{every}: a run has different values there; name one of its columns: {VARIANT}" in err


def test_values_are_those_of_a_file_or_bare_texts() -> None:
    assert written_values("cubic, 10 Mbit/s,1e-7,3,true") == ["cubic", "10 Mbit/s", 1e-7, 3, True]
    assert written_values('{ name = "steady", kept = 0.8 },"a,b",[1, 2]') == [
        {"name": "steady", "kept": 0.8},
        "a,b",
        [1, 2],
    ]


def test_the_help_of_a_sweep_shows_a_file_that_is_one(command: Command, tmp_path: Path) -> None:
    _, out, _ = command("sweep", "--help")
    lines = [line.strip() for line in out.splitlines()]
    begin = next(index for index, line in enumerate(lines) if line.startswith("scenario ="))
    (tmp_path / "help.toml").write_text("\n".join(lines[begin : lines.index("", begin)]))
    from farlink.sweeps.description import read

    assert read(tmp_path / "help.toml").grid.count == 3
