"""Runs in which nothing arrived: tables, comparisons, figures and tunings say at which points, and in how many runs."""

from pathlib import Path

import farlink as fl
import pytest
from conftest import Command

pytestmark = pytest.mark.filterwarnings("ignore::farlink.ScenarioWarning")

DELAY = "links.0.delay"
# The queue drops half of the datagrams; none arrives before the run ends if the delay is longer than the run.
VOICE = """
name = "voice"
duration = "2 s"
nodes = [{ name = "a" }, { name = "b" }]
links = [{ between = ["a", "b"], rate = "1 Mbit/s", delay = "20 ms" }]
"""
FLOW = """
[[flows]]
label = "call"
from = "a"
to = "b"
application = { name = "constant_bit_rate", rate = "2 Mbit/s" }
"""
WEB = """
[[workloads]]
label = "web"
from = "a"
to = "b"
arrivals = { name = "schedule", flows = [["0.1 s", "50 kB"], ["0.2 s", "25 kB"]] }
"""
OPEN = "datagrams in flight at the end count as sent, not as lost"


def swept(text: str, folder: Path, delays: list[str]) -> fl.Results:
    path = folder / "voice.toml"
    path.write_text(text)
    return fl.sweep(path, {DELAY: delays}, seeds=2).run(out=folder / "store")


@pytest.fixture(scope="module")
def dead(tmp_path_factory: pytest.TempPathFactory) -> fl.Results:
    return swept(VOICE + FLOW, tmp_path_factory.mktemp("dead"), ["20 ms", "20 s"])


def title_of(figure: object) -> str:
    return " ".join(figure.axes[0].get_title(loc="left").split())  # type: ignore[attr-defined]


def test_a_point_at_which_no_packet_arrived_is_named_with_its_runs(dead: fl.Results) -> None:
    said = "no packet arrived: call in 2 of 2 runs (links.0.delay 20 s)"
    for made in (dead.summary(["goodput"]), dead.compare(DELAY), dead.compare(DELAY, "total_goodput")):
        assert said in made.caption and OPEN not in made.caption
        assert said in made.render("latex")
    assert said in title_of(dead.plot(DELAY, "goodput"))
    assert "no packet arrived" not in dead.summary(["goodput"], where={DELAY: "20 ms"}).caption
    renamed = dead.summary(["goodput"], labels={DELAY: "orbit", "20 s": "too far"}).caption
    assert "call in 2 of 2 runs (orbit too far)" in renamed


def test_a_loss_rate_without_arrivals_says_that_datagrams_in_flight_are_not_lost(dead: fl.Results) -> None:
    rows = {row["links.0.delay_s"]: row for row in dead.flows.to_pylist()}
    assert rows[20.0]["packets_delivered"] == 0 and 0 < rows[20.0]["loss_rate"] < 1
    said = f"call in 2 of 2 runs (links.0.delay 20 s); {OPEN}"
    assert said in dead.summary(["loss_rate"]).caption and said in dead.compare(DELAY, "loss_rate").caption
    assert OPEN not in dead.summary(["loss_rate"], where={DELAY: "20 ms"}).caption


def test_a_flow_of_which_nothing_arrived_anywhere_is_named_once(tmp_path: Path, command: Command) -> None:
    results = swept(VOICE + FLOW, tmp_path, ["10 s", "20 s"])
    assert "no packet arrived: call in all 4 runs" in results.summary(["goodput"]).caption
    _, _, err = command("compare", str(results.folder), "--by", DELAY, "--measure", "loss_rate")
    assert f"no packet arrived: call in all 4 runs; {OPEN}" in err


def test_runs_of_some_seeds_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "lossy.toml"
    path.write_text(VOICE.replace('"20 ms"', '"20 ms", error = { name = "packet_error_rate", rate = 0.5 }') + FLOW)
    path.write_text(path.read_text().replace('rate = "2 Mbit/s"', 'rate = "4 kbit/s"'))
    results = fl.sweep(path, seeds=12).run(out=tmp_path / "store")
    nothing = sum(row["packets_delivered"] == 0 for row in results.flows.to_pylist())
    assert 0 < nothing < 12
    assert f"no packet arrived: call in {nothing} of 12 runs" in results.summary(["goodput"]).caption


def test_a_tuning_says_at_which_points_nothing_arrived(tmp_path: Path) -> None:
    path = tmp_path / "voice.toml"
    path.write_text(VOICE + FLOW)
    tuning = fl.tune(path, {DELAY: ["20 ms", "20 s"]}, minimize="loss_rate", seeds=3)
    tuned = tuning.run(out=tmp_path / "store")
    assert "no packet arrived: call in 3 of 3 runs (links.0.delay 20 s)" in tuned.table.caption


LOSSY = VOICE.replace('"20 ms" }', '"20 ms", error = { name = "packet_error_rate", rate = 0.05 } }')


@pytest.mark.parametrize(
    ("traffic", "goal"),
    [
        (FLOW, {"minimize": "loss_rate"}),
        (FLOW, {"minimize": "packets_lost"}),
        (FLOW, {"minimize": "loss_rate", "flow": "call"}),
        (FLOW, {"maximize": "sent_bps"}),
        (FLOW, {"minimize": "packets_reordered"}),
        (FLOW.replace('{ name = "constant_bit_rate", rate = "2 Mbit/s" }', '"bulk"'), {"minimize": "timeouts"}),
        (WEB, {"minimize": "workloads.web.packets_retransmitted"}),
        (WEB, {"minimize": "workloads.web.timeouts"}),
    ],
)
def test_a_point_at_which_nothing_arrived_does_not_win(tmp_path: Path, traffic: str, goal: dict[str, str]) -> None:
    (tmp_path / "lossy.toml").write_text(LOSSY + traffic)
    measure = goal.get("minimize") or goal["maximize"]
    tuning = fl.tune(tmp_path / "lossy.toml", {DELAY: ["20 s", "20 ms"]}, seeds=3, **goal)  # type: ignore[arg-type]
    for _ in range(2):  # the second time from the store
        tuned = tuning.run(out=tmp_path / "store")
        best, dead = tuned.document["points"]
        assert tuned.best == best["settings"] == {DELAY: "20 ms"}
        assert best["worst_because"] is None and dead["value"] is None and not dead["finished"]
        what = "of which no payload arrived" if "." in measure else "with a flow of which no packet arrived"
        assert dead["worst_because"] == f"a run without {measure}, or {what}; let it run longer"
        assert f"1 of 2 points count as worst, for each has {dead['worst_because']}" in tuned.table.caption


def test_where_nothing_arrives_at_any_point_a_tuning_has_no_best_one(tmp_path: Path) -> None:
    (tmp_path / "voice.toml").write_text(VOICE + FLOW)
    tuning = fl.tune(tmp_path / "voice.toml", {DELAY: ["10 s", "20 s"]}, minimize="loss_rate", seeds=3)
    with pytest.raises(fl.UsageError, match="at every point there is a run without loss_rate, or with a flow of which"):
        tuning.run(out=tmp_path / "store")


def test_a_measure_of_what_arrived_has_a_value_where_nothing_did(tmp_path: Path) -> None:
    (tmp_path / "voice.toml").write_text(VOICE + FLOW)
    tuning = fl.tune(tmp_path / "voice.toml", {DELAY: ["20 ms", "20 s"]}, minimize="goodput_bps", seeds=3)
    tuned = tuning.run(out=tmp_path / "store")
    assert tuned.best == {DELAY: "20 s"}
    assert all(point["worst_because"] is None for point in tuned.document["points"])


def test_a_workload_without_received_payload_is_named(tmp_path: Path, command: Command) -> None:
    measure = "workloads.web.completed"
    results = swept(VOICE + WEB, tmp_path, ["20 ms", "20 s"])
    said = "no payload arrived: web in 2 of 2 runs (links.0.delay 20 s)"
    assert said in results.summary([measure]).caption and said in results.compare(DELAY, measure).caption
    _, _, err = command("run", str(tmp_path / "voice.toml"), "--set", f"{DELAY}=20 s")
    assert "web: no payload arrived of its 2 flows" in err
    assert "no payload arrived" not in command("run", str(tmp_path / "voice.toml"))[2]
