import csv
import io
import json
import os
import pty
import subprocess
import sys
from itertools import product
from pathlib import Path

import pyarrow.parquet
import pytest
from conftest import PATIENCE_S, Cli
from farlink.cli import terminal
from farlink.cli.terminal import print_table
from farlink.runs.grid import Grid
from rich.console import Console

FLOW_KEYS = [
    "flow",
    "seed",
    "start_s",
    "throughput_bps",
    "goodput_bps",
    "delay_mean_s",
    "delay_p50_s",
    "delay_p95_s",
    "delay_p99_s",
    "rtt_min_s",
    "rtt_mean_s",
    "rtt_max_s",
    "timer_rtt_max_s",
    "packets_sent",
    "packets_delivered",
    "packets_retransmitted",
    "needless_retransmissions",
    "packets_reordered",
    "packets_discarded",
    "reverse_packets_repeated",
    "delivery_ratio",
    "timeouts",
    "fast_retransmits",
    "freezes",
    "route_probes",
    "size_bytes",
    "received_bytes",
    "completion_s",
    "drops",
    "discarded",
    "failed_attempts",
    "limited_by",
    "bottleneck",
    "bottleneck_utilisation",
    "sent_bps",
    "packets_lost",
    "loss_rate",
    "delay_variation_mean_s",
    "jitter_mean_s",
    "jitter_max_s",
]
LIMITS = [
    "handshake",
    "application",
    "congestion_window",
    "receive_window",
    "max_window",
    "recovery",
    "timeout",
    "pacing",
    "frozen",
]


def document(farlink: Cli, *arguments: object) -> dict:
    done = farlink("run", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def timeless(made: dict) -> dict:
    engine = {key: value for key, value in made["engine"].items() if key != "cpu_s"}
    return {**made, "engine": engine}


def test_json_is_one_document_with_the_keys_of_the_contract(farlink: Cli, link: Path) -> None:
    made = document(farlink, link, "--seeds", "1..3")
    keys = [
        "schema",
        "farlink",
        "scenario",
        "seeds",
        "warnings",
        "flows",
        "workloads",
        "drops",
        "drops_by_node",
        "failed_attempts",
        "ledger",
        "links",
        "stations",
        "airtime",
        "hops",
        "jain",
        "engine",
    ]
    assert list(made) == keys
    assert (made["schema"], made["scenario"], made["seeds"]) == (2, "link", [1, 2, 3])
    assert [list(flow) for flow in made["flows"]] == [FLOW_KEYS] * 3
    assert [flow["seed"] for flow in made["flows"]] == [1, 2, 3]
    assert list(made["engine"]) == ["events", "cpu_s", "sim_s"]
    assert made["engine"]["sim_s"] == pytest.approx(15.0)
    assert 0 < made["engine"]["cpu_s"] < 60
    assert {link["seed"] for link in made["links"]} == {1, 2, 3}


def test_time_is_fully_accounted_for(farlink: Cli, link: Path) -> None:
    for flow in document(farlink, link, "--seeds", "1..3")["flows"]:
        assert list(flow["limited_by"]) == LIMITS
        assert sum(flow["limited_by"].values()) == pytest.approx(1.0)


def test_drops_are_summed_over_the_seeds(farlink: Cli, link: Path) -> None:
    together = document(farlink, link, "--seeds", "1..3")["drops"]
    apart = [document(farlink, link, "--seed", seed)["drops"] for seed in (1, 2, 3)]
    assert sum(together.values()) > 0
    assert together == {cause: sum(each.get(cause, 0) for each in apart) for cause in together}


def test_the_scenarios_own_seed_is_the_default(farlink: Cli, link: Path) -> None:
    assert document(farlink, link)["seeds"] == [7]


def test_seeds_can_be_listed(farlink: Cli, link: Path) -> None:
    assert document(farlink, link, "--seeds", "1,5..6")["seeds"] == [1, 5, 6]
    assert document(farlink, link, "--seeds", "3")["seeds"] == [1, 2, 3]
    assert document(farlink, link, "--seed", "3")["seeds"] == [3]


def test_the_same_seed_gives_the_same_numbers_with_any_number_of_jobs(farlink: Cli, link: Path) -> None:
    arguments = (link, "--seeds", "1..6")
    once = timeless(document(farlink, *arguments))
    assert once == timeless(document(farlink, *arguments, "--jobs", 1))
    assert once == timeless(document(farlink, *arguments, "--jobs", 6))


def test_a_document_is_equal_byte_for_byte_on_one_and_two_threads(farlink: Cli) -> None:
    arguments = ("run", "satellite", "--seeds", "1..8", "--set", "duration=60 s", "--json", "--jobs")

    def text(jobs: int) -> list[str]:
        done = farlink(*arguments, jobs)
        assert done.returncode == 0, done.stderr
        lines: list[str] = done.stdout.splitlines()
        # The one number that is measured on a real clock.
        (timed,) = [line for line in lines if "cpu_s" in line]
        lines.remove(timed)
        return lines

    one = text(1)
    assert one == text(2) == text(2)


def test_a_file_over_link_and_radio_arrives_with_the_hash_it_left_with(farlink: Cli) -> None:
    made = document(farlink, "gateway", "--seeds", "1..2")
    for flow in made["flows"]:
        assert flow["completion_s"] is not None
        assert len(flow["sent_sha256"]) == 64
        assert flow["received_sha256"] == flow["sent_sha256"]
    assert "radio:gateway" in {link["link"] for link in made["links"]}


def test_the_parts_of_a_channel_are_listed(farlink: Cli) -> None:
    for kind, name in [("mac", "aloha"), ("propagation", "disc"), ("routing", "shortest_path")]:
        assert name in farlink("list", kind).stdout


def test_files_are_equal_byte_for_byte_on_a_second_run(farlink: Cli, link: Path, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        assert farlink("run", link, "--out", folder, "--seeds", "1..4").returncode == 0
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert names == [
        "SHA256SUMS",
        "airtime.parquet",
        "arrivals.parquet",
        "drops.parquet",
        "explanation.json",
        "flows.parquet",
        "hops.parquet",
        "ledger.parquet",
        "link_series.parquet",
        "links.parquet",
        "provenance.json",
        "run.json",
        "scenario.toml",
        "series.parquet",
        "stations.parquet",
        "workloads.parquet",
    ]
    for name in set(names) - {"run.json", "SHA256SUMS"}:  # the CPU time is in one, its checksum in the other
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_the_resolved_scenario_gives_the_same_numbers(farlink: Cli, link: Path, tmp_path: Path) -> None:
    assert farlink("run", link, "--out", "a").returncode == 0
    first = json.loads((tmp_path / "a" / "run.json").read_text())
    assert document(farlink, "a/scenario.toml")["flows"] == first["flows"]


def test_set_changes_the_scenario(farlink: Cli, link: Path) -> None:
    slow = document(farlink, link, "--set", "links.0.rate=1 Mbit/s")
    fast = document(farlink, link)
    assert slow["flows"][0]["goodput_bps"] < 1e6 < fast["flows"][0]["goodput_bps"]


def test_series_come_as_csv_and_parquet_with_the_same_rows(farlink: Cli, link: Path, tmp_path: Path) -> None:
    for name in ("s.csv", "s.parquet"):
        assert farlink("run", link, "--series", name, "--seeds", "1,2").returncode == 0
    table = pyarrow.parquet.read_table(tmp_path / "s.parquet")
    with (tmp_path / "s.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert table.num_rows == len(rows) > 2 * 40
    assert table.column_names == list(rows[0])
    assert {"seed", "time_s", "flow", "cwnd_segments", "srtt_s"} <= set(rows[0])
    assert set(table["seed"].to_pylist()) == {1, 2}
    # A reader that guesses from the first rows takes `10` for a column of integers.
    assert rows[0]["cwnd_segments"] == "10.0"
    assert rows[0]["ssthresh_segments"] == ""
    assert float(rows[-1]["srtt_s"]) == table["srtt_s"][-1].as_py()


@pytest.mark.parametrize(("name", "magic"), [("p.png", b"\x89PNG"), ("p.svg", b"<?xml"), ("p.pdf", b"%PDF")])
def test_plots_are_written_in_three_formats(farlink: Cli, link: Path, tmp_path: Path, name: str, magic: bytes) -> None:
    done = farlink("run", link, "--plot", name, "--seeds", "1,2")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / name).read_bytes().startswith(magic)


def test_the_table_shows_intervals_and_no_colour_in_a_file(farlink: Cli, link: Path) -> None:
    done = farlink("run", link, "--seeds", "1..3")
    assert done.returncode == 0
    assert "transfer" in done.stdout
    assert "±" in done.stdout
    assert "95 % CI" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def on_a_terminal(*arguments: object, **environment: str) -> str:
    """What a user sees: both streams of the command on a pseudo-terminal."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "farlink", *map(str, arguments)]
    env = {**os.environ, "TERM": "xterm-256color", **environment}
    with subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, env=env) as process:
        os.close(follower)
        seen = b""
        try:
            while chunk := os.read(leader, 4096):
                seen += chunk
        except OSError:  # how Linux says that the other side was closed
            pass
        assert process.wait(timeout=PATIENCE_S) == 0
    os.close(leader)
    return seen.decode()


def test_no_color_is_honoured_on_a_terminal(link: Path) -> None:
    seen = on_a_terminal("run", link, "--seeds", "1..2", NO_COLOR="1")
    assert "transfer" in seen
    assert "\x1b[3" not in seen


def test_a_terminal_shows_progress_and_a_file_does_not(farlink: Cli, link: Path) -> None:
    long = ("--set", "duration=4000 s", "--seeds", "1..2", "--json")
    assert "%" in on_a_terminal("run", link, *long).split("{")[0]
    assert farlink("run", link, *long).stderr == ""


def test_a_short_run_shows_no_progress(farlink: Cli, link: Path) -> None:
    assert on_a_terminal("run", link, "--seeds", "1..2", "--json").startswith("{")
    assert farlink("run", link, "--seeds", "1..2", "--json").stderr == ""


def test_a_reader_that_leaves_gives_no_traceback(link: Path) -> None:
    command = f"{sys.executable} -m farlink run {link} --seeds 1..300 --json --set 'duration=\"1 s\"' | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.stdout == '{\n  "schem'
    assert done.stderr in ("", "farlink: all 300 seeds gave equal results: nothing random took effect\n")


@pytest.mark.parametrize("is_terminal", [False, True])
@pytest.mark.parametrize("width", [30, 60, 120])
def test_a_table_that_fits_is_what_rich_prints(width: int, is_terminal: bool) -> None:
    headings = ["", "goodput Mbit/s", "dominant limit"]
    rows = [["web*", "12.3 ± 0.4", "recovery 54 %"], ["a", "-", ""]]
    for title, caption in product(("", "link", "t" * 40), ("", "seed 1", "c" * 50)):
        for shown in (rows, [], [["網", "1", "x"]], [["a\n", "1", "x"]]):
            table = Grid(headings, shown, title, caption, (0, 2))
            console = Console(width=width, file=io.StringIO(), force_terminal=is_terminal, highlight=False)
            console.print(table.for_terminal())
            plain = table.plain(width, bold=is_terminal)
            assert plain is None or f"{plain}\n" == console.file.getvalue()
            if shown == rows:
                assert (plain is None) == (width < 36 or len(title) > 36 or len(caption) > 36)


@pytest.mark.parametrize("width", [20, 80, 100, 160])
def test_no_number_of_a_table_is_cut_off(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    headings = ["", "goodput Mbit/s", "mouth to ear ms", "MOS", "dominant limit"]
    rows = [
        ["call", "0.066 ± 0.004", "35 ± 11", "3.87 [2.72, 4.50]", "-"],
        ["upload", "1.1", "-", "-", "recovery 54 %"],
    ] * 2
    rows = [[cell for cell in row[:4] for _ in range(2)] + row[4:] for row in rows]
    headings = [heading for heading in headings[:4] for _ in range(2)] + headings[4:]
    shown = io.StringIO()
    monkeypatch.setattr(terminal, "console", lambda: Console(width=width, file=shown, highlight=False))
    monkeypatch.setenv("FORCE_COLOR", "")  # `rich` prints
    print_table(Grid(headings, rows, words=(0, 8)))
    text = shown.getvalue()
    assert "…" not in text and all(text.count(cell) >= 2 for row in rows for cell in row[:4])
    assert {"goodput", "Mbit/s", "mouth", "dominant", "limit", "recovery"} <= set(text.split())
