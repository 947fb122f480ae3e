"""Workloads whose TCP stays the same where that of flows varies: a path `flows.*.tcp` does not reach them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from farlink.spelling import listed
from farlink.system.toml import tomllib
from farlink.tables import parameters
from farlink.tables.labels import without_unit
from farlink.tables.rows import Row
from farlink.tables.workload_columns import is_of_workload, place

OF_FLOWS = re.compile(r"flows\.(?:\d+|\*)\.(tcp\..+)")


def note(measures: Iterable[str], columns: Sequence[str], rows: Sequence[Row], texts: Iterable[str]) -> str:
    """Say which workloads of these measures have one value where the flows differ; `texts` are the scenarios."""
    labels = dict.fromkeys(place(each)[0] for each in measures if is_of_workload(each))
    varied = [without_unit(column) for column in columns if len({row[column] for row in rows}) > 1]
    keys = {found[1]: path for path in varied if (found := OF_FLOWS.fullmatch(path))}
    if not labels or not keys:
        return ""
    scenarios = [(parameters.flatten(text), _numbers(text)) for text in dict.fromkeys(texts)]
    notes = []
    for key, path in keys.items():
        same = []
        for label in labels:
            values = {flat.get(f"workloads.{numbers.get(label)}.{key}") for flat, numbers in scenarios}
            same += [f"{label} has {value} at all points" for value in values if len(values) == 1]
        if same:
            notes.append(f"{path} does not reach workloads: {listed(same)}")
    return "; ".join(notes)


def _numbers(text: str) -> dict[str, int]:
    """The numbers of workloads by their labels."""
    return {each["label"]: number for number, each in enumerate(tomllib.loads(text).get("workloads", []))}
