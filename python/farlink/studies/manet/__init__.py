"""M. Shivaranjani, A. Kameswaran, "Performance analysis of TCP in wireless multi-hop environment"."""

from __future__ import annotations

from collections.abc import Mapping

from farlink.results import Results
from farlink.studies.manet.manet import Manet
from farlink.studies.settings import Effort, Settings


def measured(settings: Settings, effort: Effort, results: Mapping[str, Results], more: Mapping[str, Results]) -> Manet:
    """What the runs of this study say; `more` are those beyond the paper that were made."""
    return Manet(settings, effort, results, more)
