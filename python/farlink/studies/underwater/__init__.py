"""N. Iikubo, M. Nakatsuka, J. Katto, H. Kondo, "Improving TCP Performance over Underwater Sensor Networks"."""

from __future__ import annotations

from collections.abc import Mapping

from farlink.results import Results
from farlink.studies.settings import Effort, Settings
from farlink.studies.underwater.underwater import Underwater


def measured(
    settings: Settings, effort: Effort, results: Mapping[str, Results], more: Mapping[str, Results]
) -> Underwater:
    """What the runs of this study say; `more` are those beyond the paper that were made."""
    return Underwater(settings, effort, results, more)
