"""Why an experiment ends as it does, in measured numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean

from farlink.studies.route_failure import timeline
from farlink.studies.route_failure.runs import NAMES, RANDOM, Case, One, Runs
from farlink.studies.route_failure.timeline import Events


def cause(runs: Runs, experiment: str) -> str:
    """Say what each variant did around the failures; of random movement at the lowest and the highest speed."""
    if experiment == RANDOM:
        speeds = runs.speeds()
        return "; ".join(
            f"at {speed:g} m/s {NAMES[variant]}: {_whole(list(runs.of(Case(RANDOM, variant, speed)).values()))}"
            for speed in (speeds[0], speeds[-1])
            for variant in runs.variants(RANDOM)
        )
    told = []
    for variant in runs.variants(experiment):
        ones = list(runs.of(Case(experiment, variant)).values())
        found = [each for one in ones for each in timeline.each(one.path, one.absences)]
        told.append(f"{NAMES[variant]}: {', '.join([*_after(found), _whole(ones)])}")
    return "; ".join(told)


def _after(found: Sequence[Events]) -> Iterator[str]:
    """What happened around the repairs."""
    if not found:
        return
    yield f"data arrive {fmean(each.arriving - each.repaired for each in found):.2f} s after a repair"
    yield f"transfer is normal after {fmean(each.normal - each.repaired for each in found):.2f} s"
    for name, happened in (
        ("fast retransmit", [each.fast for each in found]),
        ("timeout", [each.timed_out for each in found]),
    ):
        if share := fmean(each is not None for each in happened):
            yield f"{name} after {share:.0%} of the repairs"


def _whole(ones: Sequence[One]) -> str:
    told = [f"{fmean(one.timeouts for one in ones):.1f} timeouts"]
    told.append(f"{fmean(one.fast_retransmits for one in ones):.1f} fast retransmits")
    if frozen := fmean(one.frozen for one in ones):
        told.append(f"{fmean(one.freezes for one in ones):.1f} times and {frozen:.0%} of the time still")
    if probes := fmean(one.probes for one in ones):
        told.append(f"{probes:.1f} probes")
    drops: Counter[str] = Counter()
    for one in ones:
        drops.update(one.drops)
    told += [f"{count / len(ones):.1f} lost by {name.replace('_', ' ')}" for name, count in drops.most_common(2)]
    return ", ".join(told)
