"""What is depended on: every direct dependency is documented, every licence allowed, every duplicate explained."""

import importlib.metadata
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import simpleeval

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
DENY = tomllib.loads((ROOT / "deny.toml").read_text())
RUST_LICENCES = set(DENY["licenses"]["allow"])
PYTHON_LICENCES = RUST_LICENCES | {
    "0BSD",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "MIT-CMU",  # Pillow
    "MPL-2.0",  # pathspec and tqdm, of tools
    "PSF-2.0",
}
JAVASCRIPT_LICENCES = RUST_LICENCES | {"MPL-2.0"}  # axe-core, of tests
SITE = "docs/site/requirements.lock"
RELEASE = "release/requirements.lock"
WITHOUT_METADATA = {
    "axe-playwright-python": "MIT AND MPL-2.0",
    "jstat": "MIT",
    "docutils": "BSD-2-Clause AND 0BSD",  # and public domain; the GPL covers an Emacs mode, which is not in the wheel
}
# Words of older package metadata, and what they mean in SPDX.
CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}


@pytest.fixture(scope="module")
def crates() -> list[dict]:
    """The packages of Cargo.lock, as cargo knows them."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--manifest-path", str(ROOT / "Cargo.toml")]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["packages"]


def is_allowed(expression: str, licences: set[str]) -> bool:
    """Evaluates an SPDX expression; a slash is the old way to write OR."""
    term = r"\b(?!(?:AND|OR)\b)[A-Za-z0-9][\w.+-]*(?: WITH [\w.-]+)?"
    terms = re.sub(term, lambda found: str(found[0] in licences), expression.replace("/", " OR "))
    return bool(simpleeval.simple_eval(terms.replace("AND", "and").replace("OR", "or")))


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("Unlicense/MIT", True),
        ("GPL-3.0-only OR MIT", True),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("(MIT OR Apache-2.0) AND GPL-3.0-only", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-2.0-only WITH Classpath-exception-2.0", False),
    ],
)
def test_an_expression_is_allowed_by_its_terms(expression: str, allowed: bool) -> None:
    assert is_allowed(expression, RUST_LICENCES) == allowed


def test_every_crate_has_an_allowed_licence(crates: list[dict]) -> None:
    refused = {crate["name"]: crate["license"] for crate in crates if not is_allowed(crate["license"], RUST_LICENCES)}
    assert refused == {}


def test_every_crate_is_of_this_repository_or_of_the_registry(crates: list[dict]) -> None:
    registries = ("registry+https://github.com/rust-lang/crates.io-index", None)
    assert [crate["name"] for crate in crates if crate["source"] not in registries] == []


def test_every_crate_that_is_there_twice_is_explained(crates: list[dict]) -> None:
    versions: dict[str, set[str]] = {}
    for crate in crates:
        versions.setdefault(crate["name"], set()).add(crate["version"])
    explained = [(skip["name"], skip["version"].removeprefix("^")) for skip in DENY["bans"]["skip"]]
    for name, version in explained:
        matching = {found for found in versions.get(name, ()) if f"{found}.".startswith(f"{version}.")}
        assert matching and len(versions[name]) > 1, f"{name}@{version} in deny.toml is not needed"
        versions[name] -= matching
    assert {name: found for name, found in versions.items() if len(found) > 1} == {}


def python_licence(distribution: importlib.metadata.Distribution) -> str:
    """The licence of a Python package as its metadata has it: expression, classifier or a word."""
    metadata = distribution.metadata
    classifiers = [line.split(" :: ")[-1] for line in metadata.get_all("Classifier", []) if line.startswith("License")]
    word = metadata.get("License-Expression") or next(iter(classifiers), None) or metadata.get("License") or "unknown"
    return CLASSIFIERS.get(word, word)


def locked_in_python(lock: str = "requirements.lock") -> dict[str, list[str]]:
    """Names and versions of a lock, oldest first: older Pythons get older versions."""
    pairs = re.findall(r"^([\w.-]+)==([\w.+-]+)", (ROOT / lock).read_text(), re.MULTILINE)
    locked: dict[str, list[str]] = {}
    for name, version in pairs:
        locked.setdefault(name, []).append(version)
    return locked


@pytest.mark.parametrize(("lock", "least"), [("requirements.lock", 41), (SITE, 0), (RELEASE, 0)])
def test_every_python_package_has_an_allowed_licence(lock: str, least: int) -> None:
    locked = locked_in_python(lock)
    found = {
        name: WITHOUT_METADATA.get(name) or python_licence(distribution)
        for distribution in importlib.metadata.distributions()
        if (name := distribution.name.lower().replace("_", "-")) in locked
    }
    assert len(found) >= least  # those of the site and of releases are here only after `make site`, `make wheels`
    assert {name: licence for name, licence in found.items() if not is_allowed(licence, PYTHON_LICENCES)} == {}


def direct_in_python() -> dict[str, str]:
    """The direct dependencies of pyproject.toml with their newest locked versions."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    lines = project["project"]["dependencies"] + project["dependency-groups"]["tools"]
    lines += [line for extra in project["project"]["optional-dependencies"].values() for line in extra]
    return newest(lines + project["build-system"]["requires"], locked_in_python())


def direct_of_group(group: str, lock: str) -> dict[str, str]:
    """The packages that build the site, or a release, with their newest locked versions."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return newest(project["dependency-groups"][group], locked_in_python(lock))


def newest(lines: list[str], locked: dict[str, list[str]]) -> dict[str, str]:
    """The newest locked version of each requirement."""
    return {name: locked[name][-1] for name in (re.match(r"[\w.-]+", line)[0] for line in lines)}


@pytest.mark.parametrize("lock", [SITE, RELEASE])
def test_the_locks_agree_where_both_have_a_package(lock: str) -> None:
    tools, other = locked_in_python(), locked_in_python(lock)
    common = tools.keys() & other.keys()
    assert common and {name: other[name] for name in common if not set(other[name]) <= set(tools[name])} == {}


def direct_in_rust(crates: list[dict]) -> dict[str, str]:
    """The direct dependencies of the workspace with their locked versions."""
    own = [crate for crate in crates if crate["source"] is None]
    names = {(needed["name"], needed["req"]) for crate in own for needed in crate["dependencies"]}
    names -= {(crate["name"], "*") for crate in own}
    versions: dict[str, list[str]] = {}
    for crate in crates:
        versions.setdefault(crate["name"], []).append(crate["version"])

    def locked(name: str, requirement: str) -> str:
        fitting = [version for version in versions[name] if version.startswith(requirement.removeprefix("^"))]
        return (fitting or versions[name])[0].split("+")[0]

    found = {name: locked(name, requirement) for name, requirement in names}
    return found | direct_in_workspace("fuzz") | direct_in_workspace("web/bindgen")


def direct_in_workspace(folder: str) -> dict[str, str]:
    """The dependencies of a workspace of its own, whose packages are not fetched unless it is built."""
    manifest, lock = (tomllib.loads((ROOT / folder / name).read_text()) for name in ("Cargo.toml", "Cargo.lock"))
    registry = {name for name, needed in manifest["dependencies"].items() if not isinstance(needed, dict)}
    return {package["name"]: package["version"] for package in lock["package"] if package["name"] in registry}


def locked_in_javascript() -> dict[str, dict]:
    """The packages of the laboratory's lock, by name; the first entry is the laboratory itself."""
    packages = json.loads((ROOT / "web/package-lock.json").read_text())["packages"]
    return {path.rpartition("node_modules/")[2]: package for path, package in packages.items() if path}


def direct_in_javascript() -> dict[str, str]:
    """The direct dependencies of the laboratory, each of one version."""
    package = json.loads((ROOT / "web/package.json").read_text())
    locked = locked_in_javascript()
    return {name: locked[name]["version"] for name in package["dependencies"] | package["devDependencies"]}


def test_every_package_of_the_laboratory_has_an_allowed_licence_and_a_hash() -> None:
    locked = locked_in_javascript()
    assert all("integrity" in package for package in locked.values())
    found = {name: WITHOUT_METADATA.get(name) or package["license"] for name, package in locked.items()}
    assert {name: licence for name, licence in found.items() if not is_allowed(licence, JAVASCRIPT_LICENCES)} == {}


def test_the_version_of_the_bindings_is_that_of_their_generator() -> None:
    generator = direct_in_workspace("web/bindgen")["wasm-bindgen-cli-support"]
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    assert [package["version"] for package in locked if package["name"] == "wasm-bindgen"] == [generator]


def documented(title: str) -> dict[str, tuple[str, str]]:
    """The rows of a table of docs/dependencies.md: names with version and reason."""
    text = (ROOT / "docs/dependencies.md").read_text().split(f"## {title}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `([\w./@-]+)` \| ([\w.+-]+) \| [^|]+ \| ([^|]+) \|$", text, re.MULTILINE)
    return {name: (version, reason) for name, version, reason in rows}


def test_every_direct_dependency_is_documented_with_version_and_reason(crates: list[dict]) -> None:
    for title, direct in {
        "Rust": direct_in_rust(crates),
        "Python": direct_in_python(),
        "The site": direct_of_group("site", SITE),
        "Releases": direct_of_group("release", RELEASE),
        "The laboratory": direct_in_javascript(),
    }.items():
        rows = documented(title)
        assert {name: version for name, (version, _) in rows.items()} == direct
        assert all(reason.strip() for _, reason in rows.values())
