"""The runs of a study by case and seed, and what is read out of a store for them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from farlink import statistics
from farlink.errors import StoreError
from farlink.results.result_store import ResultStore
from farlink.statistics import Estimator, Interval
from farlink.tables.rows import grouped

if TYPE_CHECKING:
    import pyarrow as pa
    from typing_extensions import Self

Case = TypeVar("Case")
SeedResult = TypeVar("SeedResult")


class MissingError(LookupError):
    """There is no such run, or it does not say what is asked for."""


class Cases(Generic[Case, SeedResult]):
    """Collects results by case and seed; each of them is that of one run."""

    def __init__(self) -> None:
        self.found: dict[Case, dict[int, SeedResult]] = {}
        self._runs: dict[tuple[Case, int], object] = {}

    def add(self, case: Case, seed: int, run: object, result: SeedResult) -> None:
        """Keep the result of `run`, which is its key or number; raises `StoreError` if another one has its place."""
        if self._runs.setdefault((case, seed), run) != run:
            raise StoreError(f"two runs are seed {seed} of {case}: {self._runs[case, seed]} and {run}")
        self.found.setdefault(case, {})[seed] = result


class Runs(Generic[Case, SeedResult]):
    """Runs by case and seed."""

    estimator: Estimator = staticmethod(statistics.interval)
    """How means are estimated; `Inputs.read` sets it to what the settings say."""

    def __init__(self, cases: Mapping[Case, Mapping[int, SeedResult]]) -> None:
        self._cases = {case: dict(seeds) for case, seeds in cases.items()}

    def __contains__(self, case: Case) -> bool:
        return case in self._cases

    def count(self, case: Case) -> int:
        """How many seeds a case has."""
        return len(self._cases.get(case, ()))

    def of(self, case: Case) -> dict[int, SeedResult]:
        """Every seed of a case; raises `MissingError`."""
        if case not in self._cases:
            raise MissingError(case)
        return self._cases[case]

    def interval(self, values: Sequence[float]) -> Interval:
        """Estimate the mean of values as the study's settings say; raises `MissingError` without any."""
        if (found := self.estimator(values)) is None:
            raise MissingError("values")
        return found

    def values(self, case: Case, number: Callable[[SeedResult], float]) -> list[float]:
        """A number of every seed of a case; raises `MissingError`."""
        return [number(one) for one in self.of(case).values()]

    def rows(self, cases: Iterable[Case], number: Callable[[SeedResult], float]) -> list[list[float]]:
        """A number of these cases, a row for every seed that all have; raises `MissingError`."""
        return [[number(one) for one in ones] for _, ones in self.together(*cases)]

    def numbers(
        self, metrics: Mapping[str, Callable[[SeedResult], float]]
    ) -> Iterator[tuple[Case, dict[str, list[float]]]]:
        """Every case in order, with the values of each metric."""
        for case, _ in self.all():
            yield case, {name: self.values(case, number) for name, number in metrics.items()}

    def together(self, *cases: Case) -> Iterator[tuple[int, list[SeedResult]]]:
        """The runs of these cases for every seed that all have; raises `MissingError`."""
        found = [self.of(case) for case in cases]
        for seed in sorted(set.intersection(*(set(ones) for ones in found))):
            yield seed, [ones[seed] for ones in found]

    def levels(self, of: Callable[[Case], float | None]) -> list[float]:
        """What cases have that is not None, from the lowest; raises `MissingError` for fewer than two."""
        found = sorted({value for case in self._cases if (value := of(case)) is not None})
        if len(found) < 2:
            raise MissingError("two levels")
        return found

    def estimated_by(self, estimator: Estimator) -> Self:
        """The same runs with another method of intervals."""
        made = copy(self)
        made.estimator = estimator
        return made

    def mapped(self, change: Callable[[SeedResult], SeedResult]) -> Self:
        """The same runs, each of them changed."""
        made = copy(self)
        made._cases = {case: {seed: change(one) for seed, one in seeds.items()} for case, seeds in self._cases.items()}
        return made

    def besides(self, other: Self) -> Self:
        """These runs, and those of the other whose cases are not among them."""
        made = copy(self)
        made._cases = {**other._cases, **self._cases}
        return made

    def where(self, is_kept: Callable[[Case], bool]) -> Self:
        """The runs of some cases."""
        made = copy(self)
        made._cases = {case: seeds for case, seeds in self._cases.items() if is_kept(case)}
        return made

    def every_seed(self) -> set[int]:
        """Every seed that some case has."""
        return {seed for seeds in self._cases.values() for seed in seeds}

    def only(self, seed: int) -> Self:
        """The runs of one seed, and those of cases that have a single one because nothing in them is random."""
        made = copy(self)
        made._cases = {
            case: {one: found for one, found in seeds.items() if one == seed or len(seeds) == 1}
            for case, seeds in self._cases.items()
            if seed in seeds or len(seeds) == 1
        }
        return made

    def all(self) -> Iterator[tuple[Case, dict[int, SeedResult]]]:
        """Every case in order."""
        for case in sorted(self._cases, key=self._sort_key):
            yield case, self._cases[case]

    def _sort_key(self, case: Case) -> Any:
        return case


def resolved(results: ResultStore) -> dict[str, str]:
    """The resolved scenario of every run by its key."""
    return {row["key"]: row["resolved"] for row in results.runs.select(["key", "resolved"]).to_pylist()}


def drops(results: ResultStore, causes: Collection[str] | None = None) -> dict[str, dict[str, int]]:
    """Packets of flows that were lost, by run and cause; of these causes only if they are named."""
    found: dict[str, dict[str, int]] = {}
    for row in results.drops.to_pylist():
        if row["flow"] is not None and (causes is None or row["cause"] in causes):
            by_cause = found.setdefault(row["key"], {})
            by_cause[row["cause"]] = by_cause.get(row["cause"], 0) + row["packets"]
    return found


def by_key(table: pa.Table) -> dict[str, list[dict[str, Any]]]:
    """The rows of every run by its key."""
    return grouped((row["key"], row) for row in table.to_pylist())


def series_columns(results: ResultStore) -> dict[str, dict[str, np.ndarray[tuple[int, ...], Any]]]:
    """The columns of every run's time series by its key; numbers as such, names as text."""
    table = results.series
    if table.num_rows == 0:
        return {}
    keys = np.asarray(table["key"].combine_chunks().dictionary_encode().indices)
    starts = [0, *(np.flatnonzero(keys[1:] != keys[:-1]) + 1), len(keys)]
    names = [name for name in table.column_names if name != "key"]
    columns = {name: _column_values(table[name]) for name in names}
    return {
        str(table["key"][int(start)]): {name: column[start:end] for name, column in columns.items()}
        for start, end in pairwise(starts)
    }


def _column_values(column: pa.ChunkedArray) -> np.ndarray[tuple[int, ...], Any]:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type) or pa.types.is_string(column.type):
        encoded = column.cast(pa.string()).combine_chunks().dictionary_encode()
        words: np.ndarray[tuple[int, ...], Any] = np.asarray(encoded.dictionary.to_pylist())
        return np.take(words, np.asarray(encoded.indices))
    return np.asarray(column.to_numpy(), dtype=np.float64)
