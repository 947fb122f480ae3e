"""Random networks through Python: the same document with one job and with two."""

import os
import shutil
import subprocess
from pathlib import Path

import farlink as fl
import pytest

ROOT = Path(__file__).parents[2]
COUNT = 20


@pytest.fixture(scope="module")
def networks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scenarios of random networks, each in a folder with the files it reads."""
    if shutil.which("cargo") is None:
        pytest.skip("cargo is missing: the generator cannot be built")
    folder = tmp_path_factory.mktemp("networks")
    # With --workspace libraries have the features that they have in the tests of Rust, and are built once.
    build = ["cargo", "build", "--quiet", "--locked", "--workspace", "--bin", "networks"]
    subprocess.run(build, cwd=ROOT, check=True)
    program = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "debug/networks"
    subprocess.run([program, "save", folder, str(COUNT)], check=True)
    return folder


@pytest.mark.filterwarnings("ignore::farlink.ScenarioWarning")  # random values are often implausible
def test_one_and_two_jobs_give_the_same_document(networks: Path) -> None:
    for number in range(COUNT):
        scenario = fl.load(networks / str(number) / "network.toml")
        one, two = (scenario.run(seeds=[1, 2, 3], jobs=jobs, max_events=2_000_000) for jobs in (1, 2))
        first, second = one.document, two.document
        first["engine"].pop("cpu_s"), second["engine"].pop("cpu_s")
        assert first == second, number
        assert one.series.equals(two.series), number
        assert first["ledger"], number
