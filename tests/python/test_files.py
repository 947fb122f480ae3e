"""Files that a user asked for survive a power cut once they have their names."""

import errno
import os
from pathlib import Path

import pytest
from farlink.system.files import replacing_folder, write_text


@pytest.fixture
def operations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Records syncs and renames, by the name of the file or folder."""
    made: list[str] = []
    fsync, replace, rename = os.fsync, Path.replace, Path.rename

    def synced(file: int) -> None:
        made.append(f"sync {Path(f'/proc/self/fd/{file}').readlink().name}")
        fsync(file)

    def renamed(original):
        def call(path: Path, target: Path) -> Path:
            made.append(f"rename to {Path(target).name}")
            return original(path, target)

        return call

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed(replace))
    monkeypatch.setattr(Path, "rename", renamed(rename))
    return made


def test_a_file_is_synced_before_it_gets_its_name_and_the_folder_afterwards(tmp_path, operations):
    (tmp_path / "folder").mkdir()
    write_text(tmp_path / "folder" / "file", "text")
    part = f".file.{os.getpid()}.part"
    assert operations == [f"sync {part}", "rename to file", "sync folder"]


def test_a_folder_is_synced_with_its_files_before_it_gets_its_name(tmp_path, operations):
    (tmp_path / "folder").mkdir()
    with replacing_folder(tmp_path / "folder" / "made") as part:
        (part / "a").write_text("a")
        (part / "b").write_text("b")
    assert sorted(operations[:2]) == ["sync a", "sync b"]
    assert operations[2:] == [f"sync {part.name}", "rename to made", "sync folder"]


def test_a_failed_sync_leaves_no_file_and_names_the_one_that_was_asked_for(tmp_path, monkeypatch):
    def fail(file: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError) as caught:
        write_text(tmp_path / "file", "text")
    assert caught.value.filename == str(tmp_path / "file")
    assert list(tmp_path.iterdir()) == []
