"""Values laid over a scenario: where they were written is in every message, and a point of a sweep is made once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import farlink as fl
import pytest
from conftest import Command
from farlink.runs.change import Change
from farlink.sweeps.work import Point
from farlink.system import toml_file

RATE, DELAY = "links.0.rate", "links.0.delay"


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (f'[set]\n"{RATE}" = "1 x"\n', "sweep.toml:3:", f"{RATE}: a bit rate with unit"),
        (f'[cross]\n"{DELAY}" = ["1 ms"]\n"{RATE}" = ["1 Mbit/s", "2 x"]\n', "sweep.toml:4:", f"{RATE}: a bit rate"),
        (f'[cross]\n"{RATE[:-1]}" = ["1 Mbit/s"]\n', "sweep.toml:3:", "did you mean `rate`?"),
        (f'[derive]\n"{DELAY}" = "{{{RATE}:.0f}} x"\n', "sweep.toml:3:", f"{DELAY}: a duration with unit"),
        (f'[cross]\n"{DELAY}" = ["1 ms"]\n[zip]\n"{RATE}" = ["2 x"]\n', "sweep.toml:5:", f"{RATE}: a bit rate"),
        (f'set = {{ "{RATE}" = "1 x" }}\n', f"sweep.toml, {RATE}:", f"{RATE}: a bit rate"),
        (
            f'[set]\n"{RATE}" = "1 Mbit/s"\n[cross]\n"{DELAY}" = ["1 ms", "2 ms"]\n'
            f'[[override]]\nwhen = {{ "{DELAY}" = "1 ms" }}\nset = {{ "{RATE}" = "1 x" }}\n',
            f"sweep.toml, {RATE}:",
            f"{RATE}: a bit rate",
        ),
    ],
)
def test_a_value_of_a_file_is_refused_at_its_line(
    command: Command, link: Path, tmp_path: Path, text: str, place: str, message: str
) -> None:
    (tmp_path / "sweep.toml").write_text(f'scenario = "link.toml"\n{text}')
    status, out, err = command("sweep", "sweep.toml")
    assert (status, out) == (2, "")
    assert err.startswith(f"farlink: {place}") and message in err


def test_every_point_is_made_once(link: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[fl.Scenario] = []
    of = Point.of

    def counting(scenario: fl.Scenario, varied: Any) -> Point:
        made.append(scenario)
        return of(scenario, varied)

    monkeypatch.setattr(Point, "of", counting)
    sweep = fl.sweep(link, {DELAY: ["1 ms", "2 ms"]}, overrides=[fl.Override({DELAY: "1 ms"}, {"duration": "1 s"})])
    assert made == []
    sweep.check_question(["goodput_bps"], {"flow": "transfer"})
    assert (len(sweep.warnings), sweep.estimate().events.total > 0, len(sweep.tasks())) == (0, True, 20)
    assert sweep.run(out=tmp_path / "store").runs.num_rows == 20
    assert len(made) == 2


def test_changes_lie_over_each_other_in_their_order(link: Path) -> None:
    base = fl.load(link)
    changes = [Change(DELAY, "1 ms"), Change.of("links.0", {"between": ["ground", "remote"], "rate": "1 Mbit/s"})]
    later = base.changed(*changes, Change.of(DELAY, "3 ms"))
    assert later.settings == (*changes, Change(DELAY, '"3 ms"', f'set("{DELAY}")'))
    assert 'delay = "3 ms"' in later.validated.resolved
    assert base.settings == ()


@dataclass(frozen=True)
class Part:
    """A table of the file below."""

    name: str
    sizes: Sequence[int] = ()


@dataclass(frozen=True)
class File:
    """What the file may have."""

    date: str
    parts: Sequence[Part] = field(default=(), metadata={toml_file.KEY: "part"})
    shares: Mapping[str, float] = field(default_factory=dict)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("date = 5", "f.toml: `date` must be a text, not 5"),
        ("dates = 'x'", "f.toml: unknown key `dates`; did you mean `date`?"),
        ("", "f.toml: `date` is missing; write a text"),
        ("date = ''\n[[part]]\nname = 'a'\nsize = 3", "f.toml: part a: unknown key `size`; did you mean `sizes`?"),
        ("date = ''\n[[part]]\nname = 'a'\n[[part]]", "f.toml: part 2: `name` is missing; write a text"),
        ("date = ''\npart = 3", "f.toml: `part` must be an array of tables [[part]], not 3"),
        ("date = ''\nshares = { a = true }", "f.toml: `shares.a` must be a number, not True"),
        ("date = ", "f.toml: Invalid value (at end of document)"),
    ],
)
def test_a_file_of_another_form_is_refused_by_its_key(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "f.toml").write_text(text)
    with pytest.raises(fl.UsageError) as refused:
        toml_file.read(tmp_path / "f.toml", File)
    assert str(refused.value).endswith(message)
