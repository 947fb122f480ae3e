"""A study with corrections beside the settings as they were committed."""

import csv
import json
import shutil

import farlink as fl
import pytest
from farlink.studies import report_page
from farlink.studies.study import Outcome, Study, load
from farlink.studies.verdict import Finding, judge
from small_study import small_study
from test_study import Pretended
from test_verdicts import measured

CORRECTIONS = """
date = "2026-11-23"
[[correction]]
point = "Largest window"
committed = "8000 packets"
corrected = "2 packets"
why = "The paper says so."
set = { "flows.0.tcp.max_window" = "2 packets" }
"""


@pytest.fixture
def study(tmp_path):
    """The small study, with those of the claims that its runs measure."""
    found = small_study(tmp_path)
    lines = (found.folder / "claims.csv").read_text().splitlines(keepends=True)
    kept = [line for line in lines if line.startswith(("id,", "S-11,", "S-12,", "S-13,"))]
    (found.folder / "claims.csv").write_text("".join(kept))
    return found


def test_without_corrections_there_is_nothing_to_run(study, tmp_path):
    with pytest.raises(fl.UsageError, match=r"it has no corrections.toml; run it without --corrected"):
        study.run("quick", tmp_path / "out", corrected=True)


def test_corrected_settings_have_runs_of_their_own(study, tmp_path):
    (study.folder / "corrections.toml").write_text(CORRECTIONS)
    study = Study("satellite", study.folder)
    committed = study.run("quick", tmp_path / "out")
    assert (list(committed.corrected), "corrected" in committed.document) == ([], False)
    outcome = study.run("quick", tmp_path / "out", corrected=True)
    assert outcome.judgements == committed.judgements
    corrected = {each.claim.id: each.finding.value for each in outcome.corrected}
    assert list(corrected) == ["S-11", "S-12", "S-13"]
    assert corrected["S-12"].mean < 0.1
    assert outcome.document["corrections_sha256"] == study.corrections.sha256
    json.dumps(outcome.document, allow_nan=False)


def test_a_report_has_columns_for_what_the_corrections_give(tmp_path):
    for name in ("settings.toml", "claims.csv"):
        shutil.copy(load("satellite").folder / name, tmp_path)
    (tmp_path / "corrections.toml").write_text(CORRECTIONS)
    found = Study("satellite", tmp_path)
    corrected = [judge(each, Finding(measured(95.0))) for each in found.claims[:2]]
    report_page.write(Outcome(found, "quick", Pretended({}), (), corrected), tmp_path)
    html, markdown = ((tmp_path / f"report.{form}").read_text() for form in ("html", "md"))
    for text in (html, markdown):
        assert "2026-11-23" in text
        assert "farlink study run satellite --quick --corrected" in text
    counts = next(line for line in markdown.splitlines() if line.startswith("| with corrections"))
    assert [int(cell) for cell in counts.split("|")[2:-1]] == [1, 0, 1, 0, 2]
    table = markdown[markdown.index("| claim | figure") :].splitlines()[: len(found.claims) + 2]
    assert {line.count("|") for line in table} == {12}
    assert table[2].endswith("| 95 Mbit/s (94 to 96) | reproduced |") and table[4].endswith("| - | - |")
    rows = list(csv.DictReader((tmp_path / "tables" / "claims.csv").read_text().splitlines()))
    assert [row["corrected_verdict"] for row in rows[:3]] == ["reproduced", "not reproduced", ""]
