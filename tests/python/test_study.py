import csv
import dataclasses
import json
import math
import os
import re
from pathlib import Path

import farlink as fl
import pytest
from farlink.studies import claims, report_page, settings, single_runs
from farlink.studies.experiments import Experiments
from farlink.studies.runs import MissingError
from farlink.studies.single_runs import SingleRuns
from farlink.studies.study import Outcome, Study, load, studies
from farlink.studies.verdict import Finding, judge
from farlink_studies.satellite import findings
from farlink_studies.satellite.explanations import limiting_cause
from farlink_studies.satellite.runs import Case, Runs, SeedResult
from test_verdicts import claim, measured

pytestmark = pytest.mark.slow

SATELLITE = load("satellite").folder


@pytest.mark.parametrize("name", sorted(studies()))
def test_every_scenario_of_a_study_is_valid(name):
    found = load(name).settings
    grids = [*found.grids("quick"), *found.grids("full"), *found.sensitivity("quick"), *found.sensitivity("full")]
    for part, sweep in [*grids, *found.controlled(), *found.additional()]:
        assert sweep.tasks(), part


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
        return {name: Finding(some.mean(some.goodput(case))) for name, case in cases.items() if case in some}

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
        return {"S-01": SingleRuns(2, [1.0, 2.0, 3.0]), "S-02": SingleRuns(0, [1.0])}

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
        assert "multiverse analysis" not in text
    assert "| as committed, `--quick` | 15 | 0 | 19 | 0 | 34 |\n" in markdown
    assert "| as committed | 0 | 1 | 1 |\n" in markdown
    rows = [
        {"claim": name, "counted": True, "advice": advice, "share": share, "class": "depends on", "decides": "buffer"}
        for name, advice, share in (("S-01", "open", 0.41), ("S-02", "rely", 1.0), ("S-03", None, None))
    ]
    (tmp_path / "multiverse.json").write_text(json.dumps({"claims": rows}))
    report_page.write(Outcome(load("satellite"), "quick", Pretended({})), tmp_path)
    text = (tmp_path / "report.md").read_text()
    assert "| over all plausible [readings](multiverse.md) | 1 | 0 | 1 | 0 | 0 |\n" in text
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
    html = (tmp_path / "report.html").read_text()
    assert all(f"<p>Written by hand: {name}.</p>" in html for name in report_page.KEPT)


def test_the_html_of_a_report_shows_the_picture_that_its_headline_names(tmp_path):
    outcome = Outcome(load("satellite"), "quick", Pretended({}))
    report_page.write(outcome, tmp_path)
    report = tmp_path / "report.md"
    marker = "<!-- headline -->\n"
    report.write_text(report.read_text().replace(marker, f"{marker}\n![It falls.](figures/figure-2.png)\n\n"))
    report_page.write(outcome, tmp_path)
    picture = re.findall(r'<img src="(.*?)" alt="It falls.">', (tmp_path / "report.html").read_text())
    assert len(picture) == 1 and picture[0].startswith("data:image/png;base64,")


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
    corrections = study.corrections.items

    def first(sweeps):
        return [str(next(iter(sweep.points())).identified) for _, sweep in sweeps]

    for committed in (
        study.settings.grids("quick"),
        study.settings.changed([], effort="quick"),
        study.settings.changed([], "1"),
    ):
        texts = first(committed)
        assert len(texts) == 4 and all("neighbour_routes = true" in each and 'arp = "ideal"' in each for each in texts)
    texts = first(study.settings.changed(corrections, effort="quick"))
    assert len(texts) == 4 and all("neighbour_routes = false" in each and 'arp = "one_slot"' in each for each in texts)


@pytest.mark.parametrize("name", ["settings.toml", "experiments.toml", "since.toml"])
def test_settings_that_are_no_regular_file_are_refused(tmp_path, name):
    (tmp_path / "settings.toml").write_bytes((SATELLITE / "settings.toml").read_bytes())
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    with pytest.raises(fl.UsageError, match=f"{name}: a pipe or a device, not a regular file"):
        settings.read(tmp_path / "settings.toml")
