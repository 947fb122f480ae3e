"""Arrays made without pandas are those that Arrow makes."""

import math
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from farlink.statistics import MANY, t_quantile
from farlink.tables import arrays
from scipy.special import stdtrit

LISTS: list[list[Any]] = [
    [],
    [None] * 9,
    [1, -2, None, 2**62, -(2**63)],
    [0, 2**64 - 1],
    [1.5, None, math.inf, -0.0, 2**53],
    [1, 2.5],
    [2**53 + 1, 0.5],
    ["a", None, "", "日本", "x" * 300],
    [True, None, False] * 7,
    [True, 1],
    ["a", 1],
    [b"a"],
    [Decimal("1.5")],
    [np.float64(1.5), 2.0],
    ["\ud800"],
    [2**70],
    list(range(1000)),
]


def made(function: Any, values: list[Any], kind: pa.DataType | None) -> Any:
    try:
        return function(values, kind)
    except (pa.ArrowException, OverflowError, UnicodeEncodeError, TypeError) as error:
        return type(error), str(error)


@pytest.mark.parametrize(
    "kind", [None, pa.int64(), pa.uint64(), pa.float64(), pa.string(), pa.bool_(), pa.int32()], ids=str
)
@pytest.mark.parametrize("values", LISTS, ids=lambda values: str(values[:3]).encode("ascii", "replace").decode())
def test_arrays_are_those_of_arrow(
    values: list[Any], kind: pa.DataType | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "pandas", raising=False)
    found, expected = made(arrays.array_of, values, kind), made(pa.array, values, kind)
    assert type(found) is type(expected)
    if isinstance(expected, pa.Array):
        found.validate(full=True)
        assert found.type == expected.type and found.null_count == expected.null_count and found.equals(expected)
    else:
        assert found == expected


def test_a_sweep_needs_neither_pandas_nor_scipy(link: Path, tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(
        'scenario = "link.toml"\nseeds = "1..3"\n[cross]\n"duration" = ["1 s", "2 s"]\n'
    )
    code = """
import sys
from farlink import cli
sys.argv[1:] = ["sweep", "sweep.toml", "--quiet", "--jobs", "1"]
assert cli.main() == 0
print(*sorted(sys.modules.keys() & {"pandas", "scipy", "pyarrow.compute", "matplotlib", "distributed"}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == ""


@pytest.mark.parametrize("probability", [0.9, 0.95, 0.975, 0.99, 0.999])
def test_quantiles_of_students_t_are_those_of_scipy(probability: float) -> None:
    for freedom in [*range(1, 60), 100, 333, MANY - 1, MANY, MANY + 1, 5000, 10_000]:
        assert t_quantile(freedom, probability) == pytest.approx(float(stdtrit(freedom, probability)), rel=1e-12)
