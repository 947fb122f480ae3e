import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path

import farlink as fl
import pytest


class Reno:
    """RFC 5681, as the engine's own `reno` has it."""

    def on_ack(self, view: fl.CongestionView) -> None:
        if not view.may_grow:
            return
        acked = view.acked
        if view.cwnd < view.ssthresh:
            growth = min(acked, 1.0, view.ssthresh - view.cwnd)
            view.cwnd += growth
            acked = 0.0 if view.cwnd < view.ssthresh else acked - growth
        view.cwnd += min(acked, 1.0) / view.cwnd

    def on_congestion(self, view: fl.CongestionView) -> None:
        if not view.repeated:
            view.ssthresh = max(view.flight / 2.0, 2.0)
        view.cwnd = 1.0 if view.kind == "timeout" else view.ssthresh


def test_reno_in_python_gives_renos_numbers(link: Path) -> None:
    own = fl.load(link).set("flows.0.tcp.congestion_control", "reno").run(seed=1)
    plugged = fl.load(link).run(seed=1, congestion_control={"transfer": Reno})
    assert plugged.flows.equals(own.flows)
    assert plugged.series.equals(own.series)


def test_a_class_can_be_set_like_a_name(link: Path) -> None:
    by_set = fl.load(link).set("flows.0.tcp.congestion_control", Reno).run(seed=1)
    by_number = fl.load(link).run(seed=1, congestion_control={0: Reno})
    assert by_set.flows.equals(by_number.flows)


def test_a_name_plugs_like_a_class(link: Path) -> None:
    by_name = fl.load(link).run(seed=1, congestion_control={"transfer": "hybla"})
    by_set = fl.load(link).set("flows.0.tcp.congestion_control", "hybla").run(seed=1)
    assert by_name.flows.equals(by_set.flows)
    assert by_name.provenance == by_set.provenance


def test_threads_do_not_change_the_numbers(link: Path) -> None:
    scenario = fl.load(link).set("flows.0.tcp.congestion_control", Reno)
    assert scenario.run(seeds=[1, 2, 3], jobs=3).flows.equals(scenario.run(seeds=[1, 2, 3], jobs=1).flows)


class Constant:
    """Ten segments, whatever happens; keeps what it saw."""

    every = "rtt"
    seen: list[tuple[float, float, float | None]]

    def __init__(self) -> None:
        Constant.seen = []

    def on_start(self, view: fl.CongestionView) -> None:
        view.cwnd = 10.0

    def on_ack(self, view: fl.CongestionView) -> None:
        Constant.seen.append((view.now_s, view.acked, view.rtt_s))

    def on_congestion(self, view: fl.CongestionView) -> None:
        view.ssthresh = 10.0
        view.cwnd = 10.0


def test_a_member_is_called_once_per_round_trip_if_it_asks(link: Path) -> None:
    lossless = fl.load(link).set("links.0.error", "none")
    run = lossless.run(seed=1, congestion_control={"transfer": Constant})
    rounds = len(Constant.seen)
    rtt_s = run.flows["rtt_mean_s"][0].as_py()
    assert 0.5 * 5.0 / rtt_s < rounds <= 5.0 / rtt_s
    acked = sum(acked for _, acked, _ in Constant.seen)
    assert acked == pytest.approx(run.flows["packets_delivered"][0].as_py(), rel=0.02)
    assert max(each for each in run.series["cwnd_segments"].to_pylist() if each) == 10.0


class Broken(Reno):
    def on_congestion(self, view: fl.CongestionView) -> None:
        raise ZeroDivisionError("halved once too often")


def test_an_exception_ends_the_run_with_its_traceback(link: Path) -> None:
    with pytest.raises(ZeroDivisionError, match="halved once too often") as raised:
        fl.load(link).run(seed=1, congestion_control={"transfer": Broken})
    assert "on_congestion" in "".join(traceback.format_tb(raised.value.__traceback__))


class Nonsense(Reno):
    def on_ack(self, view: fl.CongestionView) -> None:
        view.cwnd = float("nan")


def test_a_window_that_is_no_number_is_refused_where_it_is_set(link: Path) -> None:
    with pytest.raises(ValueError, match="cwnd"):
        fl.load(link).run(seed=1, congestion_control={"transfer": Nonsense})


@pytest.mark.parametrize(
    ("flow", "factory", "expected"),
    [
        ("transfr", Reno, "there is no flow"),
        (3, Reno, "there is no flow"),
        ("transfer", 5, "give a name or a class"),
    ],
)
def test_a_wrong_plug_is_refused(link: Path, flow: str | int, factory: object, expected: str) -> None:
    with pytest.raises(fl.UsageError, match=expected):
        fl.load(link).run(seed=1, congestion_control={flow: factory})  # type: ignore[dict-item]


def test_a_class_without_the_methods_is_refused(link: Path) -> None:
    with pytest.raises(TypeError, match="on_ack"):
        fl.load(link).run(seed=1, congestion_control={"transfer": dict})


class Misspelt(Reno):
    def on_strat(self, view: fl.CongestionView) -> None:
        view.cwnd = 30.0


class WithRest(Reno):
    on_the_way = 0.5

    def on_start(self, view: fl.CongestionView) -> None:
        pass

    def _on_round(self) -> None:
        pass


def test_a_method_that_is_never_called_is_refused_with_the_near_name(link: Path) -> None:
    plugs: list[dict[str | int, Callable[[], object]]] = [
        {"transfer": Misspelt},
        {"*": Misspelt},
        {0: partial(Misspelt)},
    ]
    for congestion_control in plugs:
        with pytest.raises(fl.UsageError, match=r"Misspelt has a method on_strat, .*`on_start`"):
            fl.load(link).run(seed=1, congestion_control=congestion_control)
    with pytest.raises(fl.UsageError, match="on_strat"):
        fl.load(link).set("flows.*.tcp.congestion_control", Misspelt).run(seed=1)
    with pytest.raises(fl.UsageError, match="on_strat"):
        fl.sweep(fl.load(link), {"flows.0.tcp.congestion_control": ["reno", Misspelt]}, seeds=1).run()
    with pytest.raises(fl.UsageError, match=r"on_acc.*`on_ack`"):
        fl.load(link).run(seed=1, congestion_control={0: type("Acc", (), {"on_acc": lambda *_: None})})


def test_methods_of_other_names_and_values_are_its_own(link: Path) -> None:
    plugged = fl.load(link).run(seed=1, congestion_control={"transfer": WithRest})
    assert plugged.flows.equals(fl.load(link).run(seed=1, congestion_control={"transfer": Reno}).flows)


def test_provenance_names_the_class_and_its_source(link: Path) -> None:
    provenance = fl.load(link).run(seed=1, congestion_control={"transfer": Reno}).provenance
    identity = provenance["congestion_control"]["transfer"]
    assert identity["name"].endswith(":Reno")
    assert len(identity["sha256"]) == 64


@pytest.mark.parametrize("name", ["cwnd", "ssthresh", "pacing_rate_bps"])
def test_what_is_no_number_is_named(link: Path, name: str) -> None:
    class Wordy:
        def on_ack(self, view: fl.CongestionView) -> None:
            setattr(view, name, "12")

        def on_congestion(self, view: fl.CongestionView) -> None:
            pass

    with pytest.raises(TypeError, match=f"{name} = '12' is not a number"):
        fl.load(link).run(seed=1, congestion_control={"transfer": Wordy})
