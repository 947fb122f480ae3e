"""Pages whose code is run. `make pages` writes into them what it prints and draws; tests/python/test_pages.py compares.

In such a page a block that begins with `# NAME.toml` or `# NAME.py` is a file, another `python` block is run in the
namespace of the blocks before it, and the `$ farlink ..` lines of a `console` block are commands. What Python prints or
the value of its last line follows in a `text` block; what a command prints follows the command. A figure of the page is
the file with its name that the code writes.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [
        ROOT / "docs/start.md",
        ROOT / "docs/gallery.md",
        *ROOT.glob("docs/tutorials/*.md"),
        *ROOT.glob("docs/coming-from/*.md"),
    ]
)
FENCED = re.compile(r"^```(\w*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
FIGURE = re.compile(r"!\[[^\]]*\]\(([^)]+\.png)\)")
COLUMNS = "100"
"""Of the terminal that commands print to."""


@dataclass
class Block:
    """A part of a page: text (no language), or a fenced block."""

    language: str
    text: str

    @property
    def file(self) -> str | None:
        """The name of the file that a block is."""
        named = re.match(r"# (\S+)\.(toml|py)\n", self.text)
        return (
            f"{named[1]}.{named[2]}"
            if named and named[2] == {"python": "py"}.get(self.language, self.language)
            else None
        )

    def __str__(self) -> str:
        return f"```{self.language}\n{self.text}```\n" if self.language else self.text


def blocks(page: str) -> list[Block]:
    """Take a page apart; the texts of all blocks together are the page."""
    parts, end = [], 0
    for fenced in FENCED.finditer(page):
        parts += [Block("", page[end : fenced.start()]), Block(*fenced.groups())]
        end = fenced.end()
    return [*parts, Block("", page[end:])]


def run(page: str, folder: Path) -> str:
    """Run the code of a page in a folder; the page as it should be."""
    names: dict[str, object] = {"__name__": "__main__"}
    done: list[Block] = []
    with working_in(folder):
        for block in without_outputs(blocks(page)):
            if block.file:
                Path(block.file).write_text(block.text, encoding="utf-8")
            elif block.language == "console":
                block = Block("console", "".join(run_command(line) for line in commands(block.text)))
            done.append(block)
            if block.language == "python" and not block.file and (printed := run_python(block.text, names)):
                done += [Block("", "\n"), Block("text", printed)]
    return "".join(map(str, done))


def without_outputs(parts: list[Block]) -> list[Block]:
    """Leave out what Python printed when the page was last run."""
    kept: list[Block] = []
    for part in parts:
        follows_code = [each.language for each in kept[-2:]] == ["python", ""] and kept[-1].text == "\n"
        if part.language == "text" and follows_code:
            kept.pop()
        else:
            kept.append(part)
    return kept


def commands(console: str) -> list[str]:
    """The commands of a block, without what they printed."""
    return [line[2:] for line in console.splitlines() if line.startswith("$ ")]


def run_command(line: str) -> str:
    """Run a command as in a terminal without colours; the command and what it prints."""
    program, *arguments = shlex.split(line)
    if program != "farlink":
        raise ValueError(f"{line}: only `farlink` is run; use a block of `sh` for what is not")
    ended = subprocess.run(
        [sys.executable, "-m", "farlink", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": COLUMNS, "NO_COLOR": "1"},
    )
    # Progress on standard error depends on the machine; a message of failure does not.
    output = ended.stdout + (ended.stderr if ended.returncode else "")
    return f"$ {line}\n{trimmed(output)}"


def run_python(code: str, names: dict[str, object]) -> str:
    """Run code as a notebook does: the value of the last expression is shown, too."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<page>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<page>", "eval"), names)
            if value is not None and type(value).__name__ != "Figure":
                print(value if isinstance(value, str) else repr(value))
    return trimmed(printed.getvalue())


def trimmed(output: str) -> str:
    """Without blanks at the ends of lines, which editors remove."""
    lines = [line.rstrip() for line in output.strip("\n").splitlines()]
    return "".join(f"{line}\n" for line in lines)


@contextlib.contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Work in a folder, and import from it."""
    before = Path.cwd()
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        os.chdir(before)


def figures(page: Path, folder: Path) -> Iterator[tuple[Path, Path]]:
    """The figures of a page that its code wrote: where they are kept, where they were written."""
    for target in FIGURE.findall(page.read_text(encoding="utf-8")):
        if (made := folder / Path(target).name).exists():
            yield (page.parent / target).resolve(), made


def main(names: list[str]) -> None:
    """Run pages, all of them by default, and write what they print and draw."""
    import tempfile

    for page in [Path(name).resolve() for name in names] or PAGES:
        with tempfile.TemporaryDirectory() as folder:
            text = run(page.read_text(encoding="utf-8"), Path(folder))
            page.write_text(text, encoding="utf-8")
            for kept, made in figures(page, Path(folder)):
                kept.parent.mkdir(exist_ok=True)
                shutil.copy(made, kept)
        print(page.relative_to(ROOT))


if __name__ == "__main__":
    main(sys.argv[1:])
