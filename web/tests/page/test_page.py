"""The page: its parts in Node, the findings of the lessons by the real engine, and the page in a browser."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from driver import BROWSER, leave_out

HERE = Path(__file__).parent
BUILT = HERE.parents[2] / "python" / "farlink" / "lab" / "built" / "index.html"


@pytest.mark.parametrize("name", sorted(path.name.removesuffix(".test.ts") for path in HERE.glob("*.test.ts")))
def test_in_node(name: str) -> None:
    if shutil.which("node") is None or not BUILT.exists():
        leave_out("the page is not built: `make test-lab` builds and tests it")
    if BROWSER is None and 'from "./browser.js"' in (HERE / f"{name}.test.ts").read_text(encoding="utf-8"):
        leave_out("no Chromium here, so that the page is not tested: `make chromium` installs it")
    environment = os.environ | {"FARLINK": str(Path(sys.executable).with_name("farlink"))}
    command = ["node", HERE / "run.mjs", name]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1200)
    # What was measured is printed, not asserted: the bounds are those of a machine that does nothing else.
    for line in re.findall("# measured: .*", done.stdout):
        print(f"\n{line}", file=sys.stderr)
    assert done.returncode == 0, done.stdout + done.stderr
