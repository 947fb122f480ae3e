"""What is written of a run besides its results: captures and traces while it runs, an animation after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from farlink._farlink import Scenario, Simulation, quantity
from farlink.errors import UsageError
from farlink.spelling import remedy
from farlink.system.files import check_target, replace_atomically


class Capture(NamedTuple):
    """What to capture of a run, and into which file."""

    path: Path
    of: Literal["senders", "air", "all"]
    """What passes the flows' senders, the frames on shared channels, or all that ns-2 traces."""
    node: int | None = None
    """The node whose radio is captured; all by default."""

    def begin(self, simulation: Simulation) -> None:
        """Begin to capture."""
        if self.of == "senders":
            simulation.capture(self.path)
        elif self.of == "air":
            simulation.capture_frames(self.path, self.node)
        else:
            simulation.trace(self.path)


class Outputs(NamedTuple):
    """What was asked for."""

    pcap: Path | None = None
    trace: Path | None = None
    animate: Path | None = None
    pcap_node: str | None = None
    animate_window: str | None = None

    def captures(self, scenario: Scenario) -> list[Capture]:
        """Give the captures; refuse those that could not be made."""
        captures = []
        if self.pcap is not None:
            captures.append(_capture_by_ending(scenario, self.pcap, self.pcap_node))
        elif self.pcap_node is not None:
            raise UsageError("a node to listen at needs a capture to write: give a .pcapng")
        if self.trace is not None:
            check_target(self.trace, (".tr",))
            captures.append(Capture(self.trace, of="all"))
        return captures

    def window(self, scenario: Scenario) -> tuple[int, int] | None:
        """From when to when an animation shows frames, in nanoseconds; None when none is asked for."""
        if self.animate is None:
            if self.animate_window is not None:
                raise UsageError("a window needs an animation to write: give animate a .html")
            return None
        check_target(self.animate, (".html",))
        whole = (0, scenario.duration_ns)
        return whole if self.animate_window is None else _parse_window(self.animate_window, whole)

    def check(self, seeds: Sequence[int]) -> None:
        """Refuse more than one run."""
        for target, what in ((self.pcap, "a pcap"), (self.trace, "a trace"), (self.animate, "an animation")):
            if target is not None and len(seeds) != 1:
                raise UsageError(f"{what} holds one run; choose one seed")


@contextmanager
def open_captures(captures: Sequence[Capture]) -> Iterator[list[Capture]]:
    """Give the captures with names to write to; the files appear when the block ends, and vanish if it fails."""
    with ExitStack() as files:
        yield [capture._replace(path=files.enter_context(replace_atomically(capture.path))) for capture in captures]


def _capture_by_ending(scenario: Scenario, target: Path, node: str | None) -> Capture:
    """Give the capture that `target` asks for by its ending."""
    check_target(target, (".pcap", ".pcapng"))
    listeners = [name for members in scenario.channels for name in members]
    if target.suffix.lower() == ".pcap":
        if node is not None:
            raise UsageError(f"{target}: a .pcap is made at the senders; to listen at {node}, write a .pcapng")
        return Capture(target, of="senders")
    if not listeners:
        raise UsageError(f"{target}: the scenario has no shared channel to listen to; write a .pcap instead")
    if node is not None and node not in listeners:
        raise UsageError(f"there is no node `{node}` on a shared channel; {remedy(node, listeners)}")
    return Capture(target, of="air", node=None if node is None else scenario.nodes.index(node))


def _parse_window(text: str, whole: tuple[int, int]) -> tuple[int, int]:
    """Read `10 s..20 s`."""
    first, dots, last = text.partition("..")
    ends = [quantity(each.strip()) for each in (first, last)]
    if not dots or any(end is None or end[1] != "s" for end in ends):
        raise UsageError(f"window {text}: write two times, such as '10 s..20 s'")
    start_ns, end_ns = (round(1e9 * end[0]) for end in ends if end is not None)
    if not start_ns < end_ns:
        raise UsageError(f"window {text}: it ends before it begins")
    if start_ns >= whole[1]:
        raise UsageError(f"window {text}: the run ends at {whole[1] / 1e9:g} s")
    return start_ns, min(end_ns, whole[1])


def refuse_inputs(sources: Sequence[Path], targets: Iterable[Path | None]) -> None:
    """Refuse, before a run, an output that would replace a file that the scenario reads."""
    for target in targets:
        if target is not None and any(_is_same(source, target) for source in sources):
            raise UsageError(f"{target}: the scenario reads this file; choose another name for the output")


def _is_same(source: Path, target: Path) -> bool:
    try:
        return source.samefile(target)
    except (OSError, ValueError):  # one of them does not exist, or could not
        return False
