"""Tuning the window of a 4-hop chain against a sweep over all windows; the long form is `make verify-tuning`."""

import statistics

import farlink as fl
from measure_tuning import AODV, TUNINGS, WITHIN, Case, sweep, tunings


def test_tunings_come_near_the_best_window_in_half_the_runs_of_a_sweep(tmp_path):
    base = fl.load("chain_80211").set("routing", AODV).set("duration", "5 s")
    case = Case("4 hops, AODV", base, windows=10, trials=10)
    values = sweep(case, 20, tmp_path / "sweep")
    truth = {window: statistics.fmean(each) for window, each in values.items()}
    # There is something to lose: a window of 10 does much worse.
    assert min(truth.values()) < 0.85 * max(truth.values())
    outcomes = tunings(case, truth, tmp_path / "tune")
    assert len(outcomes) == TUNINGS == 20
    assert sum(outcome.regret <= WITHIN for outcome in outcomes) >= 18
    assert max(outcome.runs for outcome in outcomes) <= sum(map(len, values.values())) / 2
