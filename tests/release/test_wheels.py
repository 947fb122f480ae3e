"""The wheels in dist/wheels, as `make wheels` leaves them: what is in each, and what it asks of a machine."""

import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from email import message_from_bytes
from pathlib import Path

import lief
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "release"))

from wheels import PLATFORMS  # noqa: E402

WHEELS = sorted((ROOT / "dist/wheels").glob("farlink-*.whl"))
MOST_BYTES = 15_000_000
# The libraries that PEP 599 (manylinux2014) allows, and musl's own.
SYSTEM = {
    "manylinux": {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libgcc_s.so.1"},
    "musllinux": {"libc.so"},
}
LOADERS = {"ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
MACHINES = {"x86_64": lief.ELF.ARCH.X86_64, "aarch64": lief.ELF.ARCH.AARCH64}
LEAST_GLIBC = (2, 17)


def named(wheel: Path) -> str:
    """The platform of a wheel, by its tag."""
    system = {"win": "windows", "musllinux": "musllinux"}
    (tag,) = re.findall(r"-cp310-abi3-(.+)\.whl$", wheel.name)
    machine = "aarch64" if "aarch64" in tag else "x86_64"
    return f"{next((name for start, name in system.items() if tag.startswith(start)), 'manylinux')}-{machine}"


def members(wheel: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            yield name, archive.read(name)


def native(wheel: Path) -> tuple[str, bytes]:
    (found,) = [each for each in members(wheel) if re.search(r"\.(so|pyd|dll|dylib)$", each[0])]
    return found


def test_a_wheel_was_built() -> None:
    assert WHEELS, "make wheels builds them"
    assert len({named(wheel) for wheel in WHEELS}) == len(WHEELS)


@pytest.fixture(params=WHEELS, ids=named)
def wheel(request) -> Path:
    return request.param


def test_it_is_small_and_has_a_tag_that_an_index_accepts(wheel: Path) -> None:
    assert wheel.stat().st_size < MOST_BYTES
    assert named(wheel) in PLATFORMS
    assert re.search(r"-(manylinux_2_17_\w+\.manylinux2014_\w+|musllinux_1_2_\w+|win_amd64)\.whl$", wheel.name)


def test_it_has_every_file_of_the_package_and_one_library(wheel: Path) -> None:
    tracked = subprocess.check_output(["git", "-C", ROOT / "python", "ls-files", "farlink"], text=True).splitlines()
    library, _ = native(wheel)
    assert library in ("farlink/_farlink.abi3.so", "farlink/_farlink.pyd")
    inside = {name for name, _ in members(wheel) if name.startswith("farlink/")}
    # The laboratory's page is built, where there is Node, and not tracked.
    page = {f"farlink/lab/built/{path.name}" for path in (ROOT / "python/farlink/lab/built").glob("*")}
    assert page or not shutil.which("npm")
    assert inside == {*tracked, *page, library}


def test_the_wheel_of_the_studies_has_all_their_files_but_tests() -> None:
    (wheel,) = (ROOT / "dist/wheels").glob("farlink_studies-*-py3-none-any.whl")
    tracked = subprocess.check_output(["git", "-C", ROOT / "studies", "ls-files", "farlink_studies"], text=True)
    inside = {name for name, _ in members(wheel) if name.startswith("farlink_studies/")}
    assert inside == {name for name in tracked.splitlines() if "/tests/" not in name}


def test_its_metadata_are_those_of_the_project(wheel: Path) -> None:
    texts = {Path(name).name: text for name, text in members(wheel) if ".dist-info/" in name}
    described = message_from_bytes(texts["METADATA"])
    (version,) = re.findall(r'^version = "(.+)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)
    assert (described["Name"], described["Version"]) == ("farlink", version)
    assert described["License-Expression"] == "MIT" and "LICENSE" in texts
    assert described.get_payload().strip() == (ROOT / "python/README.md").read_text(encoding="utf-8").strip()
    assert b"farlink=farlink.__main__:main" in texts["entry_points.txt"].replace(b" ", b"")


def test_its_library_asks_only_for_what_the_tag_allows(wheel: Path) -> None:
    system, machine = named(wheel).split("-")
    library = lief.parse(list(native(wheel)[1]))
    exported = {each.name for each in library.exported_functions}
    assert {name for name in exported if name.startswith("Py")} == {"PyInit__farlink"}
    if system == "windows":
        assert library.header.machine == lief.PE.Header.MACHINE_TYPES.AMD64
        used = {each.name.lower() for each in library.imports}
        # Of Python the stable interface alone; of mingw's own libraries none.
        assert "python3.dll" in used
        own = {"kernel32.dll", "ntdll.dll", "msvcrt.dll", "bcryptprimitives.dll", "userenv.dll", "ws2_32.dll"}
        assert {name for name in used if not name.startswith("api-ms-win-")} <= {"python3.dll", *own}
        return
    assert library.header.machine_type == MACHINES[machine]
    assert set(library.libraries) <= SYSTEM[system] | (LOADERS if system == "manylinux" else set())
    glibc = [
        re.findall(r"GLIBC_(\d+)\.(\d+)", each.name)
        for one in library.symbols_version_requirement
        for each in one.get_auxiliary_symbols()
    ]
    needed = [tuple(map(int, versions[0])) for versions in glibc if versions]
    assert all(version <= LEAST_GLIBC for version in needed)
    assert bool(needed) == (system == "manylinux")


def test_it_names_no_folder_of_the_machine_that_built_it(wheel: Path) -> None:
    folders = [str(folder).encode() for folder in (ROOT, Path.home())]
    assert [name for name, content in members(wheel) if any(folder in content for folder in folders)] == []


@pytest.mark.parametrize("wheel", [each for each in WHEELS if named(each).startswith("manylinux")], ids=named)
def test_auditwheel_agrees_with_the_tag(wheel: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "auditwheel", "show", wheel], capture_output=True, text=True)
    words = " ".join(done.stdout.split())
    assert done.returncode == 0 and re.search(r'following platform tag: "manylinux_2_17_\w+"', words), words
