"""What runs a sweep may die in the middle of it: that is never reported as success, and no finished run is lost."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from pathlib import Path

import farlink as fl
import pytest
from conftest import PATIENCE_S, Cli, held, wait_for
from farlink.execution import execute
from farlink.sweeps import cluster, local

pytestmark = pytest.mark.slow

pytest.importorskip("distributed")

RUNS = 24
SWEEP = f"""
scenario = "link.toml"
seeds = "1..{RUNS}"
[set]
duration = "600 s"
"""
COMMAND = ("sweep", "sweep.toml", "--out", "store")


def long(link: Path) -> fl.Sweep:
    return fl.sweep(fl.load(link).set("duration", "600 s"), seeds=RUNS)


class Processes:
    """A scheduler and its workers, each a process, as on several machines."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._stack = stack
        self._file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--port", "0", "--scheduler-file", str(self._file))
        wait_for(lambda: self._file.exists() and self._file.read_text().endswith("}"))
        self.url = str(json.loads(self._file.read_text())["address"])
        self.workers: list[subprocess.Popen[bytes]] = []

    def add_worker(self, before: str = "") -> None:
        arguments = [self.url, "--nthreads", "1", "--no-nanny"]
        self.workers.append(self._start("worker", *arguments, before=before))

    def _start(self, what: str, *arguments: str, before: str = "") -> "subprocess.Popen[bytes]":
        code = f"import sys\n{before}\nfrom distributed.cli.dask_{what} import main\nmain()"
        command = [sys.executable, "-c", code, *arguments, "--host", "127.0.0.1", "--no-dashboard"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[Processes]:
    with ExitStack() as stack:
        yield Processes(tmp_path, stack)


@pytest.fixture
def sweep_file(link: Path) -> None:
    (link.parent / "sweep.toml").write_text(SWEEP)


def kept(folder: Path) -> int:
    return int(fl.Results(folder / "store").runs.num_rows)


def resumed(farlink: Cli) -> None:
    done = farlink(*COMMAND)
    assert done.returncode == 0, done.stderr
    assert f"{RUNS} runs in store" in done.stderr


def test_a_scheduler_that_dies_is_no_success_and_the_same_command_resumes(sweep_file, tmp_path, remote, farlink):
    for _ in range(2):
        remote.add_worker()
    elsewhere = ("--executor", "dask", "--scheduler", remote.url)
    done = held(tmp_path, *COMMAND, *elsewhere, then=lambda _: remote.scheduler.kill())
    assert (done.returncode, done.stdout) == (1, "")
    cause = f"the Dask scheduler at {remote.url} ended, or the connection to it was lost"
    assert done.stderr == (
        f"farlink: {kept(tmp_path)} of {RUNS} runs are finished and kept in store; {cause}; the same command resumes\n"
    )
    assert 0 < kept(tmp_path) < RUNS
    resumed(farlink)


def test_a_worker_that_is_killed_costs_what_it_was_running(sweep_file, tmp_path, remote):
    for _ in range(2):
        remote.add_worker()
    elsewhere = ("--executor", "dask", "--scheduler", remote.url)
    done = held(tmp_path, *COMMAND, *elsewhere, then=lambda _: remote.workers[0].kill())
    assert (done.returncode, done.stderr.splitlines()[-1:]) == (0, [f"{RUNS} runs in store"])
    assert kept(tmp_path) == RUNS


@pytest.mark.parametrize(
    ("what", "cause"), [("workers", "has had no worker for 1 s"), ("scheduler", "has not answered for 1 s")]
)
def test_a_cluster_that_makes_nothing_any_more_is_left(link, tmp_path, remote, monkeypatch, what, cause):
    monkeypatch.setattr(cluster, "BETWEEN_S", 0.1)
    remote.add_worker()
    stopped = []

    def stop(share: float) -> None:
        if not stopped:
            stopped.append(share)
            # Until here the usual bounds hold: a worker takes its time to come up, a scheduler to answer.
            monkeypatch.setattr(cluster, "ALIVE_S", 1.0)
            if what == "workers":
                remote.workers[0].kill()
            else:
                monkeypatch.setattr(cluster, "ANSWER_S", 1.0)
                remote.scheduler.send_signal(signal.SIGSTOP)

    with pytest.raises(fl.IncompleteError, match=cause) as raised:
        long(link).run(out=tmp_path / "store", executor="dask", scheduler=remote.url, progress=stop)
    assert raised.value.results is not None
    assert 0 < raised.value.done == raised.value.results.runs.num_rows == kept(tmp_path) < RUNS == raised.value.asked


def test_a_tuning_without_its_scheduler_is_no_success(link, tmp_path, remote):
    remote.add_worker()
    variants = {"flows.0.tcp.congestion_control": ["reno", "hybla"]}
    described = fl.tune(fl.load(link).set("duration", "600 s"), variants, trials=2, seeds=8)
    with pytest.raises(fl.IncompleteError, match="ended, or the connection") as raised:
        described.run(
            out=tmp_path / "store",
            executor="dask",
            scheduler=remote.url,
            progress=lambda _: remote.scheduler.kill(),
        )
    assert 0 < raised.value.done < raised.value.asked


def test_a_worker_with_another_farlink_is_refused(link, tmp_path, remote):
    remote.add_worker("from farlink import _farlink; _farlink.__build__ = 'another'")
    with pytest.raises(fl.IncompleteError, match="a worker runs another build of farlink") as raised:
        long(link).run(out=tmp_path / "store", executor="dask", scheduler=remote.url)
    assert (raised.value.done, raised.value.results) == (0, None)


def test_workers_without_farlink_are_not_waited_for(link, tmp_path, remote, monkeypatch):
    monkeypatch.setattr(cluster, "ALIVE_S", 5.0)
    remote.add_worker("sys.modules['farlink'] = None")
    with pytest.raises(fl.IncompleteError, match=r"no worker for 5 s \(one that lacks this farlink ends\)"):
        long(link).run(out=tmp_path / "store", executor="dask", scheduler=remote.url)


@pytest.mark.parametrize("listens", [False, True])
def test_a_scheduler_that_does_not_answer_is_not_waited_for(link, tmp_path, monkeypatch, listens):
    monkeypatch.setattr(cluster, "CONNECT_S", 1.0)
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        if listens:  # and says nothing
            place.listen()
        url = "tcp://{}:{}".format(*place.getsockname())
        with pytest.raises(fl.IncompleteError, match=f"0 of {RUNS} .* no Dask scheduler answers at {url}"):
            long(link).run(out=tmp_path / "store", executor="dask", scheduler=url)


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["--executor", "dask", "--scheduler", "host:port"], "write a URL such as tcp://host:8786"),
        (["--executor", "dask", "--scheduler", ""], "it needs the executor dask, and a URL"),
        (["--scheduler", "tcp://host:8786"], "it needs the executor dask, and a URL"),
    ],
)
def test_a_scheduler_that_cannot_be_meant_is_refused(link, tmp_path, farlink, arguments, printed):
    (tmp_path / "sweep.toml").write_text(SWEEP)
    done = farlink("sweep", "sweep.toml", *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert printed in done.stderr


def test_workers_of_this_machine_that_die_are_started_again(sweep_file, tmp_path):
    def kill_workers(process: "subprocess.Popen[str]") -> None:
        workers = workers_below(process.pid)
        assert len(workers) == 2
        for worker in workers:
            os.kill(worker, signal.SIGKILL)

    done = held(tmp_path, *COMMAND, "--executor", "dask", "--jobs", 2, then=kill_workers)
    assert (done.returncode, done.stderr.splitlines()[-1:]) == (0, [f"{RUNS} runs in store"])


def workers_below(parent: int) -> list[int]:
    found = subprocess.run(["ps", "-ww", "-o", "pid=,args=", "--ppid", str(parent)], capture_output=True, text=True)
    return [int(line.split()[0]) for line in found.stdout.splitlines() if "spawn_main" in line]


class Half:
    every = "rtt"

    def on_ack(self, view: fl.CongestionView) -> None:
        view.cwnd += 1

    def on_congestion(self, view: fl.CongestionView) -> None:
        view.cwnd = view.ssthresh = max(view.cwnd / 2, 2)


def test_a_process_that_is_killed_is_no_success_and_the_same_call_resumes(link, tmp_path):
    short = fl.load(link).set("duration", "20 s")
    sweep = fl.sweep(short, {"flows.0.tcp.congestion_control": [Half]}, seeds=RUNS)
    killed = []

    def kill(share: float) -> None:
        if not killed:
            killed.extend(workers_below(os.getpid())[:1])
            os.kill(killed[0], signal.SIGKILL)

    with pytest.raises(fl.IncompleteError, match=r"a process of the sweep was killed \(SIGKILL\)") as raised:
        sweep.run(out=tmp_path / "store", jobs=2, progress=kill)
    assert 0 < raised.value.done == kept(tmp_path) < RUNS
    assert sweep.run(out=tmp_path / "store", jobs=2).runs.num_rows == RUNS


def test_a_pool_that_tells_its_end_slowly_leaves_no_process(link, tmp_path, monkeypatch):
    def slowly(future: Future, error: Exception, set_exception=Future.set_exception) -> None:
        set_exception(future, error)
        time.sleep(0.05)

    uncaught = []
    monkeypatch.setattr(threading, "excepthook", uncaught.append)
    monkeypatch.setattr(Future, "set_exception", slowly)
    sweep = fl.sweep(link, {"flows.0.tcp.congestion_control": [Half]}, seeds=RUNS)
    with pytest.raises(fl.IncompleteError, match=r"a process of the sweep was killed \(SIGKILL\)"):
        sweep.run(out=tmp_path / "store", jobs=2, progress=lambda _: kill_one())
    assert not uncaught and not workers_below(os.getpid())


def kill_one() -> None:
    for worker in workers_below(os.getpid())[:1]:
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)


class NotedLate:
    """A process whose exit status another thread has taken, and notes after a while."""

    looks = 0

    def join(self, timeout: float) -> None:
        pass

    @property
    def exitcode(self) -> int | None:
        self.looks += 1
        return None if self.looks < 3 else -signal.SIGKILL


def test_the_signal_is_named_that_ended_a_process_though_its_status_is_noted_late():
    assert "(SIGKILL)" in str(local._missing_process_error([NotedLate()]))


def test_an_executor_that_leaves_runs_out_is_found_out(link, tmp_path, monkeypatch):
    monkeypatch.setattr(local, "in_threads", lambda *_: None)
    with pytest.raises(fl.IncompleteError, match=f"0 of {RUNS} runs are finished .* ended before the others"):
        long(link).run(out=tmp_path / "store")


DYING = '''
import os, signal, struct, sys
import farlink as fl

class Dying:
    """Is killed while its process writes a result: half of a message is in the pipe."""

    every = "rtt"

    def on_ack(self, view):
        frame = sys._getframe()
        while "result_queue" not in frame.f_locals:
            frame = frame.f_back
        os.write(frame.f_locals["result_queue"]._writer.fileno(), struct.pack("!i", 100_000) + b"half")
        os.kill(os.getpid(), signal.SIGKILL)

    def on_congestion(self, view):
        pass

if __name__ == "__main__":
    try:
        axes = {"duration": ["5 s"], "flows.0.tcp.congestion_control": [Dying]}
        fl.sweep("satellite", axes, seeds=4).run(out="store", jobs=2)
    except fl.IncompleteError as error:
        sys.exit(f"incomplete: {error}")
'''


def test_a_process_that_is_killed_while_it_writes_a_result_ends_the_sweep(tmp_path):
    (tmp_path / "dying.py").write_text(DYING)
    command = [sys.executable, "dying.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 1 and "a process of the sweep was killed (SIGKILL)" in done.stderr


def test_an_interrupt_while_threads_start_stops_what_runs(monkeypatch):
    begun = []

    class Interrupted(threading.Thread):
        def start(self):
            super().start()
            begun.append(self)
            raise KeyboardInterrupt

    monkeypatch.setattr(execute.threading, "Thread", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        fl.load("satellite").set("duration", "1000000 s").run(series=False)
    [thread] = begun
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
