"""R. D. Vanzara, H. S. Bhatt, "Enhanced TCP Hybla and performance comparison for satellite link", 2014."""

from __future__ import annotations

from collections.abc import Mapping

from farlink.results import Results
from farlink.studies.satellite.satellite import Satellite
from farlink.studies.settings import Effort, Settings


def measured(
    settings: Settings, effort: Effort, results: Mapping[str, Results], more: Mapping[str, Results]
) -> Satellite:
    """What the runs of this study say; `more` are those beyond the paper that were made."""
    return Satellite(settings, effort, results, more)
