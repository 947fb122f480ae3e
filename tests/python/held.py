"""The command line, held at its first report of progress: what a test does meanwhile happens in the middle of the work.

`held.py REPORT ANSWER SHARE ARGUMENTS ..` writes a byte to the pipe REPORT at the first report of at least this share,
and goes on when the pipe ANSWER is closed.
"""

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def main(pipe: int, answer: int, least: float, arguments: list[str]) -> None:
    is_reported = False

    def report(share: float) -> None:
        nonlocal is_reported
        if share >= least and not is_reported:
            is_reported = True
            os.write(pipe, b"!")
            os.read(answer, 1)

    @contextmanager
    def progress(*_: object, **__: object) -> Iterator[Callable[[float], None]]:
        yield report

    for module in ("run", "into_store"):  # instead of the bar, which is drawn now and then only
        importlib.import_module(f"farlink.cli.{module}").progress = progress
    sys.argv = ["farlink", *arguments]
    importlib.import_module("farlink.__main__").main()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4:])
