"""The summary of `make torture`: a run that attacked less than it must is no success."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import attack
import pytest
import torture


def whole() -> list[torture.Part]:
    """All parts, with the counts of a whole run."""
    parts = [part for lane in torture.lanes() for part in lane]
    for part in parts:
        part.made = part.times
    made = {"writer": ("SIGKILL of the writer", 100), "power": ("power cut", 1000), "bits": ("flipped bit", 200)}
    for name, (what, count) in {**made, "full": ("full disk", 20)}.items():
        named(parts, name).outcomes[what] = count
    return parts


def named(parts: list[torture.Part], name: str) -> torture.Part:
    return next(part for part in parts if part.name == name)


def test_a_whole_run_has_the_exact_counts() -> None:
    assert torture.summary(whole(), [], 1.0, is_whole=True) == 0


@pytest.mark.parametrize(
    ("part", "what"),
    [("writer", "SIGKILL of the writer"), ("power", "power cut"), ("bits", "flipped bit"), ("full", "full disk")],
)
@pytest.mark.parametrize("change", [-1, 1])
def test_another_count_fails_the_whole_run_only(
    capsys: pytest.CaptureFixture[str], part: str, what: str, change: int
) -> None:
    parts = whole()
    named(parts, part).outcomes[what] += change
    assert torture.summary(parts, [], 1.0, is_whole=True) == 1
    assert "instead of" in capsys.readouterr().out
    assert torture.summary(parts, [], 1.0, is_whole=False) == 0


def test_a_limited_run_makes_an_attack_of_every_part(capsys: pytest.CaptureFixture[str]) -> None:
    parts = whole()
    named(parts, "dask_writer").made = 0
    assert torture.summary(parts, [], 1.0, is_whole=False) == 1
    assert "FAILED no attack was made: dask_writer" in capsys.readouterr().out


def test_a_broken_promise_fails_the_run() -> None:
    parts = whole()
    parts[0].broken.append("writer:0")
    assert torture.summary(parts, [], 1.0, is_whole=False) == 1


@pytest.mark.parametrize(("minutes", "only"), [(None, None), (1.0, None), (None, "bits")])
def test_a_run_without_attacks_fails(monkeypatch: pytest.MonkeyPatch, minutes: float | None, only: str | None) -> None:
    monkeypatch.setattr(torture, "run_lane", lambda *_: None)
    assert torture.attack_all(1, minutes, only) == 1


def test_a_lane_that_fails_fails_the_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def none(*_: object) -> attack.Outcomes:
        return Counter()

    def lanes(lane: Callable[..., attack.Outcomes] = none) -> list[list[torture.Part]]:
        return [[torture.Part("one", lane, 1, 1.0)], [torture.Part("other", lane, 1, 1.0)]]

    def no_folder(**_: object) -> Path:
        raise OSError("no folder for the attack")

    monkeypatch.setattr(torture, "lanes", lanes)
    assert torture.attack_all(1, 1.0, None) == 0
    monkeypatch.setattr(torture.tempfile, "mkdtemp", no_folder)
    assert torture.attack_all(1, 1.0, None) == 1
    assert "OSError: no folder for the attack" in capsys.readouterr().out
