"""What each congestion control costs: instructions per delivered packet of the satellite, beside those of `reno`.

`controls.py PROGRAM CONTROL ..` writes the table of docs/verification/speed.md.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ratchet

PAGE = Path(__file__).resolve().parents[1] / "docs/verification/speed.md"
BEGIN, END = "<!-- measured: make bench-controls -->\n", "<!-- end of measured -->"


def cost(program: str, control: str) -> int:
    return ratchet.per_unit(program, "satellite", f"flows.0.tcp.congestion_control={control}")


def main() -> None:
    program, *controls = sys.argv[1:]
    with ThreadPoolExecutor() as pool:
        costs = dict(zip(controls, pool.map(lambda control: cost(program, control), controls), strict=True))
    rows = [f"| `{control}` | {each} | {each / costs['reno']:.3f} |\n" for control, each in costs.items()]
    table = "".join(["| congestion control | instructions | over those of `reno` |\n|---|--:|--:|\n", *rows])
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END, 1)
    PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
