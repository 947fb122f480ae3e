import pytest
from farlink.errors import UsageError
from farlink.studies.alternative import Alternative, StudyGrid
from farlink.studies.multiverse import multiverse
from farlink.studies.multiverse.running import Space
from farlink.studies.study import Study, load
from farlink.sweeps.grid import Grid
from small_study import FACTORS, read, runner, small_study


@pytest.fixture
def study(tmp_path):
    return small_study(tmp_path)


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
    assert [each.set for each in found.alternatives((1, 0, 1))] == [{}, {}, {}, {"duration": "5 s"}]
    assert len(found.alternatives((1, 0, 0))) == 3
    with pytest.raises(UsageError, match="joint: there is no level 'bits' of a factor 'bwe'"):
        read(tmp_path, text.replace('bwe = "byte/s" }', 'bwe = "bits" }'))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('point = "BWE"', 'point = "Something"', "the choice 'BWE' of settings.toml has 0 factors"),
        ('["50"]', '["51"]', "contradiction: there is no level '51' of a factor 'largest window'"),
        ('name = "half"', 'name = "one BDP"', "factor buffer: a level is there twice"),
        ("[runs.full]", "[runs.long]", "[runs.quick], [runs.short] and [runs.full] are needed"),
        ("ruled_out =", "ruledout =", "factor buffer: level none: unknown key `ruledout`; did you mean `ruled_out`?"),
        ("set = {", "sets = {", "factor largest window: level 50: unknown key `sets`; did you mean `set`?"),
        ('seeds = "1..3"', 'seeds = "1..3"\ngrids = ["files"]', "runs.full: grids: there is no grid 'files'"),
        ("[[factor]]", "[[factor]", "factors.toml: "),
        ('[runs.quick]\nseeds = "1..2"', "[runs]\nquick = 5", "`runs.quick` must be a table, not 5"),
        ("levels = { buffer", "levels = { bufer", "contradiction: there is no level 'half' of a factor 'bufer'"),
        ('buffer = ["half"]', 'buffer = "half"', "`levels.buffer` must be a list, each a text"),
        ('why = "A small', 'because = ""\nwhy = "A small', "unknown key `because`"),
        (
            "replace = { enhanced_hybla = { bwe_scale = 0.125 } }",
            "replace = { hybla = 5 }",
            "`replace.hybla` must be a table",
        ),
        ('seeds = "1..3"', 'seeds = "1..3"\ngrids = [5]', "`grids` must be a list, each a text"),
        ('[runs.quick]\nseeds = "1..2"', "[runs.quick]", "runs.quick: `seeds` is missing"),
        ('name = "bwe"', 'name = "design"', "factor design: the name is that of a column"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_in_one_line(tmp_path, old, new, message):
    with pytest.raises(UsageError, match=r"factors\.toml") as refused:
        read(tmp_path, FACTORS.replace(old, new, 1))
    assert message in str(refused.value) and "\n" not in str(refused.value)


def test_full_runs_without_seeds_are_those_of_the_study():
    study = load("satellite")
    space = Space(study, "full")
    assert space.size.is_whole and not Space(study, "short").size.is_whole
    sweeps = space.sweeps(space.factors.base)
    for name, of_study in study.settings.grids("full"):
        assert sweeps[name].seeds == of_study.seeds
        assert [each.identified for each in sweeps[name].points()] == [each.identified for each in of_study.points()]


def test_alternatives_lie_over_a_grid_one_after_the_other():
    grid = StudyGrid(
        name="g",
        vary={"a": [1, 2], "x.congestion_control": ["reno", {"name": "hybla", "rtt0": "25 ms"}]},
        derive={"q": "{a}"},
    )
    made = grid.changed(
        [
            Alternative(vary={"a": [3], "b": [4]}),
            Alternative(set={"q": 5}, replace={"hybla": {"x": 1}}),
            Alternative(derive={"a": "{q}"}, replace={"hybla": {"y": 2}, "reno": {"z": 3}}),
            Alternative(set={"a": 9}, grids=["other"]),
        ]
    )
    assert made.vary == {
        "x.congestion_control": [{"name": "reno", "z": 3}, {"name": "hybla", "rtt0": "25 ms", "x": 1, "y": 2}],
        "q": [5],
    }
    assert made.derive == {"a": "{q}"}


def test_a_table_is_set_before_its_keys():
    grid = StudyGrid(name="g", vary={"flows": [1, 2], "flows.*.tcp.congestion_control": ["reno"]})
    made = grid.changed([Alternative(set={"flows": 3})])
    assert list(made.vary.items()) == [("flows", [3]), ("flows.*.tcp.congestion_control", ["reno"])]


def test_a_change_sets_paths_at_the_points_with_a_congestion_control():
    hybla = {"name": "hybla", "rtt0": "25 ms"}
    grid = StudyGrid(name="g", vary={"x.congestion_control": ["reno", hybla], "window": [1, 2]})
    made = grid.changed(
        [
            Alternative(
                set={"window": 20, "queue": 3},
                vary={"window": [1, 20]},
                replace={"hybla": {"y": 2}},
                set_with={"hybla": {"x.preset": "ns2_linux"}},
            )
        ]
    )
    assert (made.vary["window"], made.vary["queue"]) == ([1, 20], [3])
    (override,) = made.override
    assert override.when == {"x.congestion_control": {**hybla, "y": 2}} and override.set == {"x.preset": "ns2_linux"}
    points = Grid(made.vary, made.zip, made.override, made.derive).points()
    assert [override.applies(point) for point in points] == [False, False, True, True]


def test_a_change_reaches_a_congestion_control_that_a_grid_sets_for_all_its_points():
    hybla = {"name": "hybla", "rtt0": "25 ms"}
    grid = StudyGrid(name="g", set={"x.congestion_control": hybla}, vary={"window": [1]})
    made = grid.changed([Alternative(replace={"hybla": {"y": 2}}, set_with={"hybla": {"x.preset": "ns2_linux"}})])
    assert made.vary["x.congestion_control"] == [{**hybla, "y": 2}]
    assert [each.set for each in made.override] == [{"x.preset": "ns2_linux"}]
    assert grid.changed([Alternative(replace={"reno": {"y": 2}})]).vary == {"window": [1]}


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
    for change, kept in ((Alternative(), [{"duration": "300 s"}]), (Alternative(set={"duration": "500 s"}), [])):
        ((_, sweep),) = found.changed([change], "1..2")
        assert [each.set for each in sweep.grid.overrides] == kept


def test_corrections_with_an_unknown_key_are_refused(study):
    (study.folder / "corrections.toml").write_text(
        'date = "2026-11-23"\n[[correction]]\npoint = "x"\ncommitted = ""\ncorrected = ""\nwhy = ""\nsets = {}\n'
    )
    with pytest.raises(UsageError, match="unknown key `sets`"):
        Space(study, "quick").checked_sweeps((0, 0, 0))
