import csv
import dataclasses
import hashlib
import json
import math
import os
from pathlib import Path

import farlink as fl
import numpy as np
import pytest
from farlink.studies import claims, report_page, settings, single_runs
from farlink.studies.measured import Experiments
from farlink.studies.runs import MissingError
from farlink.studies.satellite import findings, runs
from farlink.studies.satellite.experiments import fairness, start_up
from farlink.studies.satellite.explanations import limiting_cause
from farlink.studies.satellite.runs import Case, Runs, SeedResult, TimeSeries
from farlink.studies.single_runs import SingleRuns
from farlink.studies.study import HERE, Outcome, Study, load, studies
from farlink.studies.verdict import Finding, accepts, judge
from farlink.sweeps.grid import Grid
from test_verdicts import claim, measured

pytestmark = pytest.mark.slow

SATELLITE = HERE / "satellite"


def flat_runs(**goodput: float) -> Runs:
    """Runs in which every variant has one goodput everywhere."""
    cases: dict[Case, dict[int, SeedResult]] = {}
    for variant, value in goodput.items():
        for rate in (0, *findings.RATES):
            cases[Case(variant, rate)] = {seed: SeedResult(value * (1 - 0.01 * seed)) for seed in (1, 2, 3)}
        for rtt in findings.RTTS_S:
            cases[Case(variant, 1e-8, rtt)] = {seed: SeedResult(value * (1 - 0.01 * seed)) for seed in (1, 2, 3)}
        for rate in (0, 1e-8, 1e-7):
            for size in findings.SIZES:
                cases[Case(variant, rate, size_bytes=size)] = {
                    1: SeedResult(value, is_censored=size == findings.SIZES[-1])
                }
    return Runs(cases)


PUBLISHED = {"westwood": 17.0, "hybla": 12.0, "enhanced_hybla": 95.0}
SWAPPED = {"westwood": 95.0, "hybla": 12.0, "enhanced_hybla": 17.0}


@pytest.mark.parametrize("number", ["S-10", "S-18", "S-23", "S-31", "S-32", "S-33", "S-34"])
def test_a_finding_can_meet_its_claim_and_miss_it(number):
    by_id = {each.id: each for each in load("satellite").claims}
    meets = findings.MEASURES[number].find(flat_runs(**PUBLISHED))
    assert accepts(by_id[number], meets.value) or number == "S-18"
    spoiled = flat_runs(**SWAPPED)
    for variant in SWAPPED:
        spoiled._cases[Case(variant, 1e-6)] = {1: SeedResult(1.0)}
        spoiled._cases[Case(variant, 1e-8, 0.1)] = {1: SeedResult(1.0), 2: SeedResult(1.0), 3: SeedResult(1.0)}
        for size in findings.SIZES:
            spoiled._cases[Case(variant, 1e-8, size_bytes=size)] = {1: SeedResult(40.0)}
            spoiled._cases[Case(variant, 1e-7, size_bytes=size)] = {1: SeedResult(40.0)}
    assert not accepts(by_id[number], findings.MEASURES[number].find(spoiled).value)


def test_every_claim_has_a_measure_and_bounds():
    satellite = load("satellite")
    assert [each.id for each in satellite.claims] == [f"S-{number:02}" for number in range(1, 35)]
    assert list(findings.MEASURES) == [each.id for each in satellite.claims]
    assert all((each.at_least, each.at_most) != (None, None) for each in satellite.claims)


def test_ratios_are_paired_by_seed():
    found = findings.paired_ratio({1: 2.0, 2: 20.0}, {1: 1.0, 2: 10.0})
    assert (found.mean, found.low, found.high) == (pytest.approx(2), pytest.approx(2), pytest.approx(2))
    assert findings.paired_ratio({1: 4.0}, {1: 1.0, 2: 2.0, 3: 4.0}).mean == pytest.approx(2)


def test_runs_that_were_not_made_are_missing_and_nothing_else():
    with pytest.raises(MissingError):
        findings.MEASURES["S-34"].find(flat_runs(westwood=1))


def test_a_file_that_was_not_finished_is_said_to_be():
    assert "1 of 1 sizes not finished" in findings.MEASURES["S-32"].find(flat_runs(**PUBLISHED)).note


def test_settings_are_hashed_as_a_file_and_every_grid_is_valid():
    found = load("satellite").settings
    assert found.sha256 == hashlib.sha256((SATELLITE / "settings.toml").read_bytes()).hexdigest()
    for effort, least in (("quick", 1), ("full", 10)):
        for name, sweep in found.grids(effort):
            rates = {task.scenario.validated.resolved.count("rate = 0.0") for task in sweep.tasks()}
            assert len(sweep.seeds) >= least or ("no errors" in name and rates)


@pytest.mark.parametrize("name", sorted(studies()))
def test_every_scenario_of_a_study_is_valid(name):
    found = load(name).settings
    grids = [*found.grids("quick"), *found.grids("full"), *found.sensitivity("quick"), *found.sensitivity("full")]
    for part, sweep in [*grids, *found.controlled(), *found.additional()]:
        assert sweep.tasks(), part


def test_what_ns2_was_recorded_to_do_belongs_to_these_settings():
    document = json.loads((SATELLITE / "ns2" / "measured.json").read_text())
    assert document["settings_sha256"] == load("satellite").settings.sha256
    peer = runs.of_ns2(SATELLITE / "ns2" / "measured.json")
    assert findings.MEASURES["S-05"].find(peer).value.count >= 5


def short(tmp_path: Path) -> Study:
    """The study with so few and so short runs that it takes seconds."""
    text = (SATELLITE / "settings.toml").read_text()
    for old, new in (
        ('duration = "4000 s"', 'duration = "3 s"'),
        ('duration = "600 s"', 'duration = "3 s"'),
        ('"links.0.rate" = "100 Mbit/s"', '"links.0.rate" = "1 Mbit/s"'),
        ('quick = "1..3"', 'quick = "1..2"'),
    ):
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "settings.toml").write_text(text)
    (tmp_path / "claims.csv").write_text((SATELLITE / "claims.csv").read_text())
    return Study("satellite", tmp_path)


def test_a_study_runs_resumes_and_reads_its_runs(tmp_path):
    study = short(tmp_path)
    with pytest.raises(fl.UsageError, match="no run of a study"):
        study.outcome(tmp_path / "out")
    shares: list[float] = []
    outcome = study.run("quick", tmp_path / "out", progress=shares.append)
    assert shares == sorted(shares) and shares[-1] == pytest.approx(1)
    again: list[float] = []
    study.run("quick", tmp_path / "out", progress=again.append)
    assert again == []
    made = outcome.measured.runs
    case = Case("hybla", 1e-7)
    assert set(made.goodput(case)) == {1, 2}
    assert made.goodput(case)[1] == pytest.approx(made.between(case, 0, 3)[1], rel=0.2)
    assert made.between(case, 1, math.inf) == made.between(case, 1, 3)
    assert made.round_trips("hybla", 1e-8) == list(findings.RTTS_S)
    with pytest.raises(MissingError):
        made.round_trips("hybla", 1e-7)
    assert made.is_censored(Case("hybla", 1e-7, size_bytes=2 * 10**9))
    assert "Hybla at BER 1e-07: limited by" in limiting_cause(made, case, "Hybla")
    assert set(outcome.measured.others) == {name for name, _ in study.settings.sensitivity("quick")}


def test_single_runs_are_those_of_one_seed_and_one_where_nothing_is_random():
    random, fixed = Case("hybla", 1e-8), Case("hybla", 0)
    made = Runs({random: {seed: SeedResult(10.0 * seed) for seed in (1, 2, 3)}, fixed: {1: SeedResult(15.0)}})

    def find(some: Runs) -> dict[str, Finding]:
        cases = {"R": random, "F": fixed}
        return {name: Finding(findings.seed_mean(some.goodput(case))) for name, case in cases.items() if case in some}

    asked = [dataclasses.replace(claim(at_least=15), id=name) for name in ("R", "F", "missing")]
    found = single_runs.of_claims(asked, made, find)
    assert {name: str(each) for name, each in found.items()} == {"R": "1 of 3", "F": "1 of 1"}
    assert found["R"].share == pytest.approx(1 / 3)


class Pretended:
    def __init__(self, values: dict[str, float], *, more: bool = False) -> None:
        self.values = values
        self.more = more

    def judge(self, given):
        return [judge(each, Finding(measured(self.values.get(each.id, 1e9), 0))) for each in given]

    def single_runs(self, given):
        return {"S-01": SingleRuns(2, 3), "S-02": SingleRuns(0, 1)}

    def figures(self):
        from matplotlib.figure import Figure

        figure = Figure()
        figure.subplots().plot([1, 2])
        yield "Figure 2: a line", figure

    def tables(self):
        from farlink.results.report_table import ReportTable

        yield "A table", ReportTable.of([{"variant": "Reno", "goodput": 1.5}])

    def data(self):
        yield from (("goodput", table) for _, table in self.tables())

    def experiments(self):
        if not self.more:
            return None
        figures = [("Figure A: shares", next(self.figures())[1])]
        return Experiments(["Two share unevenly."], list(self.tables()), figures)


def test_the_document_has_every_claim_and_the_hash(tmp_path):
    document = Outcome(load("satellite"), "quick", Pretended({"S-01": 95.0})).document
    assert list(document) == ["study", "settings_sha256", "claims"]
    assert len(document["claims"]) == 34
    keys = ["id", "published", "measured", "low", "high", "counted", "verdict", "reason"]
    assert all(list(row) == keys for row in document["claims"])
    assert document["claims"][0]["verdict"] == "reproduced"
    assert document["claims"][7]["verdict"] == "not reproduced"
    json.dumps(document, allow_nan=False)


def test_a_report_stands_alone_and_tells_how_it_was_made(tmp_path):
    report_page.write(Outcome(load("satellite"), "quick", Pretended({})), tmp_path)
    html, markdown = (tmp_path / "report.html").read_text(), (tmp_path / "report.md").read_text()
    for text in (html, markdown):
        assert load("satellite").settings.sha256 in text
        assert "farlink study run satellite --quick" in text
        assert text.count("S-34") == 2
    assert "data:image/png;base64," in html and 'src="http' not in html
    assert (tmp_path / "figures" / "figure-2.png").stat().st_size > 1000
    assert "(figures/figure-2.png)" in markdown
    assert "Additional experiments" not in markdown
    rows = list(csv.DictReader((tmp_path / "tables" / "claims.csv").read_text().splitlines()))
    assert [row["id"] for row in rows] == [f"S-{number:02}" for number in range(1, 35)]
    assert {row["verdict"] for row in rows} == {"not reproduced", "reproduced"}
    assert [(row["single_runs_met"], row["single_runs"]) for row in rows[:3]] == [("2", "3"), ("0", "1"), ("", "")]
    assert "| 2 of 3 | reproduced |" in markdown and "<td>2 of 3" in html
    for text in (html, markdown):
        assert "reproduced 15, direction only 0, not reproduced 19, not reproducible 0." in text
        assert "Of the counted claims 0 are met by every single run, 1 by some, and 1 by none." in text
        assert "multiverse analysis" not in text
    rows = [
        {"claim": name, "counted": True, "advice": advice, "share": share, "class": "depends on", "decides": "buffer"}
        for name, advice, share in (("S-01", "open", 0.41), ("S-02", "rely", 1.0), ("S-03", None, None))
    ]
    (tmp_path / "multiverse.json").write_text(json.dumps({"claims": rows}))
    report_page.write(Outcome(load("satellite"), "quick", Pretended({})), tmp_path)
    text = (tmp_path / "report.md").read_text()
    assert "([multiverse analysis](multiverse.md)) the advice for the counted claims is\nrely 1, open 1." in text
    assert "| open: 41.0%, depends on buffer |" in text
    assert (tmp_path / "tables" / "goodput.csv").read_text().splitlines()[1] == "Reno,1.5"


def test_additional_experiments_have_a_section_of_their_own(tmp_path):
    report_page.write(Outcome(load("satellite"), "full", Pretended({}, more=True)), tmp_path)
    html, markdown = (tmp_path / "report.html").read_text(), (tmp_path / "report.md").read_text()
    for text in (html, markdown):
        assert load("satellite").settings.experiments_sha256 in text
        assert "farlink study run satellite --full --experiments" in text
        assert "Two share unevenly." in text
    assert "(figures/figure-a.png)" in markdown and (tmp_path / "figures" / "figure-a.png").exists()


def test_a_report_keeps_the_headline_and_the_analysis_of_the_one_it_replaces(tmp_path):
    outcome = Outcome(load("satellite"), "quick", Pretended({}))
    report_page.write(outcome, tmp_path)
    report = tmp_path / "report.md"
    first = report.read_text()
    for name in report_page.KEPT:
        assert first.count(f"<!-- {name} -->\n<!-- end of {name} -->\n") == 1
        first = first.replace(f"<!-- {name} -->\n", f"<!-- {name} -->\nWritten by hand: {name}.\n")
    report.write_text(first)
    report_page.write(outcome, tmp_path)
    assert report.read_text() == first


def series(goodput_mbps: float) -> TimeSeries:
    time_s = np.arange(0, 61, 0.2)
    nothing = np.full(len(time_s), np.nan)
    return TimeSeries(time_s, goodput_mbps * 1e6 / 8 * np.maximum(time_s - 5, 0), nothing, nothing)


def test_a_start_is_measured_in_bytes_and_in_the_time_until_a_share_of_the_capacity():
    assert start_up.bytes_arrived(series(80), 10) == pytest.approx(50e6)
    assert start_up.time_to_goodput(series(80), 40) == pytest.approx(10)
    assert start_up.time_to_goodput(series(80), 79) is None
    assert start_up.capacity_mbps(1e-5) == pytest.approx(96.533 * 0.88692, rel=1e-4)
    starts = {
        start_up.Start(1e-5, scheme): {1: series(goodput), 2: series(goodput + 1)}
        for scheme, goodput in zip(start_up.SCHEMES, (40, 60, 30, 80), strict=True)
    }
    found = start_up.report(starts)
    assert ["more than" in said or "less than" in said for said in found.findings] == [True, True, True]
    assert "both kept" in found.findings[2] and "1.99 times" in found.findings[2]


def test_two_that_get_the_same_share_evenly_and_two_that_do_not_do_not():
    together = fairness.Pair(fairness.TOGETHER, "Enhanced Hybla", "CUBIC", 0.0)
    even = fairness.Shares([40.0, 41.0, 40.0], [40.0, 40.0, 41.0])
    assert even.jain.mean == pytest.approx(1, abs=1e-3) and even.share.mean == pytest.approx(0.5, abs=0.01)
    uneven = fairness.Shares([90.0, 91.0, 90.0], [1.0, 1.0, 2.0])
    assert uneven.jain.mean < 0.55
    assert "evenly" in fairness.report({together: even}).findings[0]
    assert "unevenly" in fairness.report({together: uneven}).findings[0]
    assert "gets 99%" in fairness.report({together: uneven}).findings[0]


def test_additional_experiments_read_their_own_runs(tmp_path):
    for name, sweep in load("satellite").settings.additional():
        is_start = name == start_up.GRID
        scenario = sweep.tasks()[0].scenario.set("duration", "3 s" if is_start else "120 s")
        for flow in range(1 if is_start else 2):
            scenario = scenario.set(f"flows.{flow}.tcp.max_window", "20 packets")
        found = fl.Sweep(scenario, Grid(), (1,), series=True).run(out=tmp_path / name)
        if is_start:
            assert list(start_up.of_results(found)) == [start_up.Start(1e-7, "as published")]
            continue
        (pair, shares), *more = fairness.of_results([found]).items()
        assert not more and pair[1:] == ("Enhanced Hybla", "Enhanced Hybla", 0.0)
        # 20 packets per round trip each: 0.39 Mbit/s in 600 ms, twice that in 300 ms.
        assert shares.together.mean == pytest.approx(1.16 if "300 ms" in pair.when else 0.77, rel=0.03)


def test_the_command_lists_studies_and_refuses_others(farlink):
    done = farlink("study", "list")
    assert done.returncode == 0
    assert set(studies()) == {line.partition(":")[0] for line in done.stdout.splitlines()}
    done = farlink("study", "run", "satelite")
    assert done.returncode == 2 and "known: " in done.stderr
    done = farlink("study", "report", "satellite")
    assert done.returncode == 2 and "farlink study run satellite" in done.stderr


def test_claims_and_settings_are_in_the_package():
    for study in studies().values():
        assert claims.read(study.folder / "claims.csv") == study.claims
        assert dataclasses.is_dataclass(settings.read(study.folder / "settings.toml"))


def test_what_the_program_does_otherwise_since_is_as_it_was_in_the_settings_as_committed():
    study = load("manet")
    changes = study.corrections.changes

    def first(sweeps):
        return [str(next(iter(sweep.points())).identified) for _, sweep in sweeps]

    for committed in (study.settings.grids("quick"), study.settings.corrected([]), study.settings.changed([], "1")):
        texts = first(committed)
        assert len(texts) == 4 and all("neighbour_routes = true" in each and 'arp = "ideal"' in each for each in texts)
    texts = first(study.settings.corrected(changes))
    assert len(texts) == 4 and all("neighbour_routes = false" in each and 'arp = "one_slot"' in each for each in texts)


@pytest.mark.parametrize("name", ["settings.toml", "experiments.toml", "since.toml"])
def test_settings_that_are_no_regular_file_are_refused(tmp_path, name):
    (tmp_path / "settings.toml").write_bytes((SATELLITE / "settings.toml").read_bytes())
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    with pytest.raises(fl.UsageError, match=f"{name}: a pipe or a device, not a regular file"):
        settings.read(tmp_path / "settings.toml")
