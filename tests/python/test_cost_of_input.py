"""Bad input of any shape is read in time and memory that grow with its size, not faster.

A process of its own reads each file, with a limit on its processor time that linear work is far below and quadratic
work of this size far above: 10^6 characters, or compared with each other 10^12 operations.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SIZE = 1_000_000
CPU_S = 60
OF_A_SCENARIO, OF_XML, OF_A_FILE = 100, 36, 18
"""Bytes of memory for each further byte. A scenario becomes a tree of values, and XML one of elements."""

READER = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_CPU, ({cpu}, {cpu}))
from farlink._farlink import Scenario, ScenarioError
from farlink.runs.kind import is_sweep
path, origin = Path(sys.argv[1]), sys.argv[1]
text = path.read_text()

def peak():
    # Not ru_maxrss, which begins with that of the parent.
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024

before = peak()
is_sweep(text)
try:
    Scenario(text, origin, path.parent, [])
except ScenarioError as error:
    print(str(error).splitlines()[0][:200])
print(peak() - before)
"""

LINK = 'name = "x"\nduration = "9 s"\nnodes = [{ name = "a" }, { name = "b" }]\nflows = [{ from = "a", to = "b" }]\n'
RATE = LINK + '[[links]]\nbetween = ["a", "b"]\ndelay = "1 ms"\nrate = '
MOVES = LINK + '[radio]\n[mobility]\nname = "scripted"\nmoves = '
NET = LINK + '[topology]\nname = "file"\nlink = { rate = "1 Mbit/s", delay = "1 ms" }\npath = '

ARRIVING = RATE + '"1 Mbit/s"\n[[workloads]]\nfrom = "a"\nto = "b"\n'
SCHEDULE = ARRIVING + 'arrivals = { name = "schedule", csv = "FILE" }'
SIZES = ARRIVING + 'size = { name = "cdf", csv = "FILE" }'

SCENARIOS = {
    "carriage_returns": lambda size: "\r" * size,
    "empty_lines": lambda size: "\n" * size,
    "spaces": lambda size: " " * size,
    "brackets": lambda size: "[" * size,
    "dots": lambda size: "a." * (size // 2) + "a = 1",
    "items_below_a_long_key": lambda size: "k" * (size // 2) + " = [" + "1," * (size // 4) + "]",
    "unknown_keys": lambda size: "".join(f"k{number} = 1\n" for number in range(size // 10)),
    "outages": lambda size: (
        RATE
        + '"1 Mbit/s"\ndown = ['
        + "".join(f'"{2 * number} s..{2 * number + 1} s",' for number in range(size // 20))
        + "]"
    ),
    "recurring_outages": lambda size: (
        RATE
        + '"1 Mbit/s"\ndown = ['
        + "".join(f'"{number} ns..{number + 1} ns every {number + 5} s",' for number in range(size // 25))
        + "]"
    ),
}
FILES = {
    "commas.csv": (RATE + '{ csv = "FILE" }', lambda size: "," * size),
    "quotes.csv": (RATE + '{ csv = "FILE" }', lambda size: '"' * size),
    "times.csv": (RATE + '{ csv = "FILE" }', lambda size: "".join(f"{number},9\n" for number in range(size // 8))),
    "commas_of_flows.csv": (SCHEDULE, lambda size: "," * size),
    "flows.csv": (SCHEDULE, lambda size: "".join(f"{number},9\n" for number in range(size // 8))),
    "quotes_of_sizes.csv": (SIZES, lambda size: '"' * size),
    "sizes.csv": (SIZES, lambda size: "".join(f"{number},0\n" for number in range(size // 8)) + "1e9,1\n"),
    "spaces.trace": (RATE + '{ mahimahi = "FILE" }', lambda size: "\r \n" * (size // 3)),
    "commas_of_nodes.csv": (NET + '"FILE"', lambda size: "," * size),
    "attributes.graphml": (
        NET + '"FILE"',
        lambda size: "<a " + "".join(f'a{number}="" ' for number in range(size // 11)) + "/>",
    ),
    "namespaces.graphml": (
        NET + '"FILE"',
        lambda size: "".join(f'<a xmlns:n{number}="{number}">' for number in range(size // 26)),
    ),
    "keys.graphml": (
        NET + '"FILE"',
        lambda size: (
            "<graphml>"
            + "".join(f'<key id="k{n}" for="node" attr.name="x"><default>1</default></key>' for n in range(size // 100))
            + "<graph>"
            + "".join(f'<node id="n{n}"/>' for n in range(size // 100))
            + "</graph></graphml>"
        ),
    ),
    "rates.graphml": (
        NET.replace("path = ", "attributes = true\npath = ") + '"FILE"',
        lambda size: (
            "<graphml>"
            + "".join(f'<key id="k{n}" for="edge" attr.name="LinkSpeedRaw"/>' for n in range(size // 150))
            + '<graph><node id="a"/><node id="b"/>'
            + "".join(f'<edge source="a" target="b"><data key="k{n}">1e6</data></edge>' for n in range(size // 150))
            + "</graph></graphml>"
        ),
    ),
    "depth.graphml": (NET + '"FILE"', lambda size: "<a>" * (size // 3)),
    "numbers.movements": (MOVES + '{ bonnmotion = "FILE" }', lambda size: "1 " * (size // 2)),
    "words.tcl": (MOVES + '{ ns2 = "FILE" }', lambda size: '" ' * (size // 2)),
    "steps.xml": (
        MOVES + '{ fcd = "FILE" }',
        lambda size: "<fcd-export>" + "<timestep/>" * (size // 11) + "</fcd-export>",
    ),
}


def memory(path: Path) -> int:
    """Read a scenario in a process of its own; the bytes that it took."""
    command = [sys.executable, "-c", READER.format(cpu=CPU_S), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-300:]}"
    *message, taken = done.stdout.splitlines()
    assert "internal" not in "".join(message)
    return int(taken)


@pytest.mark.parametrize("shape", SCENARIOS)
def test_a_scenario_costs_what_its_size_says(shape: str, tmp_path: Path) -> None:
    taken = []
    for size in (SIZE, 4 * SIZE):
        path = tmp_path / f"{size}.toml"
        path.write_bytes(SCENARIOS[shape](size).encode())
        taken.append(memory(path))
    assert taken[1] - taken[0] < OF_A_SCENARIO * 3 * SIZE


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_a_scenario_costs_what_its_size_says(name: str, tmp_path: Path) -> None:
    text, content = FILES[name]
    taken = []
    for size in (SIZE, 4 * SIZE):
        path = tmp_path / f"{size}.toml"
        path.write_text(text.replace("FILE", f"{size}-{name}"))
        (tmp_path / f"{size}-{name}").write_bytes(content(size).encode())
        taken.append(memory(path))
    most = OF_XML if name.endswith("ml") else OF_A_FILE
    assert taken[1] - taken[0] < most * 3 * SIZE
