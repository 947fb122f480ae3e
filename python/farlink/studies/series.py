"""Time series of a store, run by run."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa


def split(table: pa.Table) -> dict[str, dict[str, np.ndarray[tuple[int, ...], Any]]]:
    """The columns of every run by its key; numbers as such, names as text."""
    if table.num_rows == 0:
        return {}
    keys = np.asarray(table["key"].combine_chunks().dictionary_encode().indices)
    starts = [0, *(np.flatnonzero(keys[1:] != keys[:-1]) + 1), len(keys)]
    names = [name for name in table.column_names if name != "key"]
    columns = {name: _values(table[name]) for name in names}
    return {
        str(table["key"][int(start)]): {name: column[start:end] for name, column in columns.items()}
        for start, end in pairwise(starts)
    }


def _values(column: pa.ChunkedArray) -> np.ndarray[tuple[int, ...], Any]:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type) or pa.types.is_string(column.type):
        encoded = column.cast(pa.string()).combine_chunks().dictionary_encode()
        words: np.ndarray[tuple[int, ...], Any] = np.asarray(encoded.dictionary.to_pylist())
        return np.take(words, np.asarray(encoded.indices))
    return np.asarray(column.to_numpy(), dtype=np.float64)
