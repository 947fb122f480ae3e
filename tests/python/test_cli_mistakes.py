import resource
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import LINK, PATIENCE_S, Cli


def refused(farlink: Cli, *arguments: object) -> str:
    done = farlink(*arguments)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize(
    ("right", "wrong", "line", "expected"),
    [
        ('rate = "10 Mbit/s"', 'rte = "10 Mbit/s"', 12, "did you mean `rate`?"),
        ('"20 ms"', '"20 msec"', 13, "ms"),
        ("drop_tail", "drop_tial", 14, "did you mean `drop_tail`?"),
        ('to = "remote"', 'to = "remoat"', 21, "remote"),
        ('"5 s"', "5", 2, "duration"),
        ("[[flows]]", "[[flows]", 18, ""),
    ],
)
def test_a_typo_in_a_file_is_pointed_at(
    farlink: Cli, tmp_path: Path, right: str, wrong: str, line: int, expected: str
) -> None:
    (tmp_path / "bad.toml").write_text(LINK.replace(right, wrong, 1))
    for command in ("run", "check"):
        message = refused(farlink, command, "bad.toml")
        assert message.startswith(f"farlink: bad.toml:{line}:")
        assert expected in message
        assert "^" in message


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("links.0.rte=1 Mbit/s", "did you mean `rate`?"),
        ("links.0.rate=1 Mbit", "--set"),
        ("links.7.rate=1 Mbit/s", "there is no item 7"),
        ("flows.0.tcp.congestion_control=hybl", "did you mean `hybla`?"),
        ("duration", "PATH=VALUE"),
    ],
)
def test_a_typo_in_set_is_pointed_at(farlink: Cli, link: Path, setting: str, expected: str) -> None:
    assert expected in refused(farlink, "run", link, "--set", setting)


@pytest.mark.parametrize(
    ("setting", "remedy"),
    [("max_wait=2", "write max_wait = 3 or more"), ("max_wait_under_load=4", "write max_wait_under_load = 17 or more")],
)
def test_waits_that_end_before_they_begin_are_refused(farlink: Cli, setting: str, remedy: str) -> None:
    assert remedy in refused(farlink, "run", "frn", "--set", f"radio.mac.{setting}")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "satelite"], "did you mean `satellite`?"),
        (["run", "."], "directory"),
        (["run", "{link}", "--seeds", "3..1"], "the smaller seed comes first"),
        (["run", "{link}", "--seeds", "one"], "write 20, 1..20 or 1,3,7"),
        (["run", "{link}", "--seeds", "1.."], "write 20, 1..20 or 1,3,7"),
        (["run", "{link}", "--seeds", "1,,2"], "write 20, 1..20 or 1,3,7"),
        (["run", "{link}", "--seeds", "٣"], "write 20, 1..20 or 1,3,7"),
        (["run", "{link}", "--seeds", "1.." + 5000 * "9"], "write 20, 1..20 or 1,3,7"),
        (["run", "{link}", "--seeds", "0..18446744073709551616"], "more than"),
        (["run", "{link}", "--seeds", "1,1"], "given twice"),
        (["run", "{link}", "--seeds", "99999999999999999999"], "give 1 to 1000000 seeds"),
        (["run", "{link}", "--seeds", "1,99999999999999999999"], "64 bits"),
        (["run", "{link}", "--seeds", "0"], "give 1 to 1000000 seeds"),
        (["run", "{link}", "--seeds", "2", "--seed", "2"], "give --seed or --seeds, not both"),
        (["run", "{link}", "--seeds", "0..99999999999"], "more than"),
        (["run", "{link}", "--jobs", "0"], "--jobs"),
        (["run", "{link}", "--series", "s.xls"], ".parquet"),
        (["run", "{link}", "--plot", "p.gif"], ".png"),
        (["run", "{link}", "--plot", "nowhere/p.png"], "there is no folder"),
        (["run", "{link}", "--series", "."], ".parquet"),
        (["run", "{link}", "--out", "{link}/below"], "is not a folder"),
        (["run", ""], "built-in scenarios"),
        (["run", "{link}", "--pcap", "f.pcap", "--seeds", "1,2"], "one seed"),
        (["run", "{link}", "--animate-window", "0s..1s"], "needs --animate F.html; see farlink run --help"),
        (["run", "{link}", "--pcap-node", "a"], "needs --pcap F.pcapng; see farlink run --help"),
        (["run"], "Missing argument 'SCENARIO'; see farlink run --help"),
        (["run", "{link}", "--sed", "1"], "see farlink run --help"),
        (["study", "run"], "see farlink study run --help"),
        (["sweep", "s.toml", "--executor", "cloud"], "'local', 'dask'; see farlink sweep --help"),
        (["rum"], "rum"),
        (["list", "nothing"], "lists:"),
        (["explain", "."], "--out"),
    ],
)
def test_bad_usage_is_one_message_and_status_two(farlink: Cli, link: Path, arguments: list[str], expected: str) -> None:
    message = refused(farlink, *(argument.replace("{link}", str(link)) for argument in arguments))
    assert expected in message
    assert message.startswith("farlink: ")
    assert message.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "kind", "lines", "place", "expected"),
    [
        ("rate.csv", "csv", "time_s,rate_bps\n0,1000000\n1,fast\n", "rate.csv:3:1", "write lines of time_s,rate_bps"),
        ("rate.csv", "csv", "0,1000000\n2,500000\n1,1000000\n", "rate.csv:3:1", "times must increase"),
        ("cell.trace", "mahimahi", "1\n2\nthree\n", "cell.trace:3:1", "write one millisecond a line"),
        ("cell.trace", "mahimahi", "2\n1\n", "cell.trace:2:1", "must not decrease"),
    ],
)
def test_a_bad_line_in_a_trace_is_pointed_at(
    farlink: Cli, link: Path, tmp_path: Path, name: str, kind: str, lines: str, place: str, expected: str
) -> None:
    (tmp_path / name).write_text(lines)
    link.write_text(LINK.replace('rate = "10 Mbit/s"', f'rate = {{ {kind} = "{name}" }}'))
    message = refused(farlink, "run", link)
    assert place in message.splitlines()[0]
    assert "links.0.rate" in message
    assert expected in message


def test_a_scenario_that_is_not_text_is_refused(farlink: Cli, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe")
    assert "UTF-8" in refused(farlink, "run", "bad.toml")


@pytest.mark.parametrize(
    "place", ["{link}/below/s", "/proc/below/s", "/proc/s", "/sys/s", "loop/s", "n" * 10_000, "d/" * 3000 + "s"]
)
@pytest.mark.parametrize(
    "command",
    [
        ["run", "{link}", "--out", "{place}"],
        ["run", "{link}", "--series", "{place}.csv"],
        ["run", "{link}", "--plot", "{place}.png"],
        ["run", "{link}", "--pcap", "{place}.pcap"],
        ["run", "{link}", "--trace", "{place}.tr"],
        ["run", "{link}", "--animate", "{place}.html"],
        ["movement", "{link}", "--out", "{place}"],
        ["sweep", "sweep.toml", "--out", "{place}"],
        ["tune", "{link}", "--param", "flows.0.tcp.max_window=1..2 packets", "--out", "{place}"],
        ["tune", "{link}", "--param", "flows.0.tcp.max_window=1..2 packets", "--plot", "{place}.png"],
        ["study", "run", "satellite", "--out", "{place}"],
        ["study", "report", "satellite", "--to", "{place}"],
        ["plot", "store", "--kind", "cdf", "-o", "{place}.png"],
    ],
    ids=" ".join,
)
def test_a_place_that_cannot_be_written_is_refused_before_anything_runs(
    link: Path, tmp_path: Path, farlink: Cli, command: list[str], place: str
) -> None:
    (tmp_path / "loop").symlink_to("loop")
    # What ran before the refusal would run for long.
    link.write_text(LINK.replace('"5 s"', '"1000 h"'))
    (tmp_path / "sweep.toml").write_text('scenario = "link.toml"\n')
    place = place.replace("{link}", str(link))
    arguments = [each.replace("{link}", str(link)).replace("{place}", place) for each in command]
    done = farlink(*arguments)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith(f"farlink: {place}"[:1000])
    assert done.stderr.count("\n") == 1
    assert {each.name for each in tmp_path.iterdir()} == {"link.toml", "loop", "sweep.toml"}


def small_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


@pytest.mark.parametrize(("option", "name"), [("--pcap", "f.pcap"), ("--series", "s.csv"), ("--plot", "p.svg")])
def test_a_disk_that_fills_up_ends_the_run_and_leaves_nothing(
    link: Path, tmp_path: Path, option: str, name: str
) -> None:
    before = sorted(tmp_path.iterdir())
    # A run of a century, if the capture's failure did not end it.
    duration = "duration=36500 h" if option == "--pcap" else "duration=60 s"
    settings = [
        "--warn-above",
        "1e15",
        "--set",
        duration,
        "--set",
        "record.interval=10 ms" if option != "--pcap" else "seed=1",
    ]
    command = [sys.executable, "-m", "farlink", "run", str(link), *settings, option, name]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, preexec_fn=small_disk, timeout=PATIENCE_S
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"farlink: {name}: ")
    assert done.stderr.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_output_that_nobody_takes_is_status_one_without_traceback(link: Path, tmp_path: Path) -> None:
    command = f"{sys.executable} -m farlink run {link} --json"
    for sink in (">/dev/full", ">&-"):
        done = subprocess.run(
            ["sh", "-c", f"{command} {sink}"], capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE_S
        )
        assert done.returncode in (0, 1)
        assert "Traceback" not in done.stderr


def test_a_series_too_long_for_memory_is_refused_before_the_run(farlink: Cli, link: Path) -> None:
    message = refused(farlink, "run", link, "--set", "record.interval=1 ns", "--series", "s.csv")
    assert "set record.interval to 501 ns or more" in message


@pytest.mark.parametrize("option", ["--out", "--pcap", "--trace", "--animate", "--series", "--plot"])
def test_an_empty_name_is_refused(farlink: Cli, link: Path, option: str) -> None:
    done = farlink("run", link, option, "")
    assert done.returncode == 2
    assert f"Invalid value for '{option}': an empty name" in done.stderr


@pytest.mark.parametrize(
    ("option", "setting"),
    [
        (("--cc", "bbr"), "--set 'flows.*.tcp.congestion_control=bbr'"),
        (("--congestion-control=bbr",), "--set 'flows.*.tcp.congestion_control=bbr'"),
        (("--bandwidth", "-q"), "--set links.0.rate=VALUE"),
    ],
)
def test_an_option_of_another_tool_is_refused_with_the_key_to_set(
    farlink: Cli, option: tuple[str, ...], setting: str
) -> None:
    assert f"; write {setting}; see" in refused(farlink, "run", "dumbbell", *option)


def test_the_key_that_is_named_is_one_of_every_flow(farlink: Cli) -> None:
    message = refused(farlink, "sweep", "dumbbell", "--cc", "reno,bbr")
    suggested = shlex.split(message.partition("; write ")[2].partition("; see")[0])
    assert suggested == ["--vary", "flows.*.tcp.congestion_control=reno,bbr"]
    shown = farlink("show", "dumbbell", "--resolved", "--set", suggested[1].replace("reno,", ""))
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.count('name = "bbr"') == shown.stdout.count("[[flows]]") > 1


def test_a_number_sets_the_limit_of_the_default_queue(farlink: Cli, tmp_path: Path) -> None:
    lines = [line for line in LINK.splitlines() if not line.startswith("queue")]
    (tmp_path / "plain.toml").write_text("\n".join(lines))
    done = farlink("show", "plain.toml", "--resolved", "--set", "links.0.queue.limit=100")
    assert done.returncode == 0, done.stderr
    assert 'queue = { name = "drop_tail", limit = "100 packets" }' in done.stdout


@pytest.mark.parametrize(
    "mistake", [("--show", "goodputt"), ("--show", "completion:q95"), ("--where", "flow=web*"), ("--where", "flow=x")]
)
def test_a_mistaken_question_of_a_sweep_is_refused_before_anything_runs(
    farlink: Cli, link: Path, tmp_path: Path, mistake: tuple[str, str]
) -> None:
    store = tmp_path / "store"
    refused(farlink, "sweep", link, "--vary", "links.0.delay=5 ms,9 ms", "--seeds", "1", "--out", store, *mistake)
    assert not store.exists()


def test_a_sweep_whose_question_fails_afterwards_says_where_its_runs_are(farlink: Cli, link: Path) -> None:
    vary = ("--vary", "links.0.delay=5 ms,9 ms", "--seeds", "1", "--out", "kept")
    assert "kept in kept" in refused(farlink, "sweep", link, *vary, "--label", "nonsense=x")
    right = farlink("sweep", link, *vary, "--show", "goodput:p50,jain,limited_by_network", "--where", "flow=transf*")
    assert "2 of 2 runs found" in right.stderr
