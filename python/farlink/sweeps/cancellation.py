"""Ctrl-C in a sweep: the first press lets finish what runs, the second leaves it.

A terminal signals every process in it, so the processes of a sweep ignore it.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

from farlink.system import interrupts


class Cancellation:
    """Receives Ctrl-C while its block runs, and raises `KeyboardInterrupt` at the end of the block if it did.

    Outside of the main thread, or where another handler is installed, nothing is changed.
    """

    def __init__(self) -> None:
        self._is_asked = False
        self._is_reported = False
        self._is_installed = False
        self._before: Any = None

    def is_asked(self) -> bool:
        """Whether to begin nothing more; says so to the user once."""
        if self._is_asked and not self._is_reported:
            self._is_reported = True
            print(
                "farlink: finishing the current runs; press Ctrl-C again to abandon them", file=sys.stderr, flush=True
            )
        return self._is_asked

    def __enter__(self) -> Cancellation:
        is_main = threading.current_thread() is threading.main_thread()
        self._before = signal.getsignal(signal.SIGINT)
        if is_main and self._before in (signal.default_int_handler, interrupts.on_signal):
            signal.signal(signal.SIGINT, self._on_signal)
            self._is_installed = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_installed:
            signal.signal(signal.SIGINT, self._before)
        if self._is_asked and kind is None:
            raise KeyboardInterrupt

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        interrupts.keep_signal(number)
        if self._is_asked:
            interrupts.interrupt()
        self._is_asked = True


@contextmanager
def ignoring_interrupts() -> Iterator[None]:
    """Processes that are started in the block ignore Ctrl-C, and so do those that its threads start later.

    What is pressed meanwhile arrives at the end of the block.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    # Starting this one would unblock the signal again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
