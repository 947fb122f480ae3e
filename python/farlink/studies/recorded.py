"""What a paper's own simulator was recorded to do: `measured.json` beside the script that records it.

The recorded file is committed, so that a study needs no other simulator.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Run = dict[str, Any]


def read(path: Path) -> list[Run]:
    """The recorded runs; none if there is no such file."""
    runs: list[Run] = json.loads(path.read_text(encoding="utf-8"))["runs"] if path.exists() else []
    return runs


def record(folder: Path, asked: Sequence[Run], run: Callable[[Run], Run], **head: object) -> None:
    """Write `measured.json` in the folder of a script: what it holds is not run again, and each run is kept at once."""
    path = folder / "measured.json"
    runs = read(path)
    settings_sha256 = hashlib.sha256((folder.parent / "settings.toml").read_bytes()).hexdigest()
    document = json.dumps({**head, "settings_sha256": settings_sha256}, indent=1).removesuffix("\n}")
    for case in asked:
        if any(case.items() <= each.items() for each in runs):
            continue
        runs.append({**case, **run(case)})
        runs.sort(key=lambda each: _place(each, asked))
        rows = ",\n".join("  " + json.dumps(each) for each in runs)
        path.write_text(f'{document},\n "runs": [\n{rows}\n ]\n}}\n', encoding="utf-8")


def _place(run: Run, asked: Sequence[Run]) -> int:
    """Where a run stands among the cases; past the last if none asks for it."""
    return next((place for place, case in enumerate(asked) if case.items() <= run.items()), len(asked))
