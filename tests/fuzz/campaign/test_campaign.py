from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path

import attempt
import cases
import journals
import pytest
import verdict

HERE = Path(__file__).parent
CASES = sorted(path.parent for path in (HERE.parent / "regressions" / "cases").rglob(cases.ARGUMENTS))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_that_failed_once_is_run_or_refused(case: Path) -> None:
    done = subprocess.run([sys.executable, HERE, "--replay", case], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_empty_campaign_fails(tmp_path: Path) -> None:
    arguments = ["--inputs", "10", "--seconds", "0", "--keep", tmp_path]
    done = subprocess.run([sys.executable, HERE, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "0 of 10 inputs were made" in done.stderr


@pytest.mark.parametrize(
    ("made", "is_limited", "status"), [(10, False, 0), (9, False, 1), (9, True, 0), (0, True, 1), (0, False, 1)]
)
def test_a_campaign_without_limited_time_makes_all_inputs(made: int, is_limited: bool, status: int) -> None:
    assert verdict.summary(Counter({attempt.COMPLETED: made}), 10, is_limited=is_limited) == status


def used(memory: int) -> resource.struct_rusage:
    return resource.struct_rusage((0.1, 0.0, memory >> 10, *(0,) * 13))


def test_a_case_is_made_from_its_seed() -> None:
    made = [cases.make(f"1-{number}") for number in range(50)]
    assert made == [cases.make(f"1-{number}") for number in range(50)]
    assert len({case.files.get(cases.SCENARIO) for case in made}) > 20


@pytest.mark.parametrize(
    ("status", "out", "errors", "kind"),
    [
        (0, {"jain": None, "flows": [{"goodput_bps": 1.0}]}, "", "completed"),
        (0, {"flows": [{"goodput_bps": None}]}, "", "failure"),
        (0, {"flows": [{"goodput_bps": float("nan")}]}, "", "failure"),
        (1, None, "farlink: x: seed 1: stopped after 5000 events at t = 1 s of 2 s\n", "stopped"),
        (1, None, "farlink: no space left on device\n", "failure"),
        (1, None, 'Traceback (most recent call last):\n  File "x.py"\n', "failure"),
        (2, None, "farlink: a.toml:1:5: x: bad; write good\n1 | x = bad\n  |     ^^^\n", "refused"),
        (2, None, "farlink: a.toml: no such file\n", "refused"),
        (2, None, "farlink: a: one\ntwo\n", "failure"),
        (2, None, "farlink: a: \x1b[31mred\n", "failure"),
        (2, None, "", "failure"),
        (-6, None, "memory allocation of 99 bytes failed\n", "failure"),
    ],
)
def test_what_breaks_a_promise_is_a_failure(tmp_path: Path, status: int, out: object, errors: str, kind: str) -> None:
    (tmp_path / "stdout").write_text(json.dumps(out) if out else "")
    (tmp_path / "stderr").write_text(errors)
    assert attempt.judged(tmp_path, "run", -status if status < 0 else status << 8, used(1 << 20)).kind == kind


def test_too_much_memory_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "stdout").write_text("{}")
    (tmp_path / "stderr").write_text("")
    assert attempt.judged(tmp_path, "explain", 0, used(1 << 30)).kind == "completed"
    assert attempt.judged(tmp_path, "explain", 0, used(3 << 30)).kind == "failure"


def test_a_warning_may_stand_beside_a_message(tmp_path: Path) -> None:
    (tmp_path / "stdout").write_text("")
    (tmp_path / "stderr").write_text("farlink: warning: a: 2 TB\nfarlink: a: no\n")
    assert attempt.judged(tmp_path, "run", 2 << 8, used(1 << 20)).kind == "refused"


def test_of_a_damaged_journal_all_whole_records_are_read() -> None:
    faults = [fault for number in range(2000) if (fault := journals.attack(f"1-{number}"))]
    assert not faults
