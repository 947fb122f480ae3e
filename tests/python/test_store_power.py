"""A power cut, or a failure of the disk, at every operation of a store."""

import errno
import random
import shutil
from functools import partial
from pathlib import Path

import pytest
import store_attacks as attacks
from farlink.errors import StoreError
from simulated_disk import FailingDisk, PowerCut, RecordingDisk

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return attacks.reference(tmp_path_factory.mktemp("reference") / "store")


def recorded(work: attacks.Work, folder: Path) -> tuple[RecordingDisk, list[tuple[int, list[str]]]]:
    """Do the work; gives its operations, and what it reported after how many of them."""
    work.prepare(folder / "store")
    disk = RecordingDisk(folder)
    reports: list[tuple[int, list[str]]] = []
    work.do(folder / "store", disk, lambda keys: reports.append((len(disk.operations), list(keys))))
    return disk, reports


@pytest.mark.parametrize("name", attacks.WORK)
def test_a_power_cut_at_any_operation_loses_no_finished_run(name, tmp_path, expected):
    (tmp_path / "done").mkdir()
    disk, reports = recorded(attacks.WORK[name], tmp_path / "done")
    known: dict[str, set[str]] = {}
    for count in range(len(disk.operations) + 1):
        promised = {key for after, keys in reports if after <= count for key in keys}
        cut = PowerCut(disk, count)
        for persistence in (*attacks.PERSISTENCE, count):
            left = tmp_path / f"{count} {persistence}"
            cut.leave(left, persistence)
            state = attacks.state(left)
            if state not in known:
                known[state] = attacks.check(left / "store", expected, is_damaged=name == "repaired")
            assert promised <= known[state], f"a finished run is lost by a cut after {count} operations, {persistence}"
            shutil.rmtree(left)
    assert len(known) > 50


@pytest.mark.parametrize("seed", range(12))
def test_power_cuts_one_after_the_other_lose_no_finished_run(seed, tmp_path, expected):
    draw = random.Random(f"cuts {seed}")
    folder, promised = tmp_path / "0", set()
    folder.mkdir()
    for number in range(1, 5):
        disk = RecordingDisk(folder)
        reports: list[tuple[int, list[str]]] = []
        finish = partial(attacks.finish, batch=draw.randrange(1, 4))
        finish(
            folder / "store", disk, lambda keys, disk=disk, to=reports: to.append((len(disk.operations), list(keys)))
        )
        count = draw.randrange(len(disk.operations) + 1)
        promised |= {key for after, keys in reports if after <= count for key in keys}
        folder = tmp_path / str(number)
        PowerCut(disk, count).leave(folder, draw.choice([*attacks.PERSISTENCE, draw.random(), draw.random()]))
    assert promised <= attacks.check(folder / "store", expected)


@pytest.mark.parametrize("name", attacks.WORK)
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
def test_a_disk_that_fails_at_any_operation_loses_no_finished_run(name, error, tmp_path, expected):
    work = attacks.WORK[name]
    (tmp_path / "before").mkdir()
    work.prepare(tmp_path / "before" / "store")
    known: dict[str, set[str]] = {}
    fails_at, has_failed = 0, True
    while has_failed:
        folder = tmp_path / str(fails_at)
        shutil.copytree(tmp_path / "before", folder)
        disk = FailingDisk(folder, fails_at, error)
        promised: set[str] = set()
        try:
            work.do(folder / "store", disk, promised.update)
        except StoreError as failure:
            assert "finished runs are kept" in str(failure) and "\n" not in str(failure)
        else:
            assert not disk.has_failed
        has_failed = disk.has_failed
        state = attacks.state(folder)
        if state not in known:
            known[state] = attacks.check(folder / "store", expected, is_damaged=name == "repaired")
        assert promised <= known[state]
        shutil.rmtree(folder)
        fails_at += 7 if error == errno.EIO else 1
