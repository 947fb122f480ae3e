"""Nothing imports against the written order of rooms (order.toml), and no modules import each other in a circle."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import imports
import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
HOUSES = tomllib.loads(Path(__file__).with_name("order.toml").read_text(encoding="utf-8"))


def faults(house: dict[str, Any], root: Path) -> list[str]:
    """What breaks the order, and what is listed as remaining and does not."""
    sources = root / house["folder"]
    readers = {"*.rs": imports.rust, "*.py": imports.python, "*.ts": imports.typescript}
    read = next(reader for pattern, reader in readers.items() if any(sources.rglob(pattern)))
    graph = imports.inner(read(sources))
    remaining = {tuple(line.split(":")[0].split(" -> ")) for line in house.get("remaining", [])}
    gone = [arrow for arrow in sorted(remaining) if arrow[1] not in graph.get(arrow[0], ())]
    found = [f"{' -> '.join(arrow)}: listed as remaining, and gone" for arrow in gone]
    graph = {name: {other for other in others if (name, other) not in remaining} for name, others in graph.items()}
    found += [f"{arrow}: upward" for arrow in imports.upward(graph, house["rooms"])]
    return found + [f"circle: {', '.join(group)}" for group in imports.circles(graph)]


@pytest.mark.parametrize("name", HOUSES)
def test_no_module_imports_upward_or_in_a_circle(name: str) -> None:
    assert faults(HOUSES[name], ROOT) == []


def test_every_room_is_in_the_order_and_exists() -> None:
    for house in HOUSES.values():
        sources = ROOT / house["folder"]
        places = {path for path in sources.iterdir() if path.name != "__pycache__"}
        rooms = {path.stem for path in places if path.is_dir() or path.suffix in (".rs", ".py", ".pyi", ".ts")}
        assert set(house["rooms"]) == rooms
        assert len(house["rooms"]) == len(set(house["rooms"]))


def test_the_package_lists_its_rooms_from_top_to_bottom() -> None:
    lines = (ROOT / "python/farlink/__init__.py").read_text(encoding="utf-8").splitlines()
    listed = [line.split()[1] for line in lines if line.startswith("#   ")]
    assert [*reversed(listed), "__init__"] == HOUSES["python"]["rooms"]


CRATE = {
    "lib.rs": "mod ground;\nmod floor;\nuse floor::Floor;\n",
    "ground.rs": "pub struct Ground;\n",
    "floor/mod.rs": "mod table;\nuse crate::ground::Ground;\nuse table::Table;\n#[cfg(test)]\nmod tests;\n",
    "floor/table.rs": "//! See [`super::Floor`] and use crate::roof;\nuse super::Floor;\n",
    "floor/tests.rs": "use crate::roof::Roof;\n",
    "roof.rs": "use crate::{floor::{Floor, table as t}, ground};\n#[cfg(test)]\nmod t { use crate::attic; }\n",
    "attic.rs": "pub struct Attic;\n",
}
ORDER = {"folder": "src", "rooms": ["ground", "floor", "roof", "attic", "lib"]}


def made(folder: Path, **changes: str) -> Path:
    """A crate, or a package, with some of its files changed."""
    for name, text in (CRATE | {key.replace("__", "/") + ".rs": text for key, text in changes.items()}).items():
        path = folder / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_tests_comments_and_the_modules_below_are_no_arrows(tmp_path: Path) -> None:
    assert faults(ORDER, made(tmp_path)) == []


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
    found = faults(ORDER, made(tmp_path, ground=line))
    assert found == ["ground -> roof: upward", "circle: floor, floor/table, ground, roof"]


def test_an_import_of_a_higher_room_from_a_folder_is_found(tmp_path: Path) -> None:
    found = faults(ORDER, made(tmp_path, floor__table="use super::super::attic::Attic;"))
    assert found == ["floor/table -> attic: upward"]


def test_a_circle_within_a_room_is_found(tmp_path: Path) -> None:
    changes = {"floor__table": "use super::chair::Chair;", "floor__chair": "use crate::floor::table::Table;"}
    assert faults(ORDER, made(tmp_path, **changes)) == ["circle: floor/chair, floor/table"]


def test_a_room_that_is_not_in_the_order_is_found(tmp_path: Path) -> None:
    assert faults(ORDER, made(tmp_path, cellar="use crate::ground;")) == ["cellar -> ground: upward"]


def test_what_remains_is_allowed_once_and_must_be_struck_off(tmp_path: Path) -> None:
    house = {**ORDER, "remaining": ["ground -> attic: until the stairs are built"]}
    assert faults(house, made(tmp_path, ground="use crate::attic::Attic;")) == []
    assert faults(house, made(tmp_path)) == ["ground -> attic: listed as remaining, and gone"]


def test_python_imports_count_in_functions_and_for_types(tmp_path: Path) -> None:
    package = tmp_path / "src"
    package.mkdir()
    (package / "_farlink.pyi").write_text("")
    (package / "low.py").write_text("from src import high\nif TYPE_CHECKING:\n    from src.top import Top\n")
    (package / "high.py").write_text("def f():\n    import src.top\n")
    (package / "top.py").write_text("from src import _farlink\n")
    house = {"folder": "src", "rooms": ["_farlink", "low", "high", "top"]}
    expected = ["high -> top: upward", "low -> high: upward", "low -> top: upward"]
    assert faults(house, tmp_path) == expected


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
    house = {"folder": "src", "rooms": ["low", "high", "top"]}
    circle = "circle: high/index, low/table"
    assert faults(house, tmp_path) == ["high/chair -> top/roof: upward", "low/table -> high/index: upward", circle]
