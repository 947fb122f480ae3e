"""Every congestion control by every recovery and buffer on a clean bottleneck; `make verify-utilisation` runs more."""

import json
from operator import sub
from pathlib import Path

import pytest
from measure_utilisation import BOTTLENECKS, RECORDED, registered, sawtooth, short_runs, utilisations

# Without marks DCTCP and Prague are Reno.
pytestmark = pytest.mark.filterwarnings("ignore:.*no queue on the path of .* marks:UserWarning")


def test_no_control_with_any_recovery_and_buffer_loses_utilisation(tmp_path: Path) -> None:
    before, now = json.loads(RECORDED.read_text()), short_runs(tmp_path)
    assert before.keys() == now.keys()
    lower = {row: (before[row], now[row]) for row in now if min(map(sub, now[row], before[row])) < -3}
    assert lower == {}


def test_every_control_with_sack_fills_a_bottleneck_with_a_buffer_of_one_bdp(tmp_path: Path) -> None:
    # TCP-LP backs off before the queue is full; what its paper claims is in crates/scenario/tests/scenarios/sharing.rs.
    controls = [control for control in registered("congestion_control") if control != "lp"]
    measured = utilisations(BOTTLENECKS[0], controls, ["sack", "rack"], [1.0], tmp_path, duration_s=60)
    assert len(measured) == 2 * len(controls) >= 18
    low = {pair: share for pair, share in measured.items() if share < 0.9}
    assert low == {}


def test_newreno_does_not_cycle_through_timeouts(tmp_path: Path) -> None:
    measured = utilisations(BOTTLENECKS[0], ["reno", "cubic", "bic"], ["newreno"], [1.0, 4.0], tmp_path)
    assert min(measured.values()) > 0.9


def test_reno_with_a_small_buffer_comes_near_its_sawtooth(tmp_path: Path) -> None:
    measured = utilisations(BOTTLENECKS[1], ["reno"], ["sack"], [0.25, 0.5], tmp_path)
    for (_, _, buffer), share in measured.items():
        assert sawtooth(buffer) - 0.02 < share <= sawtooth(buffer) + 0.02, buffer
