"""Runs that are in the journal only: of a sweep that was killed, or that is running."""

import errno
import os
from pathlib import Path

import farlink as fl
import pytest
import store_attacks as attacks
from farlink import _farlink, store
from farlink.store import Store, journal, snapshot
from farlink.store.disk import DISK
from simulated_disk import FailingDisk, RecordingDisk

RECORDS = [b'{"a": %d}' % number for number in range(5)]


def written(path: Path) -> bytes:
    """A journal of three batches."""
    made = journal.Journal(DISK, path)
    for batch in (RECORDS[:2], RECORDS[2:3], RECORDS[3:]):
        made.append(batch)
    made.close()
    return path.read_bytes()


def test_every_flipped_bit_of_a_journal_is_noticed_and_costs_one_record(tmp_path):
    intact = written(tmp_path / "journal")
    assert journal.parse_journal(intact) == journal.Content(RECORDS)
    for bit in range(8 * len(intact)):
        data = bytearray(intact)
        data[bit // 8] ^= 1 << bit % 8
        content = journal.parse_journal(bytes(data))
        assert content.damaged or content.torn
        assert len(content.records) >= len(RECORDS) - 1 and set(content.records) <= set(RECORDS)
        # What had reached the disk before the last batch is damaged, not torn.
        last_batch = intact.rindex(b"\n", 0, intact.rindex(RECORDS[3]))
        assert bool(content.damaged) == (bit // 8 < last_batch)


def test_a_journal_that_is_cut_off_is_torn_and_an_empty_one_is_damaged(tmp_path):
    intact = written(tmp_path / "journal")
    ends = {len(intact)}
    for end in range(len(intact) - 1, 0, -1):
        content = journal.parse_journal(intact[:end])
        assert list(content.records) == RECORDS[: len(content.records)]
        if not (content.damaged or content.torn):
            ends.add(end)
    assert len({intact[:end].strip() for end in ends}) == 1 + len(RECORDS)  # between two records nothing is seen
    assert journal.parse_journal(b"").damaged


@pytest.mark.parametrize("garbage", [bytes(1000), b"0 {} " * 9, b"\xf7"])
def test_garbage_behind_a_journal_costs_no_record(tmp_path, garbage):
    content = journal.parse_journal(written(tmp_path / "journal") + garbage)
    assert (list(content.records), content.damaged, content.torn) == (RECORDS, 0, len(garbage))


def test_readers_see_what_a_killed_sweep_left_in_the_journal(tmp_path, command):
    attacks.killed(tmp_path / "store")
    assert (tmp_path / "store" / "journal").stat().st_size > 1000
    status, before, err = command("export", "store")
    assert (status, err) == (0, "")
    results = fl.Results(tmp_path / "store")
    assert results.runs.num_rows == 5 and len(set(results.flows["key"].to_pylist())) == 5
    _, compared, _ = command("compare", "store", "--by", "links.0.error.rate")
    command("plot", "store", "--kind", "cdf", "--by", "links.0.error.rate", "-o", "x.svg")
    picture = (tmp_path / "x.svg").read_bytes()
    with Store(tmp_path / "store"):
        pass
    assert not (tmp_path / "store" / "journal").exists()
    assert command("export", "store") == (0, before, "")
    assert command("compare", "store", "--by", "links.0.error.rate")[:2] == (0, compared)
    command("plot", "store", "--kind", "cdf", "--by", "links.0.error.rate", "-o", "x.svg")
    assert (tmp_path / "x.svg").read_bytes() == picture


def test_a_reader_at_any_operation_of_a_writer_sees_what_was_reported(tmp_path):
    expected = attacks.reference(tmp_path / "reference")
    attacks.killed(tmp_path / "store")
    reported: set[str] = set()
    reads = 0

    class ReadDisk(RecordingDisk):
        def before(self, *arguments: object, **more: object) -> None:
            nonlocal reads
            super().before(*arguments, **more)
            found = attacks.rows(tmp_path / "store")
            assert reported <= found.keys()
            assert all(expected[key] == lines for key, lines in found.items())
            reads += 1

    attacks.resumed(tmp_path / "store", ReadDisk(tmp_path), reported.update)
    assert reads > 50


def test_a_reader_that_meets_a_fold_reads_anew(tmp_path, monkeypatch):
    attacks.killed(tmp_path / "store")
    original, folds = snapshot._read_journal, []

    def fold_meanwhile(*arguments: object) -> object:
        if not folds:
            folds.append(True)
            with Store(tmp_path / "store"):
                pass
        return original(*arguments)

    monkeypatch.setattr(snapshot, "_read_journal", fold_meanwhile)
    assert len(snapshot.read_store(tmp_path / "store").keys) == 5


def test_a_torn_record_is_noted_in_one_line_and_made_again(tmp_path, command):
    attacks.killed(tmp_path / "store")
    path = tmp_path / "store" / "journal"
    path.write_bytes(path.read_bytes()[:-10])
    status, out, err = command("export", "store")
    assert status == 0 and out.count('"table": "runs"') == 4
    assert err.count("\n") == 1 and "store/journal: the last" in err and "not a whole record" in err
    with Store(tmp_path / "store") as kept:
        assert len(kept.keys) == 4


@pytest.mark.parametrize("damage", ["flipped", "missing", "empty"])
def test_a_damaged_journal_is_refused_and_repaired_on_demand(tmp_path, command, damage):
    attacks.killed(tmp_path / "store")
    path = tmp_path / "store" / "journal"
    intact = path.read_bytes()
    if damage == "missing":
        path.unlink()
    elif damage == "empty":
        path.write_bytes(b"")
    else:
        attacks.flip(path, 8 * 5)  # the first, empty record
    status, out, err = command("export", "store")
    assert (status, out) == (1, "") and err.count("\n") == 1 and "--repair" in err
    assert f"store/journal: is {'missing' if damage == 'missing' else 'damaged'}" in err
    assert f"{5 if damage == 'flipped' else 3} of at least" in err
    with pytest.raises(fl.StoreError, match="--repair"):
        Store(tmp_path / "store")
    with Store(tmp_path / "store", repair=True) as kept:
        assert len(kept.keys) == (5 if damage == "flipped" else 3)
    assert command("export", "store")[0] == 0
    if damage == "flipped":
        assert (tmp_path / "store" / "damaged" / "journal").read_bytes() != intact


@pytest.mark.parametrize("options", [[], ["--no-resume"]])
def test_a_refused_sweep_leaves_a_running_sweep_alone(tmp_path, command, options):
    (tmp_path / "sweep.toml").write_text('scenario = "satellite"\nseeds = "1..2"\nset = { duration = "1 s" }\n')
    arguments = ("sweep", "sweep.toml", "--out", "store", "--quiet")
    assert command(*arguments)[0] == 0
    _, before, _ = command("export", "store")
    with Store(tmp_path / "store") as running:
        running.add(attacks.runs()[:2])
        status, out, err = command(*arguments, *options)
        assert (status, out) == (2, "") and "another sweep is writing to this store" in err
        running.add(attacks.runs()[2:4])
    assert fl.Results(tmp_path / "store").runs.num_rows == 6
    assert command(*arguments, "--no-resume")[0] == 0
    assert command("export", "store") == (0, before, "")


def test_a_full_disk_ends_a_sweep_with_one_line_and_the_same_command_resumes(tmp_path, command, monkeypatch):
    (tmp_path / "sweep.toml").write_text('scenario = "satellite"\nseeds = "1..6"\nset = { duration = "1 s" }\n')
    arguments = ("sweep", "sweep.toml", "--quiet", "--jobs", "1", "--out")
    assert command(*arguments, "whole")[0] == 0
    _, whole, _ = command("export", "whole")
    for fails_at in (3, 20, 50):
        monkeypatch.setattr(store, "DISK", FailingDisk(tmp_path, fails_at))
        status, out, err = command(*arguments, str(fails_at))
        assert (status, out) == (1, "") and err.count("\n") == 1
        assert os.strerror(errno.ENOSPC) in err and "the same command resumes" in err
        monkeypatch.setattr(store, "DISK", DISK)
        assert command(*arguments, str(fails_at))[0] == 0
        assert command("export", str(fails_at)) == (0, whole, "")


def test_results_of_another_build_are_shown_with_a_line_that_says_so(tmp_path, command, monkeypatch):
    this = _farlink.__build__
    with Store(tmp_path / "store") as kept:
        kept.add(attacks.runs()[:3])
    compare = ("compare", "store", "--by", "links.0.error.rate")
    # How to read the table, and the points at which nothing is random.
    notes = command(*compare)[2]
    assert "build" not in notes
    monkeypatch.setattr(_farlink, "__build__", "another")
    said = f"farlink: store: 3 runs are of another build of farlink ({this}); this is build another\n"
    for arguments, others in ((compare, notes), (("export", "store"), "")):
        status, out, err = command(*arguments)
        assert status == 0 and out
        assert said in err and err.replace(said, "") == others
    (tmp_path / "sweep.toml").write_text('scenario = "satellite"\nset = { duration = "1 s" }\nseeds = 2\n')
    _, _, err = command("sweep", "sweep.toml", "--out", "store", "--quiet")
    assert f"3 runs are of another build of farlink ({this}); they are kept, and not used" in err
    status, out, err = command("plot", "store", "--kind", "cdf", "-o", "x.svg")
    shown = (
        "farlink: store: the 2 runs of this build (another) are shown; left out: 3 runs are of another build of farlink"
    )
    assert (status, err) == (0, f"{shown} ({this})\n")
