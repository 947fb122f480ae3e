"""How flows share a bottleneck, as published; docs/verification/sharing.md has the sources."""

from pathlib import Path
from statistics import mean

import pytest
from measure_sharing import beside_cubic, by_rtts, flows, in_one_queue, ratio, steps

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
    found = {case: ratio(rates) for case, rates in by_rtts(flows("l4s_rtts", tmp_path, seeds=1, duration_s=60)).items()}
    for rtt_ms in (10, 20, 80):
        pair = "prague", rtt_ms, "cubic", rtt_ms
        assert 1 < found[("dualpi2", *pair)] < 2.1
        assert found[("drop_tail", *pair)] < 0.8
        assert 0.85 < found[("fq_codel", *pair)] < 1.2
    # The shorter round trip has more where the queue is short, and by more than its share.
    assert found["dualpi2", "prague", 80, "prague", 20] < 20 / 80
    assert found["dualpi2", "prague", 160, "cubic", 10] < 0.5
    assert found["dualpi2", "prague", 20, "cubic", 80] > 2


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
