"""A result of a study is that of one run: none takes the place of another."""

import pytest
from farlink.errors import StoreError
from farlink.studies.runs import Cases


def test_two_runs_with_one_case_and_seed_are_refused() -> None:
    cases = Cases[str, float]()
    cases.add("hybla", 1, "a", 2.0)
    cases.add("hybla", 2, "b", 3.0)
    cases.add("hybla", 1, "a", 2.0)  # found in two grids
    with pytest.raises(StoreError, match="seed 1 of hybla"):
        cases.add("hybla", 1, "c", 4.0)
    assert cases.found == {"hybla": {1: 2.0, 2: 3.0}}
