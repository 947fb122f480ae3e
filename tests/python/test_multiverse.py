import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pytest
from farlink.errors import UsageError
from farlink.studies.multiverse import design, folded, multiverse, page, search
from farlink.studies.multiverse.classes import classify, explained
from farlink.studies.multiverse.folded import Measurement, Row
from farlink.studies.multiverse.running import Space
from farlink.studies.study import Study, load
from farlink.studies.verdict import is_met_by_mean
from small_study import FACTORS, read, runner, small_study

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def study(tmp_path):
    return small_study(tmp_path)


def test_each_level_is_tried_alone_and_the_sample_has_no_contradictions_and_no_universe_twice(tmp_path):
    found = read(tmp_path)
    assert design.one_at_a_time(found) == [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    drawn = design.sample(found, 100)
    assert sorted(drawn) == [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1)]
    assert design.sample(found, 3) == drawn[:3]


def test_an_order_of_equal_numbers_does_not_hold(study):
    value, order = (next(each for each in study.claims if each.kind == kind) for kind in ("value", "ordering"))
    assert order.at_least is not None and value.at_least is not None
    assert is_met_by_mean(value, value.at_least)
    assert not is_met_by_mean(order, order.at_least + 1e-14)
    assert is_met_by_mean(order, order.at_least + 1e-6)


def test_a_multiverse_runs_is_resumed_and_reports(tmp_path, study):
    asked = multiverse.Asked("short", universes=4, searched=0, repeated=1)
    made = multiverse.run(asked, runner(study, tmp_path / "out", "short"))
    assert [row.design for row in made.committed] == ["settings", "full settings"]
    assert len(made.alone) == 4 and len(made.sample) == 4
    base, _, narrow, _ = made.alone
    goodput = "S-11"  # of Westwood at a bit error rate of 1e-6
    assert 0 < narrow.claims[goodput].mean < base.claims[goodput].mean / 2
    assert base.claims[goodput].single in (0.0, 0.5, 1.0)
    assert made.agreement and made.agreement.universes == len(made.full)
    assert made.cpu_hours > 0
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


def test_without_corrections_the_settings_as_committed_keep_what_a_first_level_restores_of_a_shorter_run(tmp_path):
    first = 'why = "More than the pipe."\n'
    shorter = FACTORS.replace('[runs.short]\nseeds = "1..2"', '[runs.short]\nseeds = "1"\nset = { duration = "20 s" }')
    study = small_study(tmp_path)
    (study.folder / "factors.toml").write_text(shorter.replace(first, f'{first}set = {{ duration = "40 s" }}\n'))
    judged = runner(study, tmp_path / "out", "short")
    (corrected,) = judged.run("alone", [(0, 0, 0)], None)
    (committed,) = judged.run_committed("settings", corrected)
    assert committed.design == "settings" and committed.claims == corrected.claims


def test_rows_of_other_settings_are_refused(tmp_path, study):
    runner(study, tmp_path / "out").run("sample", [(0, 0, 0)], None)
    (study.folder / "factors.toml").write_text(FACTORS.replace("50 packets", "60 packets"))
    with pytest.raises(UsageError, match="run with other settings or another build"):
        runner(Study("satellite", study.folder), tmp_path / "out").run("sample", [(0, 0, 0)], None)


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
    ("holds", "single", "kind", "advice", "decides"),
    [
        ([1] * 96 + [0] * 4, 1.0, "robust", "rely", None),
        ([1] * 90 + [0] * 10, None, "undecided", "likely", None),
        ([0] * 100, 0.0, "refuted within the space", "refuted", None),
        ([1] * 10 + [0] * 90, None, "undecided", "unlikely", None),
        ([1, 0] * 50, 0.5, "a matter of chance", "open", None),
        ([1, 0] * 50, None, "depends on", "open", ("buffer",)),
        ([1, 0, 0, 1] * 25, None, "depends on", "open", ("buffer", "largest window")),
        (np.random.default_rng(1).integers(0, 2, 200).tolist(), None, "undecided", "open", None),
    ],
)
def test_the_class_of_a_claim_follows_its_rule(tmp_path, holds, single, kind, advice, decides):
    answer = classify(claim(), read(tmp_path), rows(holds, single))
    assert (answer.kind, answer.advice) == (kind, advice)
    assert answer.holds and answer.holds.low <= answer.holds.mean <= answer.holds.high
    if decides:
        assert answer.strongest and answer.strongest.factors == decides
        assert answer.row()["decides"] == " and ".join(decides)
    else:
        assert answer.row()["decides"] is None


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
    assert len(made) == 5 and [each.universe for each in search.best(made, [claim()])] == [(1, 0, 1)]


def test_the_search_learns_from_what_is_known_and_proposes_nothing_at_random(tmp_path):
    level = '[[factor.level]]\nname = "{}"\nwhy = "The paper does not say."\n'
    factor = '[[factor]]\nname = "{0}"\npoint = "{0}"\n' + "".join(map(level.format, "abc"))
    points = [f"p{number}" for number in range(8)]
    sizes = FACTORS[: FACTORS.index("[[factor]]")]
    found = read(tmp_path, sizes + "".join(map(factor.format, points)), points)
    claims = [dataclasses.replace(claim(), id=f"C{number}") for number in range(8)]

    def row(universe, wanted):
        means = {each.id: 1e9 if level == wanted else -1e9 for each, level in zip(claims, universe, strict=True)}
        return Row("search", universe, {name: Measurement(mean, None) for name, mean in means.items()})

    made = {}
    for wanted in (0, 1):
        # The best universe of all is known: what is nearest to it is proposed most often, and was run.
        known = [row(universe, wanted) for universe in [(wanted,) * 8, *design.sample(found, 60)]]
        rows = search.search(found, claims, known, 20, lambda each, wanted=wanted: [row(one, wanted) for one in each])
        assert np.mean([each.met(claims) for each in rows]) > 1 + np.mean([each.met(claims) for each in known])
        made[wanted] = {each.universe for each in rows}
    assert len(made[0] | made[1]) > 35


def test_the_best_universe_of_a_half_is_none_that_the_search_for_the_other_proposed(study):
    space = Space(study, "short")
    first, second = search.halves(space.counted)

    def row(name, universe, met):
        bounds = {each.id: each.at_least if each.at_least is not None else each.at_most for each in met}
        return Row(name, universe, {each: Measurement(bound or 0.0, None) for each, bound in bounds.items()})

    base, other = row("alone", (0, 0, 0), []), row("search second", (1, 0, 0), space.counted)
    tied, committed = row("sample", (0, 1, 0), first.judged_on[:3]), row("settings", (0, 0, 0), first.judged_on[:2])
    full = [row("full", (0, 0, 0), first.judged_on[:1])]
    asked = multiverse.Asked("short", 2, 1, 1)
    made = multiverse.Multiverse(space, asked, [base], [base, tied], [other], full, [committed], 0.0)
    on_first, on_second = made.bests
    assert [each.row.design for each in made.bests] == ["alone", "search second"]
    assert first.name == "first" and second.judged_on == first.chosen_on
    assert [each.universe for each in on_first.tied] == [(0, 0, 0), (0, 1, 0)]
    assert on_first.range == (0, 3) and on_second.range[0] == on_second.range[1] > 3
    assert [(each.met, each.met_full) for each in on_first.scores] == [(0, 1), (0, 1), (2, None)]


@pytest.mark.parametrize("name", ["satellite", "manet", "route_failure", "underwater", "frn"])
def test_halves_share_no_figure(name):
    first, second = search.halves(load(name).claims)
    chosen, judged = ({search.figure_of(each.figure) for each in part} for part in (first.chosen_on, first.judged_on))
    assert not chosen & judged and None not in chosen | judged
    assert first.chosen_on == second.judged_on and first.judged_on == second.chosen_on
    assert abs(len(first.chosen_on) - len(first.judged_on)) <= 5


def test_panels_are_of_their_figure_and_sections_and_several_figures_of_none():
    named = ("7", "7b", "3.3.2 fig6a", "Table 1", "table5", "3A", "4.2", "5-6", "2 to 5", "3.3.2 fig9-10", "abstract")
    found = ("figure 7", "figure 7", "figure 6", "table 1", "table 5", *[None] * 6)
    assert tuple(map(search.figure_of, named)) == found


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
        runner(study, tmp_path / "out").space.checked_sweeps(())


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


def test_the_report_of_another_study_is_refused_and_keeps_its_conclusion(tmp_path, study, farlink):
    (tmp_path / "report").mkdir()
    other = "# Another: multiverse analysis\n<!-- conclusion -->\n"
    (tmp_path / "report" / "multiverse.md").write_text(other)
    answer = farlink("study", "multiverse", str(study.folder), "--out", str(tmp_path), "--to", str(tmp_path / "report"))
    assert answer.returncode == 2, answer.stderr
    assert "multiverse.md: the report of another study; choose another folder" in answer.stderr
    assert (tmp_path / "report" / "multiverse.md").read_text() == other
    assert not (tmp_path / "quick").exists()


def test_damaged_rows_and_rows_of_unknown_origin_are_refused(tmp_path, study):
    made = runner(study, tmp_path / "out")
    made.run("sample", [(0, 0, 0)], None)
    rows, made_with = (tmp_path / "out" / "quick" / name for name in ("universes.csv", "made_with.json"))
    whole = rows.read_text()
    for damaged in (whole[:-20], whole.replace("sample,", "sample,,", 1), whole + '"'):
        rows.write_text(damaged)
        with pytest.raises(UsageError, match=r"universes\.csv:\d: not a universe of these factors, or damaged"):
            runner(study, tmp_path / "out").run("sample", [(0, 0, 0)], None)
    rows.write_text(whole)
    made_with.unlink()
    with pytest.raises(
        UsageError, match=r"made_with\.json: no such file, so nothing says what universes\.csv rests on"
    ):
        runner(study, tmp_path / "out").run("sample", [(0, 0, 0)], None)
