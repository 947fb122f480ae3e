"""Ctrl-C, SIGTERM and SIGHUP on the command line: each ends a command with one message and 128 plus its number.

`KeyboardInterrupt` may be raised anywhere, also where a library makes another error of it and where Python can only
ignore it. So what was received is kept here, and decides on the exit status.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    import signal
    from types import FrameType
else:
    # `signal` makes enumerations of it, which takes as long as the interpreter's own start.
    import _signal as signal

NUMBERS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
AGAIN_S = 0.05
"""After this an interrupt that Python had to ignore is sent once more."""

_received: list[int] = []
_raises = False
_is_deferred = False
_is_reported = False


class Interrupt(KeyboardInterrupt):
    """Where `KeyboardInterrupt` itself passes an `exec` of text, Python ends by SIGINT, though it was caught after."""


def install() -> None:
    """Begin to keep what is received, but for signals that this process was started to ignore."""
    for number in NUMBERS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, on_signal)
    sys.unraisablehook = _on_unraisable


def begin() -> None:
    """Interrupt from now on, and at once if something was received before."""
    global _raises
    _raises = True
    if _received:
        raise Interrupt


class Deferred:
    """A block that is not to be left half done: what is received in it interrupts at its end."""

    def __enter__(self) -> None:
        """Keep what is received."""
        global _is_deferred
        _is_deferred = True
        self._before = len(_received)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Interrupt if something was received."""
        global _is_deferred
        _is_deferred = False
        if len(_received) > self._before and kind is None:
            raise Interrupt


def interrupt() -> None:
    """Raise `Interrupt`, but in a block that defers it."""
    if not _is_deferred:
        raise Interrupt


def close() -> None:
    """Interrupt nothing more: only the interpreter's own end is left, which would complain."""
    global _raises
    _raises = False
    for number in NUMBERS:
        signal.signal(number, signal.SIG_IGN)


def on_signal(number: int, frame: FrameType | None) -> None:
    """Keep the signal, and interrupt. After SIGTERM or SIGHUP only Ctrl-C interrupts again."""
    del frame
    keep_signal(number)
    if number != signal.SIGINT:
        for each in NUMBERS:
            if each != signal.SIGINT:
                signal.signal(each, signal.SIG_IGN)
    if _raises:
        interrupt()


def keep_signal(number: int) -> None:
    """Keep that a signal was received."""
    _received.append(int(number))


def exit_status() -> int | None:
    """The exit status by the signal that was received first; None if none was."""
    return 128 + _received[0] if _received else None


def is_reported() -> bool:
    """Whether the command has written how it was interrupted."""
    return _is_reported


def report_interruption(message: str) -> None:
    """Write, once, how the command was interrupted and what is kept."""
    global _is_reported
    if not _is_reported:
        print(f"farlink: {message}", file=sys.stderr, flush=True)
        _is_reported = True


def _on_unraisable(ignored: sys.UnraisableHookArgs) -> None:
    """Interrupt again where an interrupt came at a place that can raise nothing, such as a destructor."""
    if not issubclass(ignored.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(ignored)
        return
    import os
    import threading

    number = _received.pop() if _received else int(signal.SIGINT)
    if _raises:
        signal.signal(number, on_signal)
        threading.Timer(AGAIN_S, os.kill, [os.getpid(), number]).start()
