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
    of: int
    """1 where all seeds give the same, because nothing in the claim's runs is random."""

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
    alone = [find(runs.only(seed)) for seed in sorted(runs.every_seed())]
    found = {}
    for claim in claims:
        means = [each[claim.id].value.mean for each in alone if claim.id in each]
        if len(set(means)) == 1:
            del means[1:]
        if means:
            found[claim.id] = SingleRuns(sum(is_met_by_mean(claim, mean) for mean in means), len(means))
    return found
