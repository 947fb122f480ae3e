"""What single seeds would show: the paper has one run per point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from farlink.studies.claims import Claim
from farlink.studies.measures import Measure
from farlink.studies.verdict import is_met_by_mean

from farlink_studies.manet.runs import Runs


@dataclass(frozen=True)
class Alone:
    """A claim by each seed alone."""

    claim: Claim
    values: Sequence[float]
    """In the claim's unit."""
    meeting: int
    """How many of them meet the claim."""

    @property
    def summary(self) -> str:
        """How many of how many meet it."""
        return f"{self.meeting} of {len(self.values)}"

    def row(self) -> dict[str, Any]:
        """As it stands in the report."""
        return {
            "claim": self.claim.id,
            "published": self.claim.published,
            "lowest seed": f"{min(self.values):.3g}",
            "median": f"{median(self.values):.3g}",
            "highest": f"{max(self.values):.3g}",
            "seeds that meet it": self.summary,
        }


def judge_single_seeds(runs: Runs, claim: Claim, measure: Measure[Runs, str]) -> Alone:
    """Judge a claim by every seed alone."""
    found = [measure.find(runs.only(seed)).value for seed in runs.seeds()]
    return Alone(claim, [value.mean for value in found], sum(is_met_by_mean(claim, value.mean) for value in found))
