"""J. Zhou, B. Shi, L. Zou, H. Shen, "Improve TCP Performance in Ad Hoc Networks"."""

from __future__ import annotations

from collections.abc import Mapping

from farlink.results import Results
from farlink.studies.route_failure.route_failure import RouteFailure
from farlink.studies.settings import Effort, Settings


def measured(
    settings: Settings, effort: Effort, results: Mapping[str, Results], more: Mapping[str, Results]
) -> RouteFailure:
    """What the runs of this study say; `more` are those beyond the paper that were made."""
    return RouteFailure(settings, effort, results, more)
