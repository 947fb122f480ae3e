"""What the command line imports before it knows what is asked: it must start quickly, which bench/start.py measures."""

import subprocess
import sys

import farlink

HEAVY = ["distributed", "matplotlib", "numpy", "optuna", "pyarrow", "rich", "scipy"]


def imported(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_the_version_is_printed() -> None:
    done = subprocess.run([sys.executable, "-m", "farlink", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"farlink, version {farlink.__version__}\n")


def test_the_command_line_leaves_heavy_libraries_alone() -> None:
    assert not imported("import farlink.cli") & set(HEAVY)


def test_before_signals_are_received_nothing_but_a_few_lines_of_our_own_is_imported() -> None:
    # What Python imports at its own start depends on the installation.
    needed = imported("import __future__, contextlib, io, os, sys")
    ours = imported("from farlink import interrupts, streams\ninterrupts.install()")
    assert ours - needed <= {"farlink", "farlink.interrupts", "farlink.streams"}
