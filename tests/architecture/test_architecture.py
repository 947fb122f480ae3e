"""Nothing imports against the order of rooms, and no modules import each other in a circle."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import imports
import pytest

ROOT = Path(__file__).parents[2]
LIST = re.compile(r"imports only those below it.*?\n(?:\W*\n|```text\n)+(.*?)\n(?:\n|```)", re.DOTALL)
"""A list of rooms, once comment signs are gone: lines of names and, after two spaces, what they are."""


@dataclass(frozen=True)
class House:
    """A crate, a package or a folder whose modules have an order."""

    sources: Path
    rooms: list[str]
    """Lowest first."""

    @classmethod
    def listed(cls, sources: str, file: str, *top: str) -> House:
        """The house whose rooms a file lists; `top` are those above them that no list has."""
        text = re.sub(r"^(?://!|#) ?", "", (ROOT / file).read_text(encoding="utf-8"), flags=re.MULTILINE)
        lines = LIST.search(text)[1].splitlines()
        names = [name for line in lines for name in line.strip().split("  ")[0].split()]
        return cls(ROOT / sources, [*reversed(names), *top])


CRATES = ("kernel", "tcp", "network", "scenario", "python", "web")
HOUSES = {name: House.listed(f"crates/{name}/src", f"crates/{name}/src/lib.rs", "lib") for name in CRATES} | {
    "package": House.listed("python/farlink", "python/farlink/__init__.py", "__init__"),
    "page": House.listed("web/src", "web/README.md"),
}


def faults(house: House) -> list[str]:
    """What breaks the order."""
    readers = {"*.rs": imports.rust, "*.py": imports.python, "*.ts": imports.typescript}
    read = next(reader for pattern, reader in readers.items() if any(house.sources.rglob(pattern)))
    graph = imports.inner(read(house.sources))
    found = [f"{arrow}: upward" for arrow in imports.upward(graph, house.rooms)]
    return found + [f"circle: {', '.join(group)}" for group in imports.circles(graph)]


@pytest.mark.parametrize("name", HOUSES)
def test_no_module_imports_upward_or_in_a_circle(name: str) -> None:
    assert faults(HOUSES[name]) == []


@pytest.mark.parametrize("name", HOUSES)
def test_every_room_is_in_the_order_and_exists(name: str) -> None:
    house = HOUSES[name]
    places = {path for path in house.sources.iterdir() if path.name != "__pycache__"}
    rooms = {path.stem for path in places if path.is_dir() or path.suffix in (".rs", ".py", ".pyi", ".ts")}
    assert sorted(house.rooms) == sorted(rooms)


def test_no_paper_imports_another_and_the_framework_imports_none() -> None:
    papers = imports.inner(imports.python(ROOT / "studies/farlink_studies"))
    arrows = [(name, other) for name, others in papers.items() for other in others]
    assert arrows and [pair for pair in arrows if len({name.split("/")[0] for name in pair}) > 1] == []
    assert imports.circles(papers) == []
    framework = HOUSES["package"].sources.rglob("*.py")
    assert [path for path in framework if "farlink_studies" in path.read_text(encoding="utf-8")] == []


CRATE = {
    "lib.rs": "mod ground;\nmod floor;\nuse floor::Floor;\n",
    "ground.rs": "pub struct Ground;\n",
    "floor/mod.rs": "mod table;\nuse crate::ground::Ground;\nuse table::Table;\n#[cfg(test)]\nmod tests;\n",
    "floor/table.rs": "//! See [`super::Floor`] and use crate::roof;\nuse super::Floor;\n",
    "floor/tests.rs": "use crate::roof::Roof;\n",
    "roof.rs": "use crate::{floor::{Floor, table as t}, ground};\n#[cfg(test)]\nmod t { use crate::attic; }\n",
    "attic.rs": "pub struct Attic;\n",
}
ORDER = ["ground", "floor", "roof", "attic", "lib"]


def made(folder: Path, **changes: str) -> House:
    """A crate, or a package, with some of its files changed."""
    for name, text in (CRATE | {key.replace("__", "/") + ".rs": text for key, text in changes.items()}).items():
        path = folder / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return House(folder / "src", ORDER)


def test_tests_comments_and_the_modules_below_are_no_arrows(tmp_path: Path) -> None:
    assert faults(made(tmp_path)) == []


@pytest.mark.parametrize(
    "line",
    [
        "use crate::roof::Roof;",
        "use crate::{ground::Ground, roof::{self, Roof}};",
        "use super::roof::Roof as Top;",
        "fn of(roof: &crate::roof::Roof) {}",
        "impl super::roof::Cover for Ground {}",
        "const OPEN: char = '{';\nuse crate::roof;",
    ],
)
def test_an_import_of_a_higher_room_is_found(tmp_path: Path, line: str) -> None:
    found = faults(made(tmp_path, ground=line))
    assert found == ["ground -> roof: upward", "circle: floor, floor/table, ground, roof"]


def test_an_import_of_a_higher_room_from_a_folder_is_found(tmp_path: Path) -> None:
    found = faults(made(tmp_path, floor__table="use super::super::attic::Attic;"))
    assert found == ["floor/table -> attic: upward"]


def test_a_circle_within_a_room_is_found(tmp_path: Path) -> None:
    changes = {"floor__table": "use super::chair::Chair;", "floor__chair": "use crate::floor::table::Table;"}
    assert faults(made(tmp_path, **changes)) == ["circle: floor/chair, floor/table"]


def test_a_room_that_is_not_in_the_order_is_found(tmp_path: Path) -> None:
    assert faults(made(tmp_path, cellar="use crate::ground;")) == ["cellar -> ground: upward"]


def test_python_imports_count_in_functions_and_for_types(tmp_path: Path) -> None:
    package = tmp_path / "src"
    package.mkdir()
    (package / "_farlink.pyi").write_text("")
    (package / "low.py").write_text("from src import high\nif TYPE_CHECKING:\n    from src.top import Top\n")
    (package / "high.py").write_text("def f():\n    import src.top\n")
    (package / "top.py").write_text("from src import _farlink\n")
    house = House(package, ["_farlink", "low", "high", "top"])
    expected = ["high -> top: upward", "low -> high: upward", "low -> top: upward"]
    assert faults(house) == expected


def test_typescript_imports_count_with_those_of_types_and_in_functions(tmp_path: Path) -> None:
    texts = {
        "low/table": 'import type { Top } from "../high/index.js";\nimport "../../style/lab.css";\n',
        "low/chair": 'import {\n  a,\n} from "./table.js";\nimport x from "../../build/x.js";\nimport y from "low";\n',
        "high/index": 'import { a } from "../low/table.js";\nexport { chair } from "./chair.js";\n',
        "high/chair": 'const top = () => import("../top/roof.js");\n',
        "top/roof": "export {};\n",
    }
    for name, text in texts.items():
        path = tmp_path / "src" / f"{name}.ts"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    house = House(tmp_path / "src", ["low", "high", "top"])
    circle = "circle: high/index, low/table"
    assert faults(house) == ["high/chair -> top/roof: upward", "low/table -> high/index: upward", circle]
