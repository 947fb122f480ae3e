import subprocess
import sys

import farlink


def test_version_is_printed() -> None:
    done = subprocess.run([sys.executable, "-m", "farlink", "--version"], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout == f"farlink, version {farlink.__version__}\n"
