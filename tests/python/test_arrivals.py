"""A flow of which nothing arrives is reported with the main cause."""

from pathlib import Path

import pytest
from conftest import Command

BROKEN = 'links.0.error={ name = "packet_error_rate", rate = 1.0 }'


@pytest.mark.parametrize("seeds", [(), ("--seeds", "2")])
def test_a_flow_of_which_nothing_arrives_is_one_line_with_cause_and_command(
    command: Command, link: Path, seeds: tuple[str, ...]
) -> None:
    status, out, err = command("run", "link.toml", "--quiet", "--set", BROKEN, *seeds)
    assert status == 0 and "transfer" in out
    (line,) = [line for line in err.splitlines() if "no packet arrived" in line]
    many = " with any of 2 seeds" if seeds else ""
    assert line.startswith(f"farlink: transfer: no packet arrived{many}: ")
    assert "packets were dropped at " in line and "(link error)" in line
    assert line.endswith(f"; see farlink explain link.toml --set '{BROKEN}'")
    status, out, err = command("run", "link.toml", "--quiet", "--json", "--set", BROKEN, *seeds)
    assert status == 0 and "no packet arrived" not in out + err


def test_out_of_radio_range_nothing_is_dropped_and_the_handshake_is_the_limit(command: Command) -> None:
    far = ("--set", "topology.spacing=900 m", "--set", 'routing={name="aodv"}', "--set", "duration=5 s")
    status, _, err = command("run", "chain_80211", "--quiet", *far)
    assert status == 0
    assert "transfer: no packet arrived: no packet was dropped, and the handshake took 100 % of its time; see" in err


def test_a_flow_that_arrives_is_not_reported(command: Command, link: Path) -> None:
    assert command("run", str(link), "--quiet")[2] == ""
