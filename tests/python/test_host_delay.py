"""Hosts that take time for what they send and receive."""

import math
from pathlib import Path

import farlink as fl
import pytest

SATELLITE = """
name = "satellite"
duration = "6.8 s"
host_delay = {host_delay}
nodes = [{{ name = "sender" }}, {{ name = "receiver" }}]

[[links]]
between = ["sender", "receiver"]
rate = "100 Mbit/s"
delay = "300 ms"
queue = {{ name = "drop_tail", limit = "5000 packets" }}

[[flows]]
from = "sender"
to = "receiver"
tcp = {{ preset = "linux", receive_buffer = "160 MiB", send_buffer = "none" }}
"""


def scenario(host_delay: str) -> fl.Scenario:
    return fl.Scenario.from_toml(SATELLITE.format(host_delay=host_delay))


def exits(host_delay: str, seeds: range) -> set[float]:
    """Of slow start, in segments: the first finite threshold; infinite where there is none."""
    found = set()
    for seed in seeds:
        thresholds = scenario(host_delay).run(seed=seed).series["ssthresh_segments"].to_pylist()
        found.add(min((each for each in thresholds if each is not None), default=math.inf))
    return found


def test_hystarts_exit_hangs_on_the_host() -> None:
    seeds = range(1, 5)
    ideal = exits('"none"', seeds)
    assert len(ideal) == 1
    assert math.isfinite(min(ideal))
    assert len(exits('"linux_vm"', seeds)) > 1


def test_a_sweep_over_hosts_is_one_variable(tmp_path: Path) -> None:
    base = scenario('"none"').set("duration", "2 s")
    results = fl.sweep(base, {"host_delay": ["none", "linux_vm"]}, seeds=2).run(out=tmp_path / "store")
    assert results.summary(["goodput"]).table["host_delay"].to_pylist() == ["none", "linux_vm"]


@pytest.mark.parametrize(
    ("written", "key", "remedy"),
    [
        ('"linux"', "host_delay", "linux_vm"),
        ('{ name = "samples", packets = ["1 us"] }', "packets", "packet"),
        ('{ name = "samples", packet = "1 us" }', "host_delay.packet", "list"),
    ],
)
def test_bad_values_name_key_and_remedy(written: str, key: str, remedy: str) -> None:
    with pytest.raises(fl.ScenarioError) as refused:
        _ = scenario(written).validated
    assert key in str(refused.value)
    assert remedy in str(refused.value)
