"""A changed hash has a commit of its own that names scenario, cause, and the means before and after.

Needs the history: in an archive or a clone without its parents nothing can be said.
"""

import csv
import subprocess
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HASHES = "tests/determinism/hashes.csv"
HEADER = "scenario,table,column,hash,mean\n"


def git(repository: Path, *arguments: str) -> str:
    """What a git command says."""
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def changed_scenarios(repository: Path, commit: str) -> set[str]:
    """The scenarios of which a commit changes or removes a line, other than by a new name of a column."""
    patch = git(repository, "show", "--format=", "--unified=0", commit, "--", HASHES)
    hashes = {"-": Counter[tuple[str, ...]](), "+": Counter[tuple[str, ...]]()}
    for line in patch.splitlines():
        if line[:1] in hashes and line[:3] not in ("---", "+++"):
            [[scenario, table, _, *values]] = csv.reader([line[1:]])
            hashes[line[0]][(scenario, table, *values)] += 1
    return {scenario for scenario, *_ in hashes["-"] - hashes["+"]}


def faults(repository: Path) -> list[str]:
    """What is wrong with the commits that change hashes, newest first."""
    found = []
    for commit in git(repository, "log", "--no-merges", "--format=%h", "--", HASHES).split():
        scenarios = changed_scenarios(repository, commit)
        if not scenarios:
            continue
        message = git(repository, "show", "--no-patch", "--format=%B", commit)
        others = [
            name for name in git(repository, "show", "--format=", "--name-only", commit).split() if name != HASHES
        ]
        found += [f"{commit}: changes hashes together with {others[0]}"] if others else []
        found += [
            f"{commit}: {name} changes and is not named" for name in sorted(scenarios) if f"{name}:" not in message
        ]
        causes = [line for line in message.splitlines() if line.startswith("Cause: ") and line.strip() != "Cause:"]
        found += [] if causes else [f"{commit}: no line that begins with `Cause: `"]
    return found


def commit(repository: Path, message: str, **files: str) -> None:
    """Commits files whose names are given without folders."""
    for name, text in files.items():
        path = repository / (HASHES if name == "hashes" else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(repository, "add", "--all")
    git(repository, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", message)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A history in which hashes are kept."""
    git(tmp_path, "init", "--quiet")
    commit(tmp_path, "engine, hashes", code="1", hashes=HEADER + "manet,flows,delay_s,00,1.0\n")
    return tmp_path


def test_a_new_column_may_come_together_with_its_code(repository: Path) -> None:
    commit(repository, "column", code="2", hashes=HEADER + "manet,flows,delay_s,00,1.0\nmanet,flows,loss,11,0.5\n")
    assert faults(repository) == []


def test_a_column_may_be_renamed_together_with_its_code(repository: Path) -> None:
    commit(repository, "rename", code="2", hashes=HEADER + "manet,flows,delay_mean_s,00,1.0\n")
    assert faults(repository) == []


def test_a_changed_hash_together_with_code_is_a_fault(repository: Path) -> None:
    commit(repository, "Cause: x\n\nmanet:", code="2", hashes=HEADER + "manet,flows,delay_s,01,1.5\n")
    assert [fault.split(": ", 1)[1] for fault in faults(repository)] == ["changes hashes together with code"]


def test_a_changed_hash_without_scenario_and_cause_is_a_fault(repository: Path) -> None:
    commit(repository, "new hashes\n\nCause: \n", hashes=HEADER + "manet,flows,delay_s,01,1.5\n")
    said = [fault.split(": ", 1)[1] for fault in faults(repository)]
    assert said == ["manet changes and is not named", "no line that begins with `Cause: `"]


def test_a_changed_hash_with_scenario_and_cause_is_none(repository: Path) -> None:
    message = "new hashes\n\nCause: a rounding\n\nmanet:\n  flows.delay_s: mean 1 -> 1.5\n"
    commit(repository, message, hashes=HEADER + "manet,flows,delay_s,01,1.5\n")
    assert faults(repository) == []


def test_every_changed_hash_of_this_history_has_a_commit_of_its_own() -> None:
    if not (ROOT / ".git").exists() or git(ROOT, "rev-parse", "--is-shallow-repository").strip() == "true":
        pytest.skip("NOT RUN: no history here")
    assert faults(ROOT) == []
