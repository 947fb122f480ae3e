import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from farlink.errors import UsageError
from farlink.studies.change import Axes, Change
from farlink.studies.multiverse import design, factors, folded, multiverse, page, search
from farlink.studies.multiverse.classes import classify, explained
from farlink.studies.multiverse.folded import Measurement, Row
from farlink.studies.multiverse.running import Runner, Space
from farlink.studies.study import HERE, Study, load
from farlink.studies.verdict import is_met_by_mean
from farlink.sweeps.grid import Grid

ROOT = Path(__file__).resolve().parents[2]
FACTORS = """
[runs.quick]
seeds = "1..2"
[runs.short]
seeds = "1..2"
[runs.full]
seeds = "1..3"

[[factor]]
name = "buffer"
point = "Bottleneck buffer"
[[factor.level]]
name = "one BDP"
why = "The usual rule."
[[factor.level]]
name = "half"
why = "The paper does not say."
derive = { "links.0.queue.limit" = "{links.0.rate * links.0.delay / 12000:.0f} packets" }
[[factor.level]]
name = "none"
ruled_out = '"queued at the gateway"'

[[factor]]
name = "largest window"
point = "Largest window"
[[factor.level]]
name = "8000"
why = "More than the pipe."
[[factor.level]]
name = "50"
why = "The paper does not say."
set = { "flows.0.tcp.max_window" = "50 packets" }

[[factor]]
name = "bwe"
point = "BWE"
[[factor.level]]
name = "bit/s"
why = "A bandwidth."
[[factor.level]]
name = "byte/s"
why = "The paper does not say."
replace = { enhanced_hybla = { bwe_scale = 0.125 } }

[[contradiction]]
levels = { buffer = ["half"], "largest window" = ["50"] }
why = "A small window needs no buffer."
"""

SETTINGS = """
title = "Small"
paper = "Nobody, 2026"
scenario = "satellite"
[set]
duration = "600 s"
"record.interval" = "1 s"
[[choice]]
point = "Bottleneck buffer"
[[choice]]
point = "Largest window"
[[choice]]
point = "BWE"
[seeds]
quick = "1..2"
full = "1..2"
[[grid]]
name = "over time"
series = true
[grid.vary]
"links.0.error.rate" = [1e-6]
"flows.0.tcp.congestion_control" = ["westwood", "hybla", "enhanced_hybla"]
[sensitivity]
seeds = {}
case = []
"""
POINTS = ["Bottleneck buffer", "Largest window", "BWE"]


@pytest.fixture
def study(tmp_path):
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "settings.toml").write_text(SETTINGS)
    (folder / "factors.toml").write_text(FACTORS)
    (folder / "__init__.py").write_text("from farlink.studies.satellite import measured as measured\n")
    shutil.copy(HERE / "satellite" / "claims.csv", folder)
    return Study("satellite", folder)


def runner(study, out, effort="quick"):
    return Runner(Space(study, effort), out, None, "local", None)


def read(tmp_path, text=FACTORS, points=POINTS):
    (tmp_path / "factors.toml").write_text(text)
    return factors.read(tmp_path / "factors.toml", points, ["over time"], ["2", "3"])


def test_a_universe_takes_one_level_of_each_factor_and_none_that_is_ruled_out(tmp_path):
    found = read(tmp_path)
    assert found.space == 8
    assert found.names(found.base) == {"buffer": "one BDP", "largest window": "8000", "bwe": "bit/s"}
    assert [each.name for each in found.items[0].ruled_out] == ["none"]


def test_levels_that_come_together_change_more(tmp_path):
    text = (
        FACTORS
        + """
[[joint]]
levels = { buffer = "half", bwe = "byte/s" }
set = { duration = "5 s" }
"""
    )
    found = read(tmp_path, text)
    assert [each.set for each in found.changes((1, 0, 1))] == [{}, {}, {}, {"duration": "5 s"}]
    assert len(found.changes((1, 0, 0))) == 3
    with pytest.raises(UsageError, match="joint: there is no level 'bits' of a factor 'bwe'"):
        read(tmp_path, text.replace('bwe = "byte/s" }', 'bwe = "bits" }'))


def test_each_level_is_tried_alone_and_the_sample_has_no_contradictions_and_no_universe_twice(tmp_path):
    found = read(tmp_path)
    assert design.one_at_a_time(found) == [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    drawn = design.sample(found, 100)
    assert sorted(drawn) == [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1)]
    assert design.sample(found, 3) == drawn[:3]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('point = "BWE"', 'point = "Something"', "the choice 'BWE' of settings.toml has 0 factors"),
        ('["50"]', '["51"]', "contradiction: there is no level '51' of a factor 'largest window'"),
        ('name = "half"', 'name = "one BDP"', "factor buffer: a level is there twice"),
        ("[runs.full]", "[runs.long]", "[runs.quick], [runs.short] and [runs.full] are needed"),
        ("ruled_out =", "ruledout =", "factor buffer: level none: why is missing"),
        ("set = {", "sets = {", "factor largest window: level 50: sets: no such key"),
        ('seeds = "1..3"', 'seeds = "1..3"\ngrids = ["files"]', "runs.full: grids: there is no grid 'files'"),
        ("[[factor]]", "[[factor]", "factors.toml: "),
        ('[runs.quick]\nseeds = "1..2"', "[runs]\nquick = 5", "runs.quick: write a table"),
        ('buffer = ["half"]', 'buffer = "half"', "levels.buffer: write a list of levels"),
        ('why = "A small', 'because = ""\nwhy = "A small', "because: no such key"),
        (
            "replace = { enhanced_hybla = { bwe_scale = 0.125 } }",
            "replace = { hybla = 5 }",
            "replace.hybla: write a table",
        ),
        ('seeds = "1..3"', 'seeds = "1..3"\ngrids = [5]', "grids: write a list of names of grids"),
        ('name = "bwe"', 'name = "design"', "factor design: the name is that of a column"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_in_one_line(tmp_path, old, new, message):
    with pytest.raises(UsageError, match=r"factors\.toml") as refused:
        read(tmp_path, FACTORS.replace(old, new, 1))
    assert message in str(refused.value) and "\n" not in str(refused.value)


def test_changes_lie_over_a_grid_one_after_the_other():
    grid = {
        "name": "g",
        "vary": {"a": [1, 2], "x.congestion_control": ["reno", {"name": "hybla", "rtt0": "25 ms"}]},
        "derive": {"q": "{a}"},
    }
    changes = [
        Change(vary={"a": [3], "b": [4]}),
        Change(set={"q": 5}, replace={"hybla": {"x": 1}}),
        Change(derive={"a": "{q}"}, replace={"hybla": {"y": 2}, "reno": {"z": 3}}),
        Change(set={"a": 9}, grids=["other"]),
    ]
    axes = Axes.changed(grid, changes)
    assert axes.vary == {
        "x.congestion_control": [{"name": "reno", "z": 3}, {"name": "hybla", "rtt0": "25 ms", "x": 1, "y": 2}],
        "q": [5],
    }
    assert axes.derive == {"a": "{q}"}


def test_a_table_is_set_before_its_keys():
    grid = {"name": "g", "vary": {"flows": [1, 2], "flows.*.tcp.congestion_control": ["reno"]}}
    axes = Axes.changed(grid, [Change(set={"flows": 3})])
    assert list(axes.vary.items()) == [("flows", [3]), ("flows.*.tcp.congestion_control", ["reno"])]


def test_an_order_of_equal_numbers_does_not_hold(study):
    value, order = (next(each for each in study.claims if each.kind == kind) for kind in ("value", "ordering"))
    assert order.at_least is not None and value.at_least is not None
    assert is_met_by_mean(value, value.at_least)
    assert not is_met_by_mean(order, order.at_least + 1e-14)
    assert is_met_by_mean(order, order.at_least + 1e-6)


def test_a_change_sets_paths_at_the_points_with_a_congestion_control():
    hybla = {"name": "hybla", "rtt0": "25 ms"}
    grid = {"name": "g", "vary": {"x.congestion_control": ["reno", hybla], "window": [1, 2]}}
    change = Change(
        set={"window": 20, "queue": 3},
        vary={"window": [1, 20]},
        replace={"hybla": {"y": 2}},
        set_with={"hybla": {"x.preset": "ns2_linux"}},
    )
    axes = Axes.changed(grid, [change])
    assert (axes.vary["window"], axes.vary["queue"]) == ([1, 20], [3])
    points = list(Grid(axes.vary, axes.zip, axes.overrides, axes.derive).points())
    assert [point.get("x.preset") for point in points] == [None, None, "ns2_linux", "ns2_linux"]


def test_a_change_reaches_a_congestion_control_that_a_grid_sets_for_all_its_points():
    grid = {"name": "g", "set": {"x.congestion_control": {"name": "hybla", "rtt0": "25 ms"}}, "vary": {"window": [1]}}
    axes = Axes.changed(grid, [Change(replace={"hybla": {"y": 2}}, set_with={"hybla": {"x.preset": "ns2_linux"}})])
    (point,) = Grid(axes.vary, axes.zip, axes.overrides, axes.derive).points()
    assert point["x.congestion_control"] == {"name": "hybla", "rtt0": "25 ms", "y": 2}
    assert point["x.preset"] == "ns2_linux"
    assert Axes.changed(grid, [Change(replace={"reno": {"y": 2}})]).vary == {"window": [1]}


def test_a_multiverse_runs_is_resumed_and_reports(tmp_path, study):
    asked = multiverse.Asked("short", universes=4, searched=0, repeated=1)
    made = multiverse.run(asked, runner(study, tmp_path / "out", "short"))
    assert len(made.alone) == 4 and len(made.sample) == 4
    base, _, narrow, _ = made.alone
    goodput = "S-11"  # of Westwood at a bit error rate of 1e-6
    assert 0 < narrow.claims[goodput].mean < base.claims[goodput].mean / 2
    assert base.claims[goodput].single in (0.0, 0.5, 1.0)
    assert made.agreement and made.agreement.universes == len(made.full)
    rows = (tmp_path / "out" / "short" / "universes.csv").read_text()
    kept = rows.splitlines()
    (tmp_path / "out" / "short" / "universes.csv").write_text("\n".join(kept[:3]) + "\n")
    again = multiverse.run(asked, runner(study, tmp_path / "out", "short"))
    assert [row.claims for row in again.sample] == [row.claims for row in made.sample]
    page.write(again, tmp_path / "report")
    document = json.loads((tmp_path / "report" / "multiverse.json").read_text())
    assert sum(document["classes"].values()) == 34
    text = (tmp_path / "report" / "multiverse.md").read_text()
    assert "none: ruled out" in text and "A small window needs no buffer." in text
    table = (tmp_path / "report" / "tables" / "multiverse.csv").read_text().splitlines()
    assert table[0].startswith("claim,counted,class,share,low,high,decides,") and len(table) == 35
    text = text.replace("<!-- conclusion -->\n", "<!-- conclusion -->\nSo it is.\n")
    (tmp_path / "report" / "multiverse.md").write_text(text)
    page.write(again, tmp_path / "report")
    assert "So it is." in (tmp_path / "report" / "multiverse.html").read_text()


def test_rows_of_other_settings_are_refused(tmp_path, study):
    runner(study, tmp_path / "out").run("sample", [(0, 0, 0)], None)
    (study.folder / "factors.toml").write_text(FACTORS.replace("50 packets", "60 packets"))
    with pytest.raises(UsageError, match="run with other settings or another build"):
        runner(Study("satellite", study.folder), tmp_path / "out").run("sample", [(0, 0, 0)], None)


def test_a_scenario_that_is_refused_names_its_universe(tmp_path, study):
    (study.folder / "factors.toml").write_text(FACTORS.replace('"50 packets"', '"50 apples"'))
    with pytest.raises(UsageError, match=r"universe buffer = one BDP, largest window = 50, bwe = .*: a size with unit"):
        multiverse.run(multiverse.Asked("quick", 2, 0, 0), runner(study, tmp_path / "out"))


def test_a_level_that_changes_nothing_is_refused(tmp_path, study):
    (study.folder / "factors.toml").write_text(FACTORS.replace('"50 packets"', '"8000 packets"'))
    with pytest.raises(UsageError, match=r"factors.toml: factor largest window: level 50: changes nothing; set what"):
        multiverse.run(multiverse.Asked("quick", 2, 0, 0), runner(study, tmp_path / "out"))


def test_figures_of_means_are_those_of_claims_and_have_no_single_runs(tmp_path, study):
    with pytest.raises(UsageError, match=r"factors.toml: averaged_figures: no claim is of '9'; known: 2, 3"):
        read(tmp_path, 'averaged_figures = ["9"]' + FACTORS)
    figures = {each.id: each.figure for each in study.claims}
    (row,) = runner(study, tmp_path / "out").run("sample", [(0, 0, 0)], None)
    figure = next(figures[name] for name, found in row.claims.items() if found.single is not None)
    (study.folder / "factors.toml").write_text(f'averaged_figures = ["{figure}"]' + FACTORS)
    (row,) = runner(Study("satellite", study.folder), tmp_path / "means").run("sample", [(0, 0, 0)], None)
    single = {name: found.single for name, found in row.claims.items() if figures[name] == figure}
    assert single
    assert set(single.values()) == {None}


def test_old_defaults_are_of_what_the_settings_set_and_not_of_what_is_changed(study):
    (study.folder / "since.toml").write_text(
        '[[override]]\nwhen = { "links.0.error.rate" = 1e-6 }\nset = { duration = "300 s" }\n'
    )
    found = Study("satellite", study.folder).settings
    for change, kept in ((Change(), [{"duration": "300 s"}]), (Change(set={"duration": "500 s"}), [])):
        ((_, sweep),) = found.changed([change], "1..2")
        assert [each.set for each in sweep.grid.overrides] == kept


def claim():
    return load("satellite").claims[0]


def rows(holds, single=None):
    """A universe for each number: its levels are its place in the sample."""
    bound = claim().at_least
    assert bound is not None
    return [
        Row(
            "sample", (place % 2, place // 2 % 2, place // 4 % 2), {claim().id: Measurement(bound + each - 0.5, single)}
        )
        for place, each in enumerate(holds)
    ]


@pytest.mark.parametrize(
    ("holds", "single", "kind", "decides"),
    [
        ([1] * 96 + [0] * 4, 1.0, "robust", None),
        ([0] * 100, 0.0, "refuted within the space", None),
        ([1, 0] * 50, 0.5, "a matter of chance", None),
        ([1, 0] * 50, None, "depends on", ("buffer",)),
        ([1, 0, 0, 1] * 25, None, "depends on", ("buffer", "largest window")),
        (np.random.default_rng(1).integers(0, 2, 200).tolist(), None, "undecided", None),
    ],
)
def test_the_class_of_a_claim_follows_its_rule(tmp_path, holds, single, kind, decides):
    answer = classify(claim(), read(tmp_path), rows(holds, single))
    assert answer.kind == kind
    assert answer.holds and answer.holds.low <= answer.holds.mean <= answer.holds.high
    if decides:
        assert answer.decides and answer.decides.factors == decides


def test_what_levels_explain_is_the_share_of_the_variance_and_not_their_number():
    values = np.array([0, 0, 0, 1, 1, 1, 1, 0] * 5, dtype=float)
    levels = np.array([0, 0, 0, 0, 1, 1, 1, 1] * 5)
    assert explained(levels, values) == pytest.approx(1 - (7.5 / 38) / (10 / 39))  # mean squares within and in all
    chance = np.random.default_rng(2)
    found = [explained(chance.integers(0, 8, 200), chance.integers(0, 2, 200).astype(float)) for _ in range(50)]
    assert np.mean(found) < 0.02


def test_the_search_finds_the_universe_that_meets_most(tmp_path):
    found = read(tmp_path)
    known = rows([0])

    def run(universes):
        return [
            Row("search", each, {claim().id: Measurement(1e9 if each == (1, 0, 1) else -1e9, None)})
            for each in universes
        ]

    made = search.search(found, [claim()], known, 20, run)
    assert len(made) == 5 and search.best(made, [claim()]).universe == (1, 0, 1)


def test_the_best_universe_of_a_half_is_none_that_the_search_for_the_other_proposed(study):
    space = Space(study, "short")
    odd, even = search.halves(space.counted)

    def row(name, universe, met):
        bounds = {each.id: each.at_least if each.at_least is not None else each.at_most for each in met}
        return Row(name, universe, {each: Measurement(bound or 0.0, None) for each, bound in bounds.items()})

    base, other = row("alone", (0, 0, 0), []), row("search even", (1, 0, 0), space.counted)
    made = multiverse.Multiverse(space, multiverse.Asked("short", 2, 1, 0), [base], [base], [other], [])
    assert [each.row.design for each in made.bests] == ["alone", "search even"]
    assert odd.name == "odd" and even.judged_on == odd.chosen_on


def test_corrections_with_an_unknown_key_are_refused(study):
    (study.folder / "corrections.toml").write_text(
        'date = "2026-11-23"\n[[correction]]\npoint = "x"\ncommitted = ""\ncorrected = ""\nwhy = ""\nsets = {}\n'
    )
    with pytest.raises(UsageError, match="sets: no such key"):
        Space(study, "quick").check((0, 0, 0))


def test_halves_share_no_figure():
    odd, even = search.halves(load("satellite").claims)
    assert not {each.figure for each in odd.chosen_on} & {each.figure for each in odd.judged_on}
    assert odd.chosen_on == even.judged_on and len(odd.chosen_on) + len(odd.judged_on) == 34


def test_rows_are_read_as_they_were_written(tmp_path):
    found, made = read(tmp_path), rows([1, 0, 1], 0.5)
    folded.write(tmp_path / "universes.csv", found, [claim()], made)
    assert [each.universe for each in folded.read(tmp_path / "universes.csv", found)] == [row.universe for row in made]
    (tmp_path / "universes.csv").write_text("design,buffer\nsample,huge\n")
    with pytest.raises(UsageError, match=r"universes\.csv:2: not a universe of these factors"):
        folded.read(tmp_path / "universes.csv", found)


def test_a_study_without_factors_is_refused(study, tmp_path):
    (study.folder / "factors.toml").unlink()
    with pytest.raises(UsageError, match="a multiverse analysis needs factors"):
        runner(study, tmp_path / "out").space.check(())


def test_the_study_that_the_recipe_adds_runs_wherever_it_lies(tmp_path, farlink):
    page = (ROOT / "docs" / "how-to-add" / "study.md").read_text()
    folder = tmp_path / "square_root"
    folder.mkdir()
    for name, text in re.findall(r"## `([\w.]+)`.*?```\w+\n(.*?)```", page, re.DOTALL):
        (folder / name).write_text(text)
    answer = farlink("study", "run", str(folder), "--quick", "--json", "--out", str(tmp_path / "run"))
    assert answer.returncode == 0, answer.stderr
    found = {claim["id"]: claim for claim in json.loads(answer.stdout)["claims"]}
    assert found["X-01"]["verdict"] == found["X-03"]["verdict"] == "reproduced"
    command = re.findall(r"farlink study multiverse square_root (.*)\n", page)[0].split()
    answer = farlink("study", "multiverse", str(folder), *command, "--json", "--out", str(tmp_path / "whole"))
    assert answer.returncode == 0 and json.loads(answer.stdout)["universes"] == 4, answer.stderr
    answer = farlink(
        "study", "multiverse", str(folder), "--universes", "4", "--json", "--out", str(tmp_path / "multiverse")
    )
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout)["universes"] == 4
    (folder / "__init__.py").unlink()
    answer = farlink("study", "multiverse", str(folder), "--universes", "4", "--out", str(tmp_path / "again"))
    assert answer.returncode == 2 and "__init__.py: no such file" in answer.stderr
