"""`farlink explain`: the bottleneck first, and advice only where further runs confirm it."""

import json
import re
from pathlib import Path

import farlink as fl
import pytest
from conftest import Cli
from farlink.runs import advice

PAIR = """\
name = "pair"
duration = "10 s"
nodes = [{{ name = "a" }}, {{ name = "b" }}]
[[links]]
between = ["a", "b"]
rate = "{rate}"
delay = "100 ms"
[[flows]]
label = "transfer"
from = "a"
to = "b"
tcp = {{ {tcp} }}
"""


def pair(tmp_path: Path, rate: str, tcp: str) -> Path:
    path = tmp_path / "pair.toml"
    path.write_text(PAIR.format(rate=rate, tcp=tcp))
    return path


def unwrapped(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def test_a_window_that_helps_when_doubled_is_advised_with_both_values(farlink: Cli, tmp_path: Path) -> None:
    done = farlink("explain", pair(tmp_path, "10 Mbit/s", 'max_window = "4 packets"'))
    assert done.returncode == 0, done.stderr
    # 4 segments of 1448 B in a round trip of 200 ms are 232 kbit/s, 8 are 463 kbit/s.
    found = re.search(
        r"Advice: raise flows\.0\.tcp\.max_window from 4 packets to 8 packets: "
        r"goodput ([\d.]+) kbit/s -> ([\d.]+) kbit/s, mean delay \S+ ms -> \S+ ms \(means of 5 seeds\)",
        unwrapped(done.stdout),
    )
    assert found, done.stdout
    assert [float(each) for each in found.groups()] == pytest.approx([227, 450], rel=0.03)


def test_a_receive_buffer_is_advised_in_the_same_way() -> None:
    scenario = fl.Scenario.from_toml(PAIR.format(rate="10 Mbit/s", tcp='receive_buffer = "20 kB"'))
    (trial,) = advice.try_changes(scenario, scenario.run(series=False))
    assert trial.is_confirmed
    assert trial.text.startswith("Advice: raise flows.0.tcp.receive_buffer from 20000 B to 40000 B: goodput ")


def test_nothing_is_advised_that_makes_flows_of_a_workload_take_longer() -> None:
    text = PAIR.format(rate="10 Mbit/s", tcp='max_window = "64 packets"')
    alone = fl.Scenario.from_toml(text)
    (trial,) = advice.try_changes(alone, alone.run(series=False))
    assert trial.is_confirmed
    sizes = ", ".join(f'["{start} s", "1 MB"]' for start in (1, 4))
    arrivals = f'arrivals = {{ name = "schedule", flows = [{sizes}] }}'
    beside = fl.Scenario.from_toml(f'{text}[[workloads]]\nlabel = "web"\nfrom = "a"\nto = "b"\n{arrivals}\n')
    run = beside.run(series=False)
    (trial,) = advice.try_changes(beside, run)
    assert trial.objection.startswith("p95 of the completion times of web rises, ")
    (row,) = [row for row in run.workloads.to_pylist() if row["class"] == "all"]
    assert trial.objection.split()[-5] == f"{row['completion_p95_s']:.3g}"


def test_advice_on_a_queue_is_written_as_it_is_set(farlink: Cli) -> None:
    queue = 'links.2.queue={{ name = "drop_tail", limit = "{}" }}'
    done = farlink("explain", "dumbbell", "--set", queue.format("2 packets"))
    text = unwrapped(done.stdout)
    found = re.search(r"raise links\.2\.queue\.limit from 2 packets to 4 packets: .*? Write (\S+) = (\{.*?\})\.", text)
    assert found, text
    setting = "=".join(found.groups())
    assert setting == queue.format("4 packets")
    assert farlink("run", "dumbbell", "--set", "duration=5 s", "--set", setting).returncode == 0


def test_no_larger_window_is_advised_under_water(farlink: Cli) -> None:
    window = 'flows.0.tcp.max_window="3 packets"'
    done = farlink("explain", "underwater", "--set", window)
    assert done.returncode == 0, done.stderr
    text = unwrapped(done.stdout)
    assert "Advice" not in text
    assert "Not advised: raising flows.0.tcp.max_window from 3 packets to 6 packets gave goodput " in text
    for window in ("1 packets", "4 packets"):
        scenario = fl.load("underwater").set("flows.0.tcp.max_window", window)
        (trial,) = advice.try_changes(scenario, scenario.run(series=False))
        assert not trial.is_confirmed
        assert trial.delay_s[0] is not None and trial.delay_s[1] is not None
        assert trial.delay_s[1] > advice.MOST_DELAY * trial.delay_s[0]


def test_a_saturated_link_is_named_first_and_nothing_is_tried(farlink: Cli) -> None:
    done = farlink("explain", "dumbbell", "--set", "duration=20 s")
    text = unwrapped(done.stdout)
    assert done.returncode == 0, done.stderr
    assert re.search(
        r"first, seed 1 Bottleneck: link left->right, [\d.]+ % busy, shared by 2 flows; this link limits the "
        r"congestion window",
        text,
    ), done.stdout
    assert "dvised" not in text and "Advice" not in text
    first = done.stdout.partition("second, seed 1")[0]
    assert sum(float(share) for share in re.findall(r"│\s+([\d.]+) % │", first)) == pytest.approx(100, abs=0.3)
    table = farlink("run", "dumbbell", "--set", "duration=20 s").stdout
    assert "dominant limit" in table
    assert len(re.findall(r"left->right \d+ % busy", unwrapped(table))) == 2


def test_a_saved_run_and_the_python_api_give_a_diagnosis_only(farlink: Cli, tmp_path: Path) -> None:
    scenario = pair(tmp_path, "10 Mbit/s", 'max_window = "4 packets"')
    assert farlink("run", scenario, "--out", tmp_path / "saved").returncode == 0
    saved = json.loads((tmp_path / "saved" / "explanation.json").read_text())
    assert saved == fl.load(scenario).run(series=False).explanation
    text = unwrapped(farlink("explain", tmp_path / "saved").stdout)
    assert saved[0]["text"] in text
    for word in ("raise", "Advice", "advised"):
        assert word not in text


def test_a_scenario_of_too_many_events_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = fl.Scenario.from_toml(PAIR.format(rate="10 Mbit/s", tcp='max_window = "4 packets"'))
    run = scenario.run(series=False)
    monkeypatch.setattr(advice, "SHORT_EVENTS", 10)
    (trial,) = advice.try_changes(scenario, run)
    assert len(trial.seeds) == advice.FEWEST_SEEDS
    monkeypatch.setattr(advice, "MOST_EVENTS", 10)
    assert advice.try_changes(scenario, run) == []
    assert advice.is_too_long(run)


def test_a_change_that_the_scenario_has_no_place_for_is_not_tried() -> None:
    # The links come from a topology: `links.0.queue` cannot be set.
    scenario = fl.load("chain_wired").set("topology.link.queue", {"name": "drop_tail", "limit": "2 packets"})
    run = scenario.set("duration", "10 s").run(series=False)
    for trial in advice.try_changes(scenario.set("duration", "10 s"), run):
        assert not trial.change.path.startswith("links.")


def test_drops_are_listed_by_place_and_add_up(farlink: Cli) -> None:
    run = fl.load("leo").set("duration", "40 s").run(seed=1, series=False)
    [row], [flow] = run.explanation, run.document["flows"]
    packets = {}
    for each in row["drops"]:
        packets[each["cause"]] = packets.get(each["cause"], 0) + each["packets"]
    assert packets == flow["drops"]
    assert {each["place"] for each in row["drops"]} == {"gateway->terminal", "terminal->gateway"}
    counts = [each["packets"] for each in row["drops"]]
    assert counts == sorted(counts, reverse=True)


def test_explain_prints_drops_by_place_and_json(farlink: Cli) -> None:
    command = ("explain", "leo", "--set", "duration=40 s")
    done = farlink(*command)
    assert done.returncode == 0, done.stderr
    assert "packets dropped at" in done.stdout and "link down" in done.stdout
    made = json.loads(farlink(*command, "--json").stdout)
    [flow] = made["flows"]
    assert flow["flow"] == "download" and flow["advice"] == []
    places = {each["place"] for each in flow["drops"] if each["cause"] == "link_down"}
    assert places == {"gateway->terminal", "terminal->gateway"}
