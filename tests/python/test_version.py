"""What the command line imports, which decides how soon it answers; bench/start.py measures that.

A module imports at its top what every use of it needs; what is heavy and not always needed is imported where it is
used. The tests name what a command may not import. None asserts a time, for times depend on what else runs.
"""

import subprocess
import sys

import farlink
import pytest

HEAVY = {"asyncio", "distributed", "http.server", "matplotlib", "numpy", "optuna", "pandas", "pyarrow", "rich", "scipy"}
OF_PYTHON = {
    *("concurrent.futures", "fractions", "hashlib", "html", "importlib.metadata", "logging", "pickle", "shutil"),
    *("statistics", "tempfile", "tomllib", "traceback"),
}
"""Together they take as long to import as a short run takes to simulate."""
ROOMS = {
    *("farlink.animation", "farlink.lab", "farlink.results", "farlink.store", "farlink.studies", "farlink.sweeps"),
    *("farlink.cli.sweep", "farlink.tuning"),
}
RUN = ["run", "satellite", "--set", "duration=1 s"]


def imported(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def imported_by(arguments: list[str]) -> set[str]:
    return imported(f"""
import contextlib, io
from farlink import __main__
sys.argv[1:] = {arguments!r}
with contextlib.redirect_stdout(io.StringIO()):
    assert __main__._run_cli() == 0
""")


def test_the_version_is_printed() -> None:
    done = subprocess.run([sys.executable, "-m", "farlink", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"farlink, version {farlink.__version__}\n")


def test_the_version_is_the_one_that_click_would_print() -> None:
    done = subprocess.run([sys.executable, "-m", "farlink", "--version", "list"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"farlink, version {farlink.__version__}\n")


def test_the_version_needs_no_command_line() -> None:
    assert not imported_by(["--version"]) & {"click", "farlink.cli", "json", "pathlib", "re", "typing"}


def test_the_command_line_leaves_heavy_libraries_alone() -> None:
    assert not imported("from farlink.cli import cli\nassert all(cli.commands.values())") & HEAVY


@pytest.mark.parametrize(
    ("arguments", "may"),
    [
        (RUN, set()),
        (["--help"], {"shutil"}),
        (["run", "--help"], {"shutil"}),  # of click, for the width of the terminal
        (["check", "satellite"], {"importlib.metadata", "shutil", "tempfile"}),  # the packages that may be in the way
        (["list"], {"fractions", "importlib.metadata", "pickle", "rich", "shutil", "tempfile"}),
    ],
    ids=lambda each: " ".join(each[:2]) if isinstance(each, list) else "",
)
def test_a_command_imports_what_it_uses(arguments: list[str], may: set[str]) -> None:
    assert imported_by(arguments) & (HEAVY | OF_PYTHON | ROOMS) <= may


def test_before_signals_are_received_nothing_but_a_few_lines_of_our_own_is_imported() -> None:
    # What Python imports at its own start depends on the installation.
    needed = imported("import __future__, contextlib, io, os, sys")
    ours = imported("from farlink.system import interrupts, streams\ninterrupts.install()")
    assert ours - needed <= {"farlink", "farlink.system", "farlink.system.interrupts", "farlink.system.streams"}
