import subprocess
import sys
import time

import farlink


def test_version_is_printed_within_a_third_of_a_second() -> None:
    took_s = [float("inf")]
    # On a machine that is busy some starts wait for others.
    while min(took_s) >= 0.3 and len(took_s) <= 20:
        started_s = time.perf_counter()
        done = subprocess.run([sys.executable, "-m", "farlink", "--version"], capture_output=True, text=True)
        took_s.append(time.perf_counter() - started_s)
        assert (done.returncode, done.stdout) == (0, f"farlink, version {farlink.__version__}\n")
    assert min(took_s) < 0.3


def test_import_leaves_heavy_libraries_alone() -> None:
    heavy = ["matplotlib", "numpy", "pyarrow", "rich", "scipy"]
    code = f"import sys, farlink.cli; sys.exit(','.join(each for each in {heavy} if each in sys.modules) or 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
