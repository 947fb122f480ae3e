"""The identity of a class in Python covers all the source that its results rest on."""

import subprocess
import sys
from pathlib import Path

import farlink as fl
import pytest

pytestmark = pytest.mark.slow

VARIANT = "flows.0.tcp.congestion_control"
FILES = {
    "base.py": """
class Base:
    kept = 0.5

    def on_ack(self, view):
        if view.may_grow:
            view.cwnd += 1 / view.cwnd

    def on_congestion(self, view):
        view.cwnd = view.ssthresh = max(self.share() * view.flight, 2)
""",
    "helper/__init__.py": "",
    "helper/factors.py": "SHARE = 0.5\n",
    "mine.py": """
from functools import partial

import base
from helper import factors

KEPT = 0.5

class Constant(base.Base):
    def share(self):
        return KEPT

class Inherited(base.Base):
    def share(self):
        return self.kept

class Imported(base.Base):
    def share(self):
        from helper.factors import SHARE
        return SHARE

class Made(Imported):
    def __init__(self, more=0):
        self.more = more

made = partial(Made, more=1)
""",
    "script.py": f"""
import sys
import farlink as fl
import mine

OWN = 0.5

class Own(mine.Constant):
    def share(self):
        return OWN

if __name__ == "__main__":
    name = sys.argv[1]
    factory = Own if name == "Own" else getattr(mine, name)
    short = fl.load("link.toml").set("duration", "5 s")
    sweep = fl.sweep(short, {{"{VARIANT}": [factory]}}, seeds=1)
    found = []
    sweep.run(out="store", jobs=1, executor=sys.argv[2], resuming=lambda done, planned: found.append(done))
    run = short.run(seed=1, congestion_control={{0: factory}})
    print(len(found), run.provenance["congestion_control"]["transfer"]["sha256"], run.flows["goodput_bps"][0])
""",
}
CASES = [
    ("Constant", "mine.py", "KEPT = 0.5", "KEPT = 0.1"),
    ("Inherited", "base.py", "kept = 0.5", "kept = 0.1"),
    ("Imported", "helper/factors.py", "SHARE = 0.5", "SHARE = 0.1"),
    ("made", "helper/factors.py", "SHARE = 0.5", "SHARE = 0.1"),
    ("Own", "script.py", "OWN = 0.5", "OWN = 0.1"),
]


@pytest.fixture
def folder(link: Path) -> Path:
    for name, text in FILES.items():
        path = link.parent / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return link.parent


def swept(folder: Path, name: str, executor: str = "local") -> tuple[bool, str, str]:
    """Whether the store had the run already, the hash of the provenance, and the goodput of a single run."""
    command = [sys.executable, "-B", "script.py", name, executor]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    found, sha256, goodput = done.stdout.split()
    return found == "1", sha256, goodput


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize(("name", "file", "old", "new"), CASES)
def test_a_change_of_what_a_class_rests_on_makes_new_runs(
    folder: Path, name: str, file: str, old: str, new: str
) -> None:
    first = swept(folder, name)
    assert swept(folder, name) == (True, *first[1:])
    change(folder / file, old, new)
    found, sha256, goodput = swept(folder, name)
    assert not found and sha256 != first[1] and goodput != first[2]
    in_store = {str(each) for each in fl.Results(folder / "store").flows["goodput_bps"].to_pylist()}
    assert in_store == {first[2], goodput}


@pytest.mark.parametrize(("name", "file", "old", "new"), [CASES[2], CASES[4]])
def test_a_cluster_keeps_versions_apart_the_same(folder: Path, name: str, file: str, old: str, new: str) -> None:
    pytest.importorskip("distributed")
    first = swept(folder, name, "dask")
    assert swept(folder, name) == (True, *first[1:])
    change(folder / file, old, new)
    found, sha256, goodput = swept(folder, name, "dask")
    assert not found and sha256 != first[1] and goodput != first[2]


def test_a_change_of_what_only_the_first_process_executes_makes_none(folder: Path) -> None:
    first = swept(folder, "Own")
    change(folder / "script.py", "    found = []", "    found = list()")
    assert swept(folder, "Own") == (True, *first[1:])
    change(folder / "script.py", "    name = sys.argv[1]", "    name = sys.argv[1]\n    OWN = 0.1")
    found, sha256, _ = swept(folder, "Own")
    assert not found and sha256 != first[1]


def test_a_sweep_described_before_a_change_is_identified_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(folder)
    for name in ("mine", "base", "helper", "helper.factors"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import mine  # type: ignore[import-not-found]

    sweep = fl.sweep(fl.load(folder / "link.toml").set("duration", "1 s"), {VARIANT: [mine.Imported]}, seeds=1)
    assert sweep.run(out=folder / "store", jobs=1).runs.num_rows == 1
    change(folder / "helper/factors.py", "SHARE = 0.5", "SHARE = 0.1")
    found: list[int] = []
    sweep.run(out=folder / "store", jobs=1, resuming=lambda done, _: found.append(done))
    assert found == []


@pytest.mark.parametrize("executor", ["local", "dask"])
def test_a_class_without_a_file_is_refused_in_sweeps_and_has_no_hash(folder: Path, executor: str) -> None:
    code = FILES["script.py"].replace("sweep.run(", "None and sweep.run(")
    run = [sys.executable, "-c", code, "Own", executor]
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True)
    assert done.stdout.split()[:2] == ["0", "None"]
    run[2] = FILES["script.py"]
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1].endswith("define it at the top level of a file")
