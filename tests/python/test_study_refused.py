"""What is wrong with a study is said before anything runs, with its file and the key."""

import re
import shutil
from pathlib import Path

import farlink as fl
import pytest
from farlink.studies.study import Study, load
from small_study import SETTINGS

pytestmark = pytest.mark.slow

MODULE = "from farlink_studies.satellite import measured as measured\n"


def refused(tmp_path: Path, error: type[ValueError], message: str, **files: str) -> None:
    """Whether a study with these files is refused, and nothing was begun."""
    folder = tmp_path / "study"
    folder.mkdir()
    for name, text in {"settings.toml": SETTINGS, "__init__.py": MODULE, **files}.items():
        (folder / name).write_text(text)
    shutil.copy(load("satellite").folder / "claims.csv", folder)
    with pytest.raises(error, match=re.escape(message)):
        Study("small", folder).run("quick", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('quick = "1..2"', 'quick = "two"', "settings.toml: seeds.quick: `two` is not a seed; write 20, 1..20"),
        ('quick = "1..2"', 'quick = "1,1"', "settings.toml: seeds.quick: a seed is given twice"),
        ('quick = "1..2"\n', "", 'settings.toml: seeds: `quick` is missing; write a text such as "1..10"'),
        ("seeds = {}", 'seeds = { ful = "1" }', "sensitivity.seeds: unknown key `ful`; did you mean `full`?"),
        ("series = true", 'seeds = { full = "1" }', "grid over time: seeds: `quick` is missing"),
        ('scenario = "satellite"', 'scenario = "satelite"', "settings.toml: scenario: satelite: no such file"),
        ("[1e-6]", "[]", "settings.toml: grid over time: links.0.error.rate: give a list of values"),
        ("[sensitivity]", '[grid.derive]\n"links.0.delay" = "{no}"\n[sensitivity]', "over time: derived value"),
    ],
)
def test_settings_that_make_no_runs_are_refused_with_their_key(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in SETTINGS
    refused(tmp_path, fl.UsageError, message, **{"settings.toml": SETTINGS.replace(old, new)})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("duration =", "duratoin =", "settings.toml:6:1:1: duratoin: unknown key `duratoin`; did you mean `duration`?"),
        ("[1e-6]", "[7]", "settings.toml:21:1:1: links.0.error.rate: expected a number from 0 to 1"),
        ("[seeds]", '[quick.set]\nduration = "1"\n[seeds]', "settings.toml, duration:1:1: duration: "),
    ],
)
def test_a_value_that_a_scenario_cannot_have_is_refused_with_its_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in SETTINGS
    refused(tmp_path, fl.ScenarioError, message, **{"settings.toml": SETTINGS.replace(old, new)})


def test_old_defaults_are_refused_with_their_file_and_key(tmp_path: Path) -> None:
    message = 'since.toml: intervals = "bca": known: t, t_or_bca'
    refused(tmp_path, fl.UsageError, message, **{"since.toml": 'intervals = "bca"\n'})
    shutil.rmtree(tmp_path / "study")
    refused(tmp_path, fl.ScenarioError, "since.toml:2:1:1: dealy:", **{"since.toml": '[set]\ndealy = "1 s"\n'})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("measured = 1 / 0\n", "__init__.py: ZeroDivisionError: division by zero"),
        ("found = 1\n", "__init__.py: it has no `measured`, a subclass of Inputs"),
        ("import no_such_package\n", "__init__.py: ModuleNotFoundError: No module named"),
    ],
)
def test_a_module_that_cannot_read_runs_is_refused(tmp_path: Path, text: str, message: str) -> None:
    refused(tmp_path, fl.UsageError, message, **{"__init__.py": text})


def test_the_method_of_intervals_is_a_setting(tmp_path: Path) -> None:
    assert all(load(name).settings.since.intervals == "t_or_bca" for name in ("frn", "satellite"))
    (tmp_path / "settings.toml").write_text(SETTINGS)
    assert Study("small", tmp_path).settings.since.intervals == "t"
