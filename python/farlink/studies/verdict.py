"""From what was measured to a verdict, by rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from farlink.statistics import Interval
from farlink.studies.claims import Claim
from farlink.studies.comparisons import Weakest, lower_end, upper_end
from farlink.studies.written import ends

Verdict: TypeAlias = Literal["reproduced", "direction only", "not reproduced", "not reproducible"]

DECIMALS = 9
"""To which a mean is rounded before it is compared with a bound."""


@dataclass(frozen=True)
class Finding:
    """What was measured for a claim, in the claim's unit."""

    value: Interval
    direction: bool | None = None
    """Whether the claim's coarser statement holds, significantly; None where it has none."""
    coarser: str = ""
    """That statement in words."""
    note: str = ""
    """What a reader must know about the number."""
    worst: float | None = None
    """The worst mean of the several comparisons that a claim demands; None where `value` is of the only one."""

    @classmethod
    def of(cls, weakest: Weakest, direction: bool | None = None, coarser: str = "", note: str = "") -> Finding:
        """The weakest of several comparisons."""
        return cls(weakest.value, direction, coarser, note, weakest.mean)

    @property
    def mean(self) -> float:
        """What decides where means alone do: in a universe, and of a single run."""
        return self.value.mean if self.worst is None else self.worst


@dataclass(frozen=True)
class Judgement:
    """A claim with what was found and what follows."""

    claim: Claim
    finding: Finding
    verdict: Verdict
    reason: str

    @property
    def measured(self) -> str:
        """What was measured, with its interval and unit."""
        return ends(self.finding.value, unit=self.claim.written_unit)

    @property
    def is_undecided(self) -> bool:
        """Whether the claim is missed, but its runs are too few to be sure."""
        missed = self.verdict in ("not reproduced", "direction only")
        return missed and not misses_significantly(self.claim, self.finding.value)

    @property
    def is_unsure(self) -> bool:
        """Whether the claim is reproduced by the mean, while the interval reaches beyond the bounds."""
        value = self.finding.value
        ends = [end for end in (value.low, value.high) if end is not None]
        return self.verdict == "reproduced" and not all(is_within(self.claim, end) for end in ends)

    def row(self) -> dict[str, object]:
        """As it stands in the document that `farlink study run --json` prints."""
        value = self.finding.value
        return {
            "id": self.claim.id,
            "published": self.claim.published,
            "measured": value.mean,
            "low": value.low,
            "high": value.high,
            "counted": self.claim.counted,
            "verdict": self.verdict,
            "reason": self.reason,
        }


def accepts(claim: Claim, value: Interval) -> bool:
    """Whether a value lies within the claim's bounds: its mean, or of an order or trend its whole interval."""
    if claim.kind == "value":
        return is_within(claim, value.mean)
    low, high = claim.at_least, claim.at_most
    return (low is None or lower_end(value) > low) and (high is None or upper_end(value) < high)


def is_within(claim: Claim, value: float) -> bool:
    """Whether a number lies within the claim's bounds."""
    low, high = claim.at_least, claim.at_most
    return (low is None or value >= low) and (high is None or value <= high)


def is_met_by_mean(claim: Claim, mean: float) -> bool:
    """Whether a mean alone meets a claim: a value within the bounds, an order or a trend beyond them.

    Equal numbers whose sums differ by rounding are no order.
    """
    return accepts(claim, Interval(round(mean, DECIMALS), None, None, 1, "mean"))


def misses_significantly(claim: Claim, value: Interval) -> bool:
    """Whether a value lies outside of the claim's bounds significantly: its whole interval."""
    low, high = claim.at_least, claim.at_most
    return (low is not None and upper_end(value) < low) or (high is not None and lower_end(value) > high)


def judge(
    claim: Claim,
    finding: Finding,
    *,
    peer: Finding | None = None,
    peer_runs: str = "",
    cause: str = "",
    otherwise: Sequence[str] = (),
) -> Judgement:
    """Compare.

    `peer` is the same from the paper's own simulator, `peer_runs` how those differ; `otherwise` names settings that
    would reproduce.
    """
    reasons = [f"{ends(finding.value, unit=claim.written_unit)}, accepted: {claim.bounds}"]
    if finding.note:
        reasons.append(finding.note)
    if accepts(claim, finding.value):
        return Judgement(claim, finding, "reproduced", "; ".join(reasons))
    if is_within(claim, finding.value.mean):
        reasons.append(f"the mean is within, the interval of {finding.value.count} runs is not")
    elif not misses_significantly(claim, finding.value):
        reasons.append(f"the interval of {finding.value.count} runs reaches into the bounds: too few runs to decide")
    verdict: Verdict = "direction only" if finding.direction else "not reproduced"
    if finding.direction is not None:
        reasons.append(f"{finding.coarser}: {'holds' if finding.direction else 'does not hold significantly'}")
    if peer is not None:
        verdict = "not reproducible" if misses_significantly(claim, peer.value) else verdict
        runs = f" ({peer_runs})" if peer_runs else ""
        given = ends(peer.value, unit=claim.written_unit)
        reasons.append(f"ns-2 with the same settings{runs} {_of_peer(claim, peer.value)}: {given}")
    if cause:
        reasons.append(cause)
    if otherwise:
        names = ", ".join(f'"{name}"' for name in otherwise)  # They contain commas.
        reasons.append(f"reproduced with {names}")
    return Judgement(claim, finding, verdict, "; ".join(reasons))


def _of_peer(claim: Claim, value: Interval) -> str:
    if misses_significantly(claim, value):
        return "misses it too"
    return "meets it" if is_within(claim, value.mean) else "may meet it, too few runs to decide"
