"""Folders of results, known by the names of their files, so that no command writes over the results of another."""

from __future__ import annotations

from pathlib import Path

from farlink.errors import UsageError

OF_A_STORE = ("manifest.json", "manifest.copy.json", "journal", "runs.parquet")
"""Each of these alone shows that a folder is the store of a sweep, of which other files were deleted."""
OF_OTHERS, MARK, MARK_WITHIN = "manifest.json", b'"has_journal"', 4096
"""A web application has a file of this name, too: alone it shows a store only if this key is near its beginning."""
CHECKSUMS = "SHA256SUMS"
"""Of the files of a saved run."""
OF_A_RUN = ("run.json", "explanation.json", "provenance.json")
"""All of these together show that `farlink run --out` wrote a folder."""
TABLES = (
    "runs",
    "flows",
    "workloads",
    "arrivals",
    "links",
    "stations",
    "airtime",
    "hops",
    "drops",
    "timings",
    "ledger",
    "series",
    "link_series",
)
"""Parquet files of either."""
REMEDY = "choose an empty or a new folder"


def is_store(folder: Path) -> bool:
    """Whether a folder is a store, or one whose manifest or tables were deleted."""
    found = [name for name in OF_A_STORE if (folder / name).exists()]
    return found != [] and (found != [OF_OTHERS] or _is_manifest(folder / OF_OTHERS))


def suggest_store(name: Path) -> str:
    """The store that a sweep of this name makes by default, as a question; empty if there is none."""
    stem = name.stem if name.suffix == ".toml" else name.name
    beside = name.parent
    for folder in (beside / f"{stem}.results", beside / f"sweep-{stem}", Path("results", f"sweep-{stem}")):
        if stem and is_store(folder):
            return f"; did you mean {folder}?"
    return ""


def _is_manifest(path: Path) -> bool:
    """Whether a file may be the manifest of a store; what is no file, or cannot be read, may have replaced it."""
    try:
        if path.is_file():
            with path.open("rb") as file:
                return MARK in file.read(MARK_WITHIN)
    except OSError:
        pass
    return True


def is_run(folder: Path) -> bool:
    """Whether a folder has the files of a saved run; it may be a store, too, that one was written over."""
    return all((folder / name).is_file() for name in OF_A_RUN)


def is_free(folder: Path) -> bool:
    """Whether nothing is in a folder but files that an interrupted writer left, or there is no such folder."""
    if not folder.is_dir():
        return True
    return all(entry.name.startswith(".") and entry.name.endswith(".part") for entry in folder.iterdir())


def check_for_run(folder: Path) -> None:
    """Refuse a folder for a run that holds anything but an earlier run."""
    if is_store(folder):
        raise UsageError(f"{folder}: the store of a sweep, not a saved run; {REMEDY}")
    if not (is_free(folder) or is_run(folder)):
        raise UsageError(f"{folder}: not a saved run; {REMEDY}")


def check_for_file(path: Path) -> None:
    """Refuse a file that would replace one of a store or of a saved run."""
    folder = path.parent
    tables = (f"{name}.parquet" for name in TABLES)
    is_named_so = path.name in (*OF_A_STORE, *OF_A_RUN, CHECKSUMS, "scenario.toml", *tables)
    if is_named_so and path.exists() and (is_store(folder) or is_run(folder)):
        raise UsageError(f"{path}: belongs to the results in {folder}; choose another name")
