"""The way into the command line: `farlink` and `python -m farlink`.

Ctrl-C and SIGTERM are heard from the first moment on, before anything heavy is imported; both end a command in order.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

INTERRUPTED = 130
TERMINATED = 143


def main() -> None:
    """Run the command line and leave with its exit status."""
    is_terminated = False

    def terminate(number: int, frame: FrameType | None) -> None:
        nonlocal is_terminated
        is_terminated = True
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise KeyboardInterrupt

    try:
        signal.signal(signal.SIGTERM, terminate)
        from farlink import cli

        status = cli.main()
    except KeyboardInterrupt:
        status = INTERRUPTED
    # Nothing is left to be interrupted but the interpreter's own end, which would complain.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(TERMINATED if is_terminated and status == INTERRUPTED else status)


if __name__ == "__main__":
    main()
