"""The way into the command line: `farlink` and `python -m farlink`.

Signals are received, and failures of the standard streams noticed, before anything heavy is imported.
"""

from __future__ import annotations

import gc
import sys

from farlink.system import interrupts

INTERRUPTED = 130
FEWEST_NEW = 100_000
"""Objects, before Python looks for garbage."""


def main() -> None:
    """Run the command line and leave with its exit status."""
    interrupts.install()
    # Modules are no garbage: while they are imported, Python looks for some seven times, 4 % of a short run.
    gc.set_threshold(FEWEST_NEW)
    from farlink.system import streams

    streams.prepare()
    try:
        try:
            status = _run_cli()
        finally:
            interrupts.close()
    except KeyboardInterrupt:
        interrupts.close()
        status = INTERRUPTED
    except Exception:
        # Python may turn an interrupt into another error while it imports a module.
        if interrupts.exit_status() is None:
            raise
        status = INTERRUPTED
    if status > 128:
        status = interrupts.exit_status() or status
        interrupts.report_interruption("interrupted; what was not finished is not kept")
    sys.exit(streams.finish(status))


def _run_cli() -> int:
    interrupts.begin()
    if sys.argv[1:] == ["--version"]:
        return _print_version()
    from farlink import cli

    return cli.main()


def _print_version() -> int:
    """Print what `click` would, which takes three times as long to import as all of this."""
    from farlink._farlink import __version__

    try:
        print(f"farlink, version {__version__}", flush=True)
        return 0
    except OSError as error:
        from farlink import cli

        return cli.report_failure(error)


if __name__ == "__main__":
    main()
