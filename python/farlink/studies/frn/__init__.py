"""TCP over the Flexible Radio Network: T. Yuki's thesis, measured again."""

from __future__ import annotations

from collections.abc import Mapping

from farlink.results import Results
from farlink.studies.frn.frn import Frn
from farlink.studies.settings import Effort, Settings


def measured(settings: Settings, effort: Effort, results: Mapping[str, Results], more: Mapping[str, Results]) -> Frn:
    """What the runs of this study say; `more` are those beyond the paper that were made."""
    return Frn(settings, effort, results, more)
