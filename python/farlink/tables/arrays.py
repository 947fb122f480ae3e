"""Arrow arrays of values of Python, without pandas.

`pyarrow.array` and `pyarrow.scalar` import pandas, where it is installed, to tell whether they were given something of
it. That takes as long as twenty short runs. Plain values are therefore written into Arrow's buffers here.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

MOST = 1_000_000
"""Values that are not left to `pyarrow.array`, which takes a tenth of the time for each."""
CODES = {pa.int64(): "q", pa.uint64(): "Q", pa.float64(): "d"}
EXACT = 2**53
"""Whole numbers up to this are numbers of type double."""


def array_of(values: Sequence[Any], kind: pa.DataType | None = None) -> pa.Array:
    """Make an array as `pyarrow.array(values, kind)` does, of the same type and with the same errors."""
    plain = None
    if "pandas" not in sys.modules and len(values) < MOST:
        plain = _plain(values, kind)
    return pa.array(values, kind) if plain is None else plain


def scalar_of(value: Any, kind: pa.DataType) -> pa.Scalar:
    """Make a scalar as `pyarrow.scalar(value, kind)` does."""
    return array_of([value], kind)[0]


def _plain(values: Sequence[Any], kind: pa.DataType | None) -> pa.Array | None:
    """An array of plain values of one type; None for any other."""
    types = set(map(type, values)) - {type(None)}
    if kind is None:
        if not types:
            return pa.nulls(len(values))
        kind = _kind_of(types)
    try:
        if types <= {str} and kind == pa.string():
            builder = pa.lib.StringBuilder()
            builder.append_values(values)
            return builder.finish()
        if types <= {bool} and kind == pa.bool_():
            return _of_buffers(kind, values, _bits(values))
        if (types <= {int} and kind in (pa.int64(), pa.uint64())) or (types <= {float, int} and kind == pa.float64()):
            if int in types and kind == pa.float64() and max(abs(value or 0) for value in values) > EXACT:
                return None
            filled = [0 if value is None else value for value in values] if None in values else values
            return _of_buffers(kind, values, array(CODES[kind], filled))
    except (OverflowError, UnicodeEncodeError):
        pass  # Arrow says what is wrong
    return None


def _kind_of(types: set[type]) -> pa.DataType | None:
    """The type that Arrow infers; None where it is left to infer."""
    for of, kind in (({str}, pa.string()), ({bool}, pa.bool_()), ({int}, pa.int64())):
        if types == of:
            return kind
    return pa.float64() if types and types <= {int, float} else None


def _of_buffers(kind: pa.DataType, values: Sequence[Any], content: Any) -> pa.Array:
    validity = _bits([value is not None for value in values]) if None in values else None
    buffers = [None if each is None else pa.py_buffer(each) for each in (validity, content)]
    return pa.Array.from_buffers(kind, len(values), buffers)


def _bits(values: Sequence[Any]) -> bytes:
    """A bit per value, the least significant first."""
    text = "".join("1" if value else "0" for value in reversed(values))
    return int(text or "0", 2).to_bytes((len(values) + 7) // 8, "little")
