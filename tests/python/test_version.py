"""What the command line imports before it knows what is asked: it must start quickly, which bench/start.py measures."""

import subprocess
import sys
from pathlib import Path

import farlink

HEAVY = ["asyncio", "distributed", "http.server", "matplotlib", "numpy", "optuna", "pyarrow", "rich", "scipy"]


def imported(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_the_version_is_printed() -> None:
    done = subprocess.run([sys.executable, "-m", "farlink", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"farlink, version {farlink.__version__}\n")


def test_the_command_line_leaves_heavy_libraries_alone() -> None:
    assert not imported("from farlink.cli import cli\nassert all(cli.commands.values())") & set(HEAVY)


def test_a_table_of_one_seed_needs_none_of_them_but_what_draws_it(link: Path) -> None:
    code = f"""
import contextlib, io
from farlink import cli
sys.argv[1:] = ["run", {str(link)!r}, "--set", "duration=1 s"]
with contextlib.redirect_stdout(io.StringIO()):
    assert cli.main() == 0
"""
    found = imported(code)
    assert found & set(HEAVY) == {"rich"}
    assert not found & {"farlink.sweeps", "farlink.store", "farlink.results", "farlink.cli.sweep"}


def test_before_signals_are_received_nothing_but_a_few_lines_of_our_own_is_imported() -> None:
    # What Python imports at its own start depends on the installation.
    needed = imported("import __future__, contextlib, io, os, sys")
    ours = imported("from farlink.system import interrupts, streams\ninterrupts.install()")
    assert ours - needed <= {"farlink", "farlink.system", "farlink.system.interrupts", "farlink.system.streams"}
