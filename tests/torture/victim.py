"""A sweep that reports how much of it is finished: the process that is killed.

`victim.py FD cli ARGUMENTS ..` is the command line; `victim.py FD class STORE SEEDS` is a script whose runs need
processes, for their congestion control is a class. Each report is a line on the pipe FD: the share that is kept.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import farlink as fl


class Half:
    """The simplest congestion control."""

    every = "rtt"

    def on_ack(self, view: fl.CongestionView) -> None:
        view.cwnd += 1

    def on_congestion(self, view: fl.CongestionView) -> None:
        view.cwnd = view.ssthresh = max(view.cwnd / 2, 2)


def command_line(report: Callable[[float], None], arguments: list[str]) -> None:
    @contextmanager
    def progress(*_: object, **__: object) -> Iterator[Callable[[float], None]]:
        yield report

    # Instead of the bar, which is drawn now and then only.
    importlib.import_module("farlink.cli.into_store").progress = progress
    sys.argv = ["farlink", *arguments]
    importlib.import_module("farlink.__main__").main()


def script(report: Callable[[float], None], store: str, seeds: int) -> int:
    variants = {"links.0.error.rate": [0.001, 0.01], "flows.0.tcp.congestion_control": [Half]}
    try:
        fl.sweep("short.toml", variants, seeds=seeds).run(out=store, jobs=2, progress=report)
    except fl.IncompleteError as error:
        print(f"farlink: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    pipe = int(sys.argv[1])

    def report(share: float) -> None:
        os.write(pipe, f"{share!r}\n".encode())

    if sys.argv[2] == "cli":
        command_line(report, sys.argv[3:])
    else:
        sys.exit(script(report, sys.argv[3], int(sys.argv[4])))
