"""Ctrl-C in a sweep: the first press lets finish what runs, the second leaves it.

A terminal signals every process in it, so the processes of a sweep ignore it.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from farlink.system import interrupts


class Cancellation:
    """Whether Ctrl-C was pressed."""

    def __init__(self) -> None:
        self.is_pressed = False
        self._is_reported = False

    def is_asked(self) -> bool:
        """Whether to begin nothing more; says so to the user once."""
        if self.is_pressed and not self._is_reported:
            self._is_reported = True
            print(
                "farlink: finishing the current runs; press Ctrl-C again to abandon them", file=sys.stderr, flush=True
            )
        return self.is_pressed

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        """Keep that it was pressed; the second time, interrupt."""
        del frame
        interrupts.keep_signal(number)
        if self.is_pressed:
            interrupts.interrupt()
        self.is_pressed = True


@contextmanager
def cancellable() -> Iterator[Cancellation]:
    """Receive Ctrl-C while the block runs, and raise `KeyboardInterrupt` at its end if it was pressed.

    Outside of the main thread, or where another handler is installed, nothing is changed.
    """
    cancellation = Cancellation()
    before = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if not (is_main and before in (signal.default_int_handler, interrupts.on_signal)):
        yield cancellation
        return
    signal.signal(signal.SIGINT, cancellation.on_signal)
    try:
        yield cancellation
    finally:
        signal.signal(signal.SIGINT, before)
    if cancellation.is_pressed:
        raise KeyboardInterrupt


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
