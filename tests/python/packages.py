"""Python packages for tests: wheels by hand, for no build backend is at hand offline."""

from __future__ import annotations

import re
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def files_of_page(page: Path) -> dict[str, str]:
    """The files that a page shows, by path."""
    return dict(re.findall(r"`([\w./]+)`:\n\n```\w+\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))


def write_wheel(folder: Path, files: Mapping[str, str]) -> Path:
    """Write the wheel of a package with a `pyproject.toml`, as a build backend would."""
    project = tomllib.loads(files["pyproject.toml"])["project"]
    name, version = project["name"], project["version"]
    stem = f"{name.replace('-', '_')}-{version}"
    groups = [
        "\n".join([f"[{group}]", *(f"{each} = {value}" for each, value in entries.items())])
        for group, entries in project["entry-points"].items()
    ]
    content = {path: text for path, text in files.items() if path != "pyproject.toml"} | {
        f"{stem}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{stem}.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{stem}.dist-info/entry_points.txt": "\n".join(groups),
    }
    record = f"{stem}.dist-info/RECORD"
    content[record] = "".join(f"{path},,\n" for path in [*content, record])
    wheel = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        for path, text in content.items():
            file.writestr(path, text)
    return wheel


def install(site: Path, name: str, module: str, text: str, entries: Mapping[str, Mapping[str, str]]) -> None:
    """Put a package of one module into a folder that Python searches."""
    points = "".join(
        f'[project.entry-points."{group}"]\n' + "".join(f'{each} = "{value}"\n' for each, value in of.items())
        for group, of in entries.items()
    )
    project = f'[project]\nname = "{name}"\nversion = "0.1"\n{points}'
    site.mkdir(exist_ok=True)
    with zipfile.ZipFile(write_wheel(site, {"pyproject.toml": project, f"{module}.py": text})) as wheel:
        wheel.extractall(site)
