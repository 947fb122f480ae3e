"""Standard output and standard error whose failures are noticed: what cannot be written ends a command with status 1.

Python writes in part and says nothing where its streams have no buffer (`python -u`), is silent where they are closed,
and complains about a full disk once more at its own end.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, TextIO

OUTPUT, MESSAGES = 1, 2
NAMES = {OUTPUT: "standard output", MESSAGES: "standard error"}

_failed: set[int] = set()


class Stream(io.TextIOWrapper):
    """A standard stream; writes to `MESSAGES` never raise, for there is no place left to report a failure."""

    number = OUTPUT

    def write(self, text: str) -> int:
        """Write all of it, or raise an error that names the stream."""
        try:
            return super().write(text)
        except OSError as error:
            self._fail_with(error)
            return len(text)

    def flush(self) -> None:
        """Write what waits, or raise an error that names the stream."""
        try:
            super().flush()
        except OSError as error:
            self._fail_with(error)

    def _fail_with(self, error: OSError) -> None:
        _failed.add(self.number)
        # What waits in the buffer would fail again at the interpreter's end.
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, self.number)
        os.close(sink)
        if self.number == OUTPUT:
            raise type(error)(error.errno, error.strerror, NAMES[OUTPUT]) from error


def prepare() -> None:
    """Put streams that notice failures in the place of the standard ones."""
    # A stream that was closed fails when it is written to, and no file that is opened later gets its number.
    while (unwritable := os.open(os.devnull, os.O_RDONLY)) <= MESSAGES:
        pass
    os.close(unwritable)
    sys.stdout = _wrap_stream(sys.stdout, OUTPUT)
    sys.stderr = _wrap_stream(sys.stderr, MESSAGES)


def _wrap_stream(before: TextIO | None, number: int) -> TextIO:
    if before is None:  # closed
        made = Stream(open(number, "wb", closefd=False), encoding="utf-8", line_buffering=True)  # noqa: SIM115
    elif not isinstance(before, io.TextIOWrapper):  # not a file
        return before
    else:
        encoding, errors, by_line = before.encoding, before.errors, before.line_buffering
        buffer: Any = before.detach()
        if isinstance(buffer, io.RawIOBase):
            # Without a buffer a write may be one in part.
            buffer, by_line = io.BufferedWriter(buffer), True
        made = Stream(buffer, encoding=encoding, errors=errors, line_buffering=by_line)
    made.number = number
    return made


def finish(status: int) -> int:
    """Write what waits; the exit status, which is not 0 where something could not be written."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    return status or int(bool(_failed))
