"""`farlink export`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from farlink.cli.options import Place, is_saved_run
from farlink.errors import UsageError
from farlink.printable import printable
from farlink.results.result_store import ResultStore
from farlink.runs import saved
from farlink.spelling import remedy
from farlink.system.files import check_target, replace_atomically

if TYPE_CHECKING:
    import pyarrow as pa

ENDINGS = {"json": (".json", ".jsonl"), "csv": (".csv",), "parquet": (".parquet",)}
DEFAULT = "flows"


@click.command()
@click.argument("results", type=Place(), metavar="RESULTS")
@click.option("--format", "form", type=click.Choice(list(ENDINGS)), help="Default: as -o ends, or json.")
@click.option("--table", "name", metavar="TABLE", help="One table; default: flows, in JSON all but series.")
@click.option("-o", "--output", type=Place(), metavar="F", help="Write a file, not standard output.")
def export(results: Path, form: str | None, name: str | None, output: Path | None) -> None:
    """Write the tables of RESULTS: the store of a sweep, or a folder that `farlink run --out` wrote.

    \b
    json     a line for each row, with the name of its table
    csv      one table, with a header
    parquet  one table; needs -o

    Tables are flows, workloads, links, stations, airtime, hops, drops and series; of a store also runs, of a saved run
    also ledger, arrivals and link_series. Of a store with runs of several builds of Farlink, CSV and Parquet have those
    of this build.

    \b
    farlink export results/sweep --format csv > flows.csv
    farlink export results/sweep --table series -o series.parquet
    farlink export results/run --table link_series --format csv
    """
    form = _checked_format(form, output)
    is_saved = is_saved_run(results)
    known = saved.TABLES if is_saved else ResultStore.TABLES
    if name is not None and name not in known:
        raise UsageError(f"{results}: there is no table {name}; {remedy(name, known)}")
    if form == "json":
        _write_lines(_lines_of_run(results, name) if is_saved else _lines_of_store(results, name), output)
        return
    from farlink.tables import arrow

    table = (
        saved.SavedRun.open(results).table(name or DEFAULT) if is_saved else _table_of_store(results, name or DEFAULT)
    )
    if output is None:
        click.echo(arrow.to_csv(table), nl=False)
    else:
        arrow.write(table, output)


def _checked_format(form: str | None, output: Path | None) -> str:
    """Give the format asked for; refuse a file whose name says another."""
    if output is None:
        if form == "parquet":
            raise click.UsageError("--format parquet: name the file to write, -o FILE.parquet")
        return form or "json"
    known = ENDINGS[form] if form else tuple(ending for endings in ENDINGS.values() for ending in endings)
    check_target(output, known)
    return form or next(each for each, endings in ENDINGS.items() if output.suffix.lower() in endings)


def _lines_of_run(folder: Path, name: str | None) -> Iterator[str]:
    """Give the rows of a saved run; the time series only if named, for they are a thousand times as many."""
    run = saved.SavedRun.open(folder)
    for each in [name] if name else (table for table in saved.TABLES if "series" not in table):
        yield from _json_lines(each, run.table(each))


def _lines_of_store(folder: Path, name: str | None) -> Iterator[str]:
    """Give the rows of all builds, sorted, and notes on what is in the store besides."""
    from farlink.store import export as dump
    from farlink.store import note, notes, snapshot

    if name == "series":
        yield from _json_lines(name, _table_of_store(folder, name))
        return
    held = snapshot.read_store(folder)
    for line in dump(held):
        if name is None or json.loads(line)["table"] == name:
            yield line
    for line in notes(held):
        note(line)


def _json_lines(name: str, table: pa.Table) -> Iterator[str]:
    for batch in table.to_batches(max_chunksize=10_000):
        for row in batch.to_pylist():
            # Outside of strings JSON has no control character.
            yield printable(json.dumps({"table": name, **row}, sort_keys=True, ensure_ascii=False))


def _table_of_store(folder: Path, name: str) -> pa.Table:
    table: pa.Table = getattr(ResultStore(folder), name)
    return table


def _write_lines(lines: Iterator[str], output: Path | None) -> None:
    if output is None:
        for line in lines:
            click.echo(line)
        return
    with replace_atomically(output) as part, part.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
