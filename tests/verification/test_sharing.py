"""How flows share a bottleneck, as published; docs/verification/sharing.md has the sources."""

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

import l4s_tests
import pytest
from measure_sharing import beside_cubic, flows, in_one_queue, ratio, steps

PAGE = Path(__file__).parents[2] / "docs/verification/sharing.md"
# Packets: one, four and sixteen bandwidth-delay products.
BUFFERS = (33, 133, 533)
# A drop-tail queue is one of those compared.
pytestmark = pytest.mark.filterwarnings("ignore:.*no queue on the path of .* marks:UserWarning")


def test_bbr_version_3_loses_less_and_starves_cubic_less_than_version_1(tmp_path: Path) -> None:
    found = beside_cubic(flows("bbr3", tmp_path, seeds=3, duration_s=60))
    share = {case: mean(shares) for case, (shares, _) in found.items()}
    lost = {case: mean(losses) for case, (_, losses) in found.items()}
    assert all(lost["bbr3", "rfc", packets] < lost["bbr", "rfc", packets] for packets in BUFFERS)
    for preset in ("rfc", "linux"):
        assert share["bbr3", preset, BUFFERS[0]] > max(30, 2 * share["bbr", preset, BUFFERS[0]])


def test_prague_and_cubic_share_queues_as_in_linux(tmp_path: Path) -> None:
    def is_wanted(bottleneck: l4s_tests.Bottleneck, pair: l4s_tests.Pair) -> bool:
        (_, queue), (first, second) = bottleneck, pair
        return (first.control, second.control) == ("prague", "cubic") and (
            first.rtt_ms == second.rtt_ms or queue == "dualpi2"
        )

    sweep = l4s_tests.sweep(is_wanted, seeds=1, duration_s=60)
    found = l4s_tests.measured(sweep.run(out=tmp_path / "store").flows.to_pylist())

    def times(rate_mbps: int, queue: str, prague_rtt_ms: int, cubic_rtt_ms: int) -> float:
        pair = l4s_tests.Flow("prague", prague_rtt_ms), l4s_tests.Flow("cubic", cubic_rtt_ms)
        return ratio(found[rate_mbps, queue][pair])

    for rtt_ms in (10, 20, 80):
        assert 1 < times(50, "dualpi2", rtt_ms, rtt_ms) < 2.1
        assert times(50, "drop_tail", rtt_ms, rtt_ms) < 0.8
        assert 0.85 < times(50, "fq_codel", rtt_ms, rtt_ms) < 1.2
    # The shorter round trip has more where the queue is short.
    for rate_mbps in (50, 10):
        assert times(rate_mbps, "dualpi2", 160, 10) < 0.5
        assert times(rate_mbps, "dualpi2", 20, 80) > 2
    # At 10 Mbit/s the step marks no packet for having waited behind a single one.
    assert times(10, "dualpi2", 20, 20) > 1 and times(10, "dualpi2", 80, 80) > 1


def rates_of_the_page() -> Iterator[tuple[str, list[tuple[float, float]]]]:
    """Each row of its tables of round trips: queue and flows, then rates, published and ours at 50 and at 10 Mbit/s."""
    for part in PAGE.read_text().split("### Round trips: ")[1:]:
        queue = part.split("`")[1]
        for both, cells in re.findall(r"^\| (\w+ \d+ ms, \w+ \d+ ms) \|(.*)\|$", part.split("###")[0], re.M):
            numbers = [float(number) for number in re.findall(r"[\d.]+", cells)]
            yield f"{queue}: {both}", list(zip(numbers[::2], numbers[1::2], strict=True))


def test_the_larger_rate_of_every_published_pair_is_on_the_same_side() -> None:
    rows = [
        (f"{rate_mbps} Mbit/s, {name}", rates[place], rates[place + 1])
        for name, rates in rates_of_the_page()
        for place, rate_mbps in ((0, 50), (2, 10))
    ]
    assert len(rows) == 126
    # Two flows that are equal in everything differ by this much in the published table.
    chance = max(
        max(theirs) / min(theirs) for name, theirs, _ in rows if len(set(re.findall(r"\w+ \d+ ms", name))) == 1
    )
    different = [row for row in rows if max(row[1]) / min(row[1]) > chance]
    others = {name for name, theirs, ours in different if (theirs[0] > theirs[1]) != (ours[0] > ours[1])}
    assert len(different) > 50 and others == {
        "50 Mbit/s, dualpi2: prague 20 ms, prague 10 ms",
        "10 Mbit/s, dualpi2: prague 10 ms, cubic 10 ms",
        "10 Mbit/s, drop_tail: cubic 80 ms, cubic 20 ms",
    }


def test_prague_starves_others_in_a_queue_that_marks_as_rfc_3168_says(tmp_path: Path) -> None:
    found = in_one_queue(flows("l4s_shared_queue", tmp_path, seeds=1, duration_s=30))
    for (sender, queue, target_ms, _, _), times in found.items():
        assert sender == "fall-back" or times > 3
        # The fall-back knows a queue of 5 ms or more from an L4S queue.
        assert (sender, queue, target_ms) != ("fall-back", "codel", 5) or times < 3


def test_a_slower_bottleneck_delays_prague_for_longer_than_cubic() -> None:
    found = steps((5,), [("fq_codel", "cubic"), ("fq_codel", "prague"), ("dualpi2", "prague")])
    cubic, prague, l4s = (
        found[5, queue, control][1]
        for queue, control in (("fq_codel", "cubic"), ("fq_codel", "prague"), ("dualpi2", "prague"))
    )
    assert l4s < cubic < prague / 2
