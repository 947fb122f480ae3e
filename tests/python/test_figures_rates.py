"""No curve of a figure that is a rate is above the rate of its link."""

import random

import farlink as fl
import numpy as np
import pytest
from farlink import _farlink as engine

LINK_BPS = {
    "asymmetric_access": {"download": 20e6, "upload": 1e6},
    "chain_80211": 2e6,
    "chain_wired": 2e6,
    "competition": 20e6,
    "dumbbell": 10e6,
    "frn": 8 * 2 * 1000 / 0.01,
    "gateway": 2e6,
    "gateway_split": {"wire": 10e6, "air": 2e6},
    "leo": 100e6,
    "manet": 11e6,
    "satellite": 100e6,
    "underwater": 150e3,
}
"""The narrowest link of each flow; of FRN, whose frames hold two packets at most, a frame per slot of 10 ms."""
DELAY_FALLS_S = {"leo": 0.013}
"""What was under way when the delay falls arrives within one bin."""
PACKET_BITS = 8 * 1500


def curves_of(run: fl.Run, panel: str, **look: str) -> dict[str, tuple[float, np.ndarray]]:
    """The width of the bins and the values in bit/s of every flow that has a curve."""
    found = {}
    for line in run.plot(panels=[panel], **look).axes[0].get_lines():
        times = np.asarray(line.get_xdata())
        found[str(line.get_label())] = (times[1] - times[0], np.asarray(line.get_ydata()))
    return found


def test_every_built_in_scenario_has_a_bound():
    assert set(LINK_BPS) == {name for name, _, _ in engine.built_in()}


@pytest.mark.parametrize("name", LINK_BPS)
def test_no_delivery_rate_of_a_built_in_scenario_is_above_the_link(name):
    run = fl.load(name).set("duration", "6 s" if name == "manet" else "35 s").run(seed=1)
    curves = curves_of(run, "delivery")
    assert max(values.max() for _, values in curves.values()) > 0
    for flow, (bin_s, values) in curves.items():
        link_bps = LINK_BPS[name]
        if isinstance(link_bps, dict):
            link_bps = next(rate for label, rate in link_bps.items() if len(link_bps) == 1 or label in flow)
        packets = 2 if name == "frn" else 1
        arrived = link_bps * (bin_s + DELAY_FALLS_S.get(name, 0)) + packets * PACKET_BITS
        assert values.max() <= arrived / bin_s, flow


LINK = """
name = "drawn"
duration = "10 s"
[[nodes]]
name = "a"
[[nodes]]
name = "b"
[[links]]
between = ["a", "b"]
rate = "{rate} kbit/s"
delay = "{delay} ms"
queue = {{ name = "drop_tail", limit = "{queue} packets" }}
error = {{ name = "packet_error_rate", rate = {loss} }}
[[flows]]
from = "a"
to = "b"
tcp = {{ congestion_control = "{control}" }}
[record]
interval = "{interval} ms"
"""


def test_no_delivery_rate_of_a_drawn_scenario_is_above_the_link_and_goodput_can_be():
    draw = random.Random(35)
    above = 0
    for _ in range(25):
        rate, interval = draw.choice([300, 2000, 20000]), draw.choice([1, 7, 40])
        text = LINK.format(
            rate=rate,
            interval=interval,
            delay=draw.randint(1, 150),
            queue=draw.choice([5, 30, 200]),
            loss=draw.choice([0, 0.001, 0.01]),
            control=draw.choice(["reno", "cubic", "bbr", "vegas"]),
        )
        run = fl.Scenario.from_toml(text).run(seed=draw.randint(1, 99))
        width = {"bin": f"{interval * draw.choice([1, 1.7, 10])} ms"}
        [(bin_s, delivered)] = curves_of(run, "delivery", **width).values()
        [(_, in_order)] = curves_of(run, "goodput", **width).values()
        most = 1e3 * rate + PACKET_BITS / bin_s
        assert delivered.max() <= most * (1 + 1e-9), text
        assert delivered.sum() >= in_order.sum() * (1 - 1e-9)
        above += in_order.max() > most
    assert above >= 3


def test_over_time_a_store_draws_the_delivery_rate_unless_named(tmp_path):
    base = fl.load("dumbbell").set("duration", "5 s")
    store = fl.sweep(base, {"flows.first.tcp.congestion_control": ["reno"]}, seeds=1, series=True).run(
        out=tmp_path / "s"
    )
    where = {"flow": "first"}
    assert store.plot(kind="time", where=where).axes[0].get_ylabel().startswith("delivery rate [")
    assert store.plot(kind="time", y="goodput", where=where).axes[0].get_ylabel().startswith("goodput [")
