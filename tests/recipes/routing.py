"""Adds the routing recipe's example to a copy of the sources, as the recipe says, and tests it there."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CRATES = ["kernel", "tcp", "network", "scenario"]


def example(recipe: str) -> tuple[dict[str, str], str]:
    """The files of the example by name, and the lines for the registry."""
    folder, lines = recipe.split("\n## ")[1:3]
    files = re.findall(r"`(\w+\.rs)`:\n\n```rust\n(.*?)```", folder, re.DOTALL)
    registry = re.search(r"```rust\n(.*?)```", lines, re.DOTALL)
    assert len(files) == 2 and registry, "the recipe has another form"
    return dict(files), registry[1]


def add(copy: Path) -> None:
    """Follows the recipe in a copy of the sources: one folder, two lines."""
    files, registry = example((ROOT / "docs/how-to-add/routing.md").read_text())
    folder = copy / "crates/network/src/routing/one_hop"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    module = folder.parent / "mod.rs"
    text = module.read_text().replace("pub mod olsr;\n", "pub mod olsr;\npub mod one_hop;\n")
    end = text.rindex("    }\n}")
    module.write_text(text[:end] + registry + text[end:])
    shutil.copy(ROOT / "tests/recipes/one_hop.rs", copy / "crates/scenario/tests/one_hop.rs")


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        for crate in CRATES:
            shutil.copytree(ROOT / "crates" / crate, copy / "crates" / crate)
        for file in ("Cargo.lock", "rustfmt.toml", "clippy.toml"):
            shutil.copy(ROOT / file, copy / file)
        workspace = (ROOT / "Cargo.toml").read_text()
        (copy / "Cargo.toml").write_text(re.sub(r"(?m)^members = .*$", 'members = ["crates/*"]', workspace))
        add(copy)
        target = os.environ.get("CARGO_TARGET_DIR", ROOT / "target")
        # Built from scratch for one short test: compiling costs more than running.
        unoptimised = {"CARGO_TARGET_DIR": str(Path(target) / "recipes"), "CARGO_PROFILE_DEV_OPT_LEVEL": "0"}
        environment = {**os.environ, **unoptimised}
        commands = (
            ["fmt", "--all", "--check"],
            ["test", "--package", "farlink-scenario", "--test", "one_hop"],
        )
        return max(subprocess.run(["cargo", *command], cwd=copy, env=environment).returncode for command in commands)


if __name__ == "__main__":
    sys.exit(main())
