"""In how many single runs a claim holds: many papers show one run per point, and no mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from farlink.studies.claims import Claim
from farlink.studies.verdict import Finding, is_met_by_mean


@dataclass(frozen=True)
class SingleRuns:
    """Of one claim."""

    met: int
    means: Sequence[float]
    """What each measures; one where nothing in the runs of the claim is random, or they have one seed."""

    @property
    def of(self) -> int:
        """How many there are."""
        return len(self.means)

    @property
    def share(self) -> float:
        """The share of the single runs that meet the claim."""
        return self.met / self.of

    def __str__(self) -> str:
        return f"{self.met} of {self.of}"


def of_claims(
    claims: Sequence[Claim], runs: Any, find: Callable[[Any], Mapping[str, Finding]]
) -> dict[str, SingleRuns]:
    """By the claim's number; without claims that no single run can measure. `runs` are those of a study."""
    seeds = sorted(runs.every_seed())
    alone = [find(runs.only(seed)) for seed in seeds]
    # Of a seed that no run has, only what is not random is left.
    fixed = find(runs.only(max(seeds, default=0) + 1))
    found = {}
    for claim in claims:
        means = [each[claim.id].mean for each in ([fixed] if claim.id in fixed else alone) if claim.id in each]
        if means:
            found[claim.id] = SingleRuns(sum(is_met_by_mean(claim, mean) for mean in means), means)
    return found
