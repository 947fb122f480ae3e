"""The page: its parts in Node, the findings of the lessons by the real engine, and the page in a browser."""

import shutil
import subprocess
from pathlib import Path

import pytest
from driver import leave_out

HERE = Path(__file__).parent
BUILT = HERE.parents[2] / "python" / "farlink" / "lab" / "built" / "index.html"


@pytest.mark.parametrize("name", sorted(path.name.removesuffix(".test.ts") for path in HERE.glob("*.test.ts")))
def test_in_node(name: str) -> None:
    if shutil.which("node") is None or not BUILT.exists():
        leave_out("the page is not built: `make test-lab` builds and tests it")
    done = subprocess.run(["node", HERE / "run.mjs", name], capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr
