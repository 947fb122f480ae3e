"""A congestion control in Python in a sweep: it runs in processes, which must be able to import it."""

import subprocess
import sys
from dataclasses import replace

import farlink as fl
import pytest

pytestmark = pytest.mark.slow

VARIANT = "flows.0.tcp.congestion_control"


class Half:
    every = "rtt"

    def on_ack(self, view: fl.CongestionView) -> None:
        view.cwnd += 1

    def on_congestion(self, view: fl.CongestionView) -> None:
        view.cwnd = view.ssthresh = max(view.cwnd / 2, 2)


def with_class(link, factory) -> fl.Sweep:
    return fl.sweep(fl.load(link).set("duration", "1 s"), {VARIANT: ["reno", factory]}, seeds=2)


def export(store) -> str:
    command = [sys.executable, "-m", "farlink", "export", str(store)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_class_is_a_variant_under_its_own_name(link, tmp_path):
    results = with_class(link, Half).run(out=tmp_path / "store", jobs=2)
    [name] = {variant for variant in results.flows[VARIANT].to_pylist() if variant != "reno"}
    assert name == f"{__name__}:Half"
    assert [row["runs"] for row in results.summary().table.to_pylist()] == [2, 2]
    [row] = results.compare(VARIANT, baseline="reno").table.to_pylist()
    assert (row[VARIANT], row["pairs"]) == (name, 2)
    alone = fl.load(link).set("duration", "1 s").run(seed=2, congestion_control={"transfer": Half})
    mine = [row for row in results.flows.to_pylist() if (row[VARIANT], row["seed"]) == (name, 2)]
    assert mine[0]["goodput_bps"] == alone.flows["goodput_bps"][0].as_py()


def test_a_class_at_every_flow_is_one_variant_of_all(link, tmp_path):
    every, back = "flows.*.tcp.congestion_control", {"label": "back", "from": "remote", "to": "ground"}
    base = fl.load(link).set("duration", "1 s").set("flows.+", back)
    results = fl.sweep(base, {every: ["reno", Half]}, seeds=2).run(out=tmp_path / "store", jobs=2)
    name = f"{__name__}:Half"
    assert results.parameters == [every] and set(results.flows[every].to_pylist()) == {"reno", name}
    rows = results.summary().table.to_pylist()
    assert [(row["flow"], row[every], row["runs"]) for row in rows if row[every] == name] == [
        ("back", name, 2),
        ("transfer", name, 2),
    ]
    alone = base.run(seed=1, congestion_control={0: Half, 1: Half})
    mine = [row for row in results.flows.to_pylist() if (row[every], row["seed"]) == (name, 1)]
    assert [row["goodput_bps"] for row in mine] == alone.flows["goodput_bps"].to_pylist()
    assert base.run(seed=1, congestion_control={"*": Half}).flows.equals(alone.flows)


def test_what_is_set_after_a_class_takes_its_place(link):
    back = {"label": "back", "from": "remote", "to": "ground"}
    base = fl.load(link).set("flows.+", back).set("flows.*.tcp.congestion_control", Half)
    assert set(base.plugged()[1]) == {0, 1}
    assert set(base.set("flows.transfer.tcp.congestion_control", "reno").plugged()[1]) == {1}
    assert set(base.set_text("flows.1.tcp.congestion_control", "reno").plugged()[1]) == {0}
    assert set(base.set("flows.0.tcp.ecn", True).plugged()[1]) == {0, 1}
    assert base.set("flows.*.tcp.congestion_control", "reno").plugged()[1] == {}
    assert fl.load(link).set(VARIANT, "reno").set("flows.transfer.tcp.congestion_control", Half).plugged()[1] == {
        0: Half
    }


def test_a_cluster_runs_a_class_the_same(link, tmp_path):
    pytest.importorskip("distributed")
    with_class(link, Half).run(out=tmp_path / "local", jobs=2)
    with_class(link, Half).run(out=tmp_path / "dask", jobs=2, executor="dask")
    assert export(tmp_path / "dask") == export(tmp_path / "local")


def test_a_class_that_processes_cannot_import_is_refused(link):
    class Local(Half):
        pass

    with pytest.raises(fl.UsageError, match="define it at the top level of a file"):
        with_class(link, Local).run()


class Failing(Half):
    def on_ack(self, view: fl.CongestionView) -> None:
        raise ArithmeticError("on purpose")


def test_an_exception_of_a_class_ends_the_sweep_and_keeps_what_was_finished(link, tmp_path):
    with pytest.raises(ArithmeticError, match="on purpose"):
        with_class(link, Failing).run(out=tmp_path / "store", jobs=1)
    assert set(fl.Results(tmp_path / "store").flows["seed"].to_pylist()) <= {1, 2}
    assert "Failing" not in export(tmp_path / "store")


SCRIPT = f"""
import sys
import farlink as fl

class Half:
    def on_ack(self, view): view.cwnd += 1
    def on_congestion(self, view): view.cwnd = view.ssthresh = max(view.cwnd / 2, 2)

def main():
    base = fl.load("link.toml").set("duration", "1 s")
    sweep = fl.sweep(base, {{"{VARIANT}": ["reno", Half]}}, seeds=1)
    results = sweep.run(jobs=2, executor=sys.argv[1])
    print(results.runs.num_rows, *sorted(results.flows["{VARIANT}"].to_pylist()))
"""


@pytest.mark.parametrize("executor", ["local", "dask"])
def test_a_class_may_stand_in_the_script_if_the_sweep_stands_under_a_guard(link, tmp_path, executor):
    (tmp_path / "script.py").write_text(SCRIPT + "\nif __name__ == '__main__':\n    main()\n")
    command = [sys.executable, "script.py", executor]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2 Half reno\n", "")


@pytest.mark.parametrize("executor", ["local", "dask"])
def test_without_the_guard_there_is_one_error_that_says_so(link, tmp_path, executor):
    (tmp_path / "script.py").write_text(SCRIPT + "\nmain()\n")
    command = [sys.executable, "script.py", executor]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "must stand under `if __name__ ==" in done.stderr.splitlines()[-1]


def test_a_worker_with_another_version_of_the_class_is_refused(link):
    from farlink.errors import ExecutorError
    from farlink.execution.plug import Plug
    from farlink.sweeps.work import run

    [_, task] = [task for task in with_class(link, Half).tasks() if task.seed == 1]
    other = {0: Plug(Half, task.point.plugs[0].name, "0" * 64)}
    with pytest.raises(ExecutorError, match=r"another version of .*Half"):
        run(replace(task, point=replace(task.point, plugs=other)))
