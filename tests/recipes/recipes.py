"""Adds the examples of all recipes and of the tutorial in Rust to a copy of the sources, and tests them there.

The crate of the recipe for a congestion control is built and run outside of the workspace.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CRATES = ["kernel", "tcp", "network", "scenario"]
RECIPES = sorted(page for page in (ROOT / "docs/how-to-add").glob("*.md") if "```rust" in page.read_text())
RECIPES.append(ROOT / "docs/tutorials/congestion-control-rust.md")


def files_of(recipe: str) -> dict[str, str]:
    """The files of the example by path."""
    place, text = re.split(r"\n", recipe.split("\n## ")[1], maxsplit=1)
    path = place.split("`")[1]
    if path.endswith(".rs"):
        [code] = re.findall(r"```rust\n(.*?)```", text, re.DOTALL)
        return {path: code}
    return {path + name: code for name, code in re.findall(r"`(\w+\.rs)`:\n\n```rust\n(.*?)```", text, re.DOTALL)}


def leave_out_tests(copy: Path) -> None:
    """Tests that are there already are run elsewhere: here they would only be compiled."""
    for file in copy.glob("crates/*/src/**/*.rs"):
        text = file.read_text()
        file.write_text(re.sub(r"#\[cfg\(test\)\](\s+mod tests\b)", r"#[cfg(any())]\1", text))


def insert(copy: Path, path: str, line: str, at: int) -> None:
    text = (copy / path).read_text()
    (copy / path).write_text(text[:at] + line + text[at:])


def add(copy: Path, recipe: str) -> str:
    """Follow a recipe in a copy of the sources; gives the name of its module."""
    files = files_of(recipe)
    assert files, "the recipe has another form"
    for path, code in files.items():
        assert not (ROOT / path).exists(), "a recipe adds files; of others it changes the registry only"
        (copy / path).parent.mkdir(exist_ok=True)
        (copy / path).write_text(code)
    lines = recipe.split("\n## ")[2]
    [where] = re.findall(r"`(crates/[\w/]+\.rs)`", lines)
    [module] = re.findall(r"pub mod (\w+);", lines)
    [registry] = re.findall(r"```rust\n(.*?)```", lines, re.DOTALL)
    text = (copy / where).read_text()
    declared = re.finditer(r"(?m)^(?:#\[cfg\(test\)\]\n)?(?:pub(?:\(crate\))? )?mod (\w+);\n", text)
    after = [found for found in declared if found[1] > module]
    last = re.search(r"(?ms).*^pub(?:\(crate\))? mod \w+;\n", text)
    assert last, where
    insert(copy, where, f"pub mod {module};\n", after[0].start() if after else last.end())
    text = (copy / where).read_text()
    insert(copy, where, registry, text.index("    }\n}", text.index("registry! {")))
    return module


def run_outside(copy: Path, environment: dict[str, str]) -> int:
    """Build and run the crate that a recipe shows, in a folder of its own; the exit status."""
    recipe = (ROOT / "docs/how-to-add/congestion-control.md").read_text()
    [section] = re.findall(r"\n## From a crate of your own\n(.*)", recipe, re.DOTALL)
    files = dict(re.findall(r"`([\w./]+)`:\n\n```\w+\n(.*?)```", section, re.DOTALL))
    # With the profile and the versions of the other recipes, cargo takes what these have built.
    workspace = (copy / "Cargo.toml").read_text()
    files[".cargo/config.toml"] = workspace[workspace.index("[profile.dev]") :]
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            (Path(folder) / path).parent.mkdir(exist_ok=True)
            (Path(folder) / path).write_text(text.replace('"../farlink/', f'"{copy}/'))
        shutil.copy(ROOT / "Cargo.lock", folder)  # offline only these versions are there
        command = ["cargo", "run", "--offline", "--quiet"]
        done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    print("crate outside of the workspace:", done.stdout.strip(), flush=True)
    rate = re.fullmatch(r"([\d.]+) bit/s\n", done.stdout)
    return done.returncode or not (rate and 9e6 < float(rate[1]) < 10e6)


def main() -> int:
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    # Always the same folder, so that a build replaces the one before.
    copy = target / "recipes"
    shutil.rmtree(copy, ignore_errors=True)
    for crate in CRATES:
        shutil.copytree(ROOT / "crates" / crate, copy / "crates" / crate)
    for file in ("Cargo.lock", "rustfmt.toml", "clippy.toml"):
        shutil.copy(ROOT / file, copy / file)
    workspace = (ROOT / "Cargo.toml").read_text()
    workspace = re.sub(r"(?m)^members = .*$", 'members = ["crates/*"]', workspace)
    # What only tests use, which are left out.
    workspace = workspace.replace("[workspace.lints.rust]\n", '[workspace.lints.rust]\ndead_code = "allow"\n')
    (copy / "Cargo.toml").write_text(workspace)
    leave_out_tests(copy)
    modules = [add(copy, recipe.read_text()) for recipe in RECIPES]
    shutil.copy(ROOT / "tests/recipes/members.rs", copy / "crates/scenario/tests/members.rs")
    # Built from scratch for short tests: compiling costs more than running. Libraries are those of the other tests.
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target), "CARGO_PROFILE_DEV_OPT_LEVEL": "0"}
    test = ["test", "--offline", "--quiet", "--package"]
    commands = (
        ["fmt", "--all", "--check"],
        [*test, "farlink-tcp", "--lib", "--", *modules],
        [*test, "farlink-network", "--lib", "--", *modules],
        [*test, "farlink-scenario", "--test", "members"],
    )
    print("recipes:", *modules, flush=True)
    # An older toolchain that is asked for has no formatter.
    own = {key: value for key, value in environment.items() if key != "RUSTUP_TOOLCHAIN"}
    statuses = [
        subprocess.run(["cargo", *command], cwd=copy, env=own if command[0] == "fmt" else environment).returncode
        for command in commands
    ]
    return max(*statuses, run_outside(copy, environment))


if __name__ == "__main__":
    sys.exit(main())
