"""Arguments of wrong types: every public function refuses them in one line, and runs nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import farlink as fl
import numpy as np
import pytest
from conftest import LINK

WRONG = [None, {}, [], object(), 1.5, b"x", "x", -1, 2**70, True, ["a"], [1.5], [None], {"a": 1}, float("nan"), fl.load]
UNHASHABLE = [value for value in WRONG if isinstance(value, list | dict)]
CALLS: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    "load": (lambda value: fl.load(value), [fl.load]),
    "name": (lambda value: fl.Scenario(value, duration="1 s"), ["x"]),
    "duration": (lambda value: fl.Scenario("x", duration=value), ["x"]),
    "from_dict": (lambda value: fl.Scenario.from_dict(value), [{}, {"a": 1}]),
    "node": (lambda value: fl.load("satellite").node(value), ["x"]),
    "link": (lambda value: fl.load("satellite").link("ground", value, rate="1 Mbit/s", delay="1 s"), ["x"]),
    "flow": (lambda value: fl.load("satellite").flow("ground", "remote", label=value), [None, "x"]),
    "set path": (lambda value: fl.load("satellite").set(value, "1 s"), ["x"]),
    "set text": (lambda value: fl.load("satellite").set_text("duration", value), ["x"]),
    "seed": (lambda value: fl.load("satellite").run(seed=value), [None]),
    "seeds": (lambda value: fl.load("satellite").run(seeds=value), [None]),
    "jobs": (lambda value: fl.load("satellite").run(jobs=value), [None, 2**70]),
    "max_events": (lambda value: fl.load("satellite").run(max_events=value), [None, 2**70]),
    "series": (lambda value: fl.load("satellite").run(series=value), [True]),
    "pcap": (lambda value: fl.load("satellite").run(pcap=value), [None]),
    "pcap_node": (lambda value: fl.load("satellite").run(pcap_node=value), [None]),
    "trace": (lambda value: fl.load("satellite").run(trace=value), [None]),
    "animate": (lambda value: fl.load("satellite").run(animate=value), [None]),
    "animate_window": (lambda value: fl.load("satellite").run(animate_window=value), [None]),
    "congestion_control": (lambda value: fl.load("satellite").run(congestion_control=value), [None, {}]),
    "member": (lambda value: fl.load("satellite").run(congestion_control={0: value}), [fl.load, "x"]),
    "progress": (lambda value: fl.load("satellite").run(progress=value), [None, True, fl.load]),
    "shift": (lambda value: fl.load("manet").ns2_movement(shift=value), []),
    "movement seed": (lambda value: fl.load("manet").ns2_movement(seed=value), [None]),
    "sweep": (lambda value: fl.sweep(value), []),
    "cross": (lambda value: fl.sweep("satellite", value), [None, {}]),
    "cross values": (lambda value: fl.sweep("satellite", {"duration": value}), [["a"], [1.5], [None]]),
    "cross path": (lambda value: fl.sweep("satellite", {value: ["1 s"]}), ["x", *UNHASHABLE]),
    "zip": (lambda value: fl.sweep("satellite", zip=value), [None, {}, []]),
    "sweep seeds": (lambda value: fl.sweep("satellite", seeds=value), []),
    "overrides": (lambda value: fl.sweep("satellite", overrides=value), [[]]),
    "override": (lambda value: fl.sweep("satellite", overrides=[value]), []),
    "when": (lambda value: fl.Override(value, {"duration": "1 s"}), [{}, {"a": 1}]),
    "derive": (lambda value: fl.sweep("satellite", derive=value), [None, {}]),
    "template": (lambda value: fl.sweep("satellite", derive={"duration": value}), ["x"]),
    "sweep series": (lambda value: fl.sweep("satellite", series=value), [True]),
    "half_width": (lambda value: fl.Until(value), [1.5, 2**70]),
    "measure": (lambda value: fl.Until("5 %", measure=value), ["x"]),
    "until flow": (lambda value: fl.Until("5 %", flow=value), [None, "x"]),
    "seeds_at_most": (lambda value: fl.Until("5 %", seeds_at_most=value), [-1, 2**70]),
    "time_at_most": (lambda value: fl.Until("5 %", time_at_most=value), [None]),
    "sweep out": (lambda value: fl.sweep("satellite").run(out=value), [None, "x"]),
    "sweep jobs": (lambda value: fl.sweep("satellite").run(jobs=value), [None, 2**70]),
    "executor": (lambda value: fl.sweep("satellite").run(executor=value), []),
    "scheduler": (lambda value: fl.sweep("satellite").run(scheduler=value), [None]),
    "tune": (lambda value: fl.tune(value, {"flows.0.tcp.max_window": "1..2 packets"}), []),
    "parameters": (lambda value: fl.tune("satellite", value), []),
    "range": (lambda value: fl.tune("satellite", {"flows.0.tcp.max_window": value}), []),
    "trials": (lambda value: tuned(trials=value), [2**70]),
    "tune seeds": (lambda value: tuned(seeds=value), []),
    "log": (lambda value: tuned(log=value), [True]),
    "maximize": (lambda value: tuned(maximize=value), [None]),
    "tuned flow": (lambda value: tuned(flow=value), [None]),
    "store": (lambda value: fl.Results(value), []),
}
"""Calls with one argument, and what they accept of `WRONG`."""


def tuned(**arguments: Any) -> fl.Tuning:
    return fl.tune("satellite", {"flows.0.tcp.max_window": "1..2 packets"}, **arguments)


@pytest.mark.parametrize("name", CALLS)
def test_an_argument_of_a_wrong_type_is_refused_in_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call, accepted = CALLS[name]
    for value in WRONG:
        if any(type(value) is type(each) and repr(value) == repr(each) for each in accepted):
            continue
        with pytest.raises(fl.UsageError) as refused:
            call(value)
        assert "\n" not in str(refused.value)
        assert isinstance(refused.value, ValueError)
    assert list(tmp_path.iterdir()) == []


def test_a_refusal_of_a_type_is_a_type_error_too_and_names_the_argument() -> None:
    for call, message in (
        (lambda: fl.load({}), "name_or_path = {}: give a path"),
        (lambda: fl.load(None), "name_or_path = None: give a path"),
        (lambda: fl.load("satellite").run(seed="a"), "seed = 'a': give a whole number; for several runs give seeds"),
        (
            lambda: fl.load("satellite").run(seed=range(3)),
            "seed = range(0, 3): give a whole number; for several runs give seeds",
        ),
        (lambda: fl.load("satellite").run(seeds=["a"]), "seed = 'a': give a whole number"),
        (lambda: fl.load("satellite").run(jobs="x"), "jobs = 'x': give a whole number"),
        (lambda: fl.load("satellite").set(1, 2), "path = 1: give a text"),
        (
            lambda: fl.Scenario("a", duration="1 s").link("a", "b", rate="1 Mbit/s", dely="1 ms"),
            "link: there is no argument dely; did you mean `delay`?",
        ),
        (
            lambda: fl.Scenario("a", duration="1 s").link("a", "b", rate="1 Mbit/s"),
            "link: missing a required argument: 'delay'",
        ),
        (lambda: fl.Scenario("a"), "Scenario: missing a required argument: 'duration'"),
        (lambda: fl.sweep("satellite", seeds="x"), "seeds = 'x': give a list of whole numbers, or how many"),
    ):
        with pytest.raises(TypeError) as refused:
            call()
        assert str(refused.value) == message
        assert isinstance(refused.value, fl.UsageError)


def test_values_that_no_scenario_can_hold_are_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    for value in (endless, {"a": endless}, object(), 10**5000, b"x", {1, 2}):
        with pytest.raises(fl.UsageError):
            fl.load("satellite").set("duration", value)
    with pytest.raises(fl.ScenarioError, match="unknown key"):
        _ = fl.load("satellite").set("links.0.error", {"name": "none", 'a" = 1, b': 2}).validated


def test_numbers_of_numpy_and_paths_are_taken(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(LINK)
    run = fl.load(tmp_path / "s.toml").set("duration", "1 s").run(seeds=np.arange(1, 3), jobs=np.int64(1))
    assert run.document["seeds"] == [1, 2]
    assert all(type(seed) is int for seed in run.seeds)
    assert fl.sweep(tmp_path / "s.toml", seeds=np.int64(2)).seeds == (1, 2)


def test_a_sweep_that_fits_into_no_memory_is_refused() -> None:
    axis = [f"{1 + index} packets" for index in range(1000)]
    axes = {f"links.{index}.queue.limit": axis for index in range(10)}
    for call in (
        lambda: fl.sweep("satellite", axes),
        lambda: fl.sweep("satellite", seeds=10**12),
        lambda: fl.sweep("satellite", {"links.0.queue.limit": axis}, seeds=2000),
        lambda: fl.load("satellite").run(seeds=range(10**12)),
    ):
        with pytest.raises(fl.UsageError, match=r"at most|more than|1 to"):
            call()
