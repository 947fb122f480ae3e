"""The workflow that builds a release on hosted runners. It has not run; `make lint-workflow` checks its syntax."""

import re
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
WORKFLOW = yaml.safe_load(TEXT)


def steps(job: str) -> list[dict]:
    return WORKFLOW["jobs"][job]["steps"]


@pytest.mark.parametrize("job", ["linux", "macos-windows", "sdist"])
def test_each_job_of_the_workflow_builds_runs_and_uploads(job: str) -> None:
    run = "\n".join(step.get("run", "") for step in steps(job))
    assert re.search(r"release/wheels\.py|maturin (build|sdist)", run)
    assert "farlink run satellite" in run.replace('"$RUNNER_TEMP/clean/bin/farlink"', "farlink")
    assert "actions/upload-artifact" in steps(job)[-1]["uses"]


def test_the_workflow_publishes_everything_on_a_tag_alone_and_without_a_secret() -> None:
    publish = WORKFLOW["jobs"]["publish"]
    # The wheels' jobs need that of the page, which they contain.
    assert {*publish["needs"], "publish", "laboratory"} == WORKFLOW["jobs"].keys()
    assert all(WORKFLOW["jobs"][wheels]["needs"] == "laboratory" for wheels in ("linux", "macos-windows"))
    assert publish["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert publish["permissions"] == {"id-token": "write"} and WORKFLOW["permissions"] == {"contents": "read"}
    assert "secrets." not in TEXT


def test_the_platforms_of_the_workflow_are_built_by_the_script() -> None:
    sys.path.insert(0, str(ROOT / "release"))
    try:
        from wheels import PLATFORMS
    finally:
        sys.path.pop(0)
    linux = {each["platform"] for each in WORKFLOW["jobs"]["linux"]["strategy"]["matrix"]["include"]}
    assert linux == {name for name in PLATFORMS if "linux" in name}
