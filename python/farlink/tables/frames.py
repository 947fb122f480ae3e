"""Tables as data frames of pandas and polars, which need not be installed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from farlink.arguments import TEXT, check_argument_types
from farlink.errors import UsageError
from farlink.spelling import remedy

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


class Table(cached_property["pa.Table"]):
    """A table among the attributes of `Frames`, made when it is first asked for."""

    def __init__(self, about: str) -> None:
        def make(holder: Frames) -> pa.Table:
            return holder._made(self.attrname or "")

        super().__init__(make)
        self.__doc__ = about


class Frames(ABC):
    """What has several tables, first of all that of flows. A run is one seed of a scenario.

    `polars.DataFrame(..)`, `pyarrow.table(..)` and DuckDB take it as it is, as the table of flows (the Arrow PyCapsule
    interface).
    """

    TABLES: ClassVar[tuple[str, ...]]
    """The attributes that are tables."""

    flows = Table("A row per run and flow: rates in bit/s, times in s, packets, and shares of its time from 0 to 1.")
    workloads = Table("A row per run, workload and class of sizes: completion times and slowdowns of its flows.")
    links = Table("A row per run and direction of a link.")
    stations = Table("A row per run and interface on a shared channel: frames sent, heard and lost, and why.")
    airtime = Table(
        "A row per run and interface on a shared channel: how long it transmitted, and the medium was busy there."
    )
    hops = Table("A row per run, station and neighbour it sent packets to: attempts, and why some failed.")
    drops = Table("A row per run, flow, node and cause; the flow is null for packets that belong to none.")
    series = Table(
        "A row per run, sample and flow: packets and bytes so far; windows of TCP; losses and jitter of datagrams. "
        "Without rows of runs that were made without them."
    )

    def __init_subclass__(cls) -> None:
        kinds = reversed(cls.__mro__)
        cls.TABLES = tuple(name for kind in kinds for name, each in vars(kind).items() if isinstance(each, Table))

    @check_argument_types(table=TEXT)
    def to_pandas(self, table: str = "flows") -> pd.DataFrame:
        """Give a table (`flows`, `series`, ...) as a data frame of pandas, a row per row.

        Raises `UsageError` where pandas is not installed, or there is no such table.
        """
        return to_pandas(self._table(table))

    @check_argument_types(table=TEXT)
    def to_polars(self, table: str = "flows") -> pl.DataFrame:
        """Give a table (`flows`, `series`, ...) as a data frame of polars, a row per row.

        Raises `UsageError` where polars is not installed, or there is no such table.
        """
        return to_polars(self._table(table))

    @abstractmethod
    def _made(self, name: str) -> pa.Table:
        """Make a table by its name."""

    def _table(self, name: str) -> pa.Table:
        if name not in self.TABLES:
            raise UsageError(f"there is no table {name}; {remedy(name, self.TABLES)}")
        return getattr(self, name)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.flows.__arrow_c_stream__(requested_schema)


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """Give a data frame of pandas; raises `UsageError` where it is not installed."""
    try:
        import pandas  # noqa: F401 - Arrow imports it itself, with a longer message
    except ImportError:
        raise UsageError("pandas is not installed; install it: pip install 'farlink[pandas]'") from None
    return table.to_pandas()


def to_polars(table: pa.Table) -> pl.DataFrame:
    """Give a data frame of polars; raises `UsageError` where it is not installed."""
    try:
        import polars as pl
    except ImportError:
        raise UsageError("polars is not installed; install it: pip install 'farlink[polars]'") from None
    return pl.DataFrame(table)
