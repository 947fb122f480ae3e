"""What `make comparison` writes of its sweeps: the table, the figure and the numbers in the text of this folder's page.

    python make.py results/comparison        # the folder of the stores, one per link

numbers.csv has every mean with its 95 % CI. README.md and the figure are made of it: a test makes the text anew.
"""

from __future__ import annotations

import csv
import math
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import farlink as fl
from farlink.drawing.of_runs import save_figure
from farlink.statistics import interval, within
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

HERE = Path(__file__).resolve().parent
PAGE, NUMBERS, PICTURE = HERE / "README.md", HERE / "numbers.csv", HERE / "comparison.svg"
ALTERNATIVE = "Goodput, delay and share beside CUBIC of every congestion control on six links"
CONTROL, RIVAL = "flows.0.tcp.congestion_control", "flows.1.application"


@dataclass(frozen=True)
class Link:
    """What the page says of a link."""

    title: str
    rate_mbps: float
    least_delay_ms: float
    """One way, of a packet of 1500 B that finds no queue; of `leo` on its shortest path."""


LINKS = {
    "fibre": Link("Fibre", 100, 5.12),
    "radio": Link("Lossy radio", 20, 20.6),
    "geo": Link("GEO satellite", 20, 300.6),
    "leo": Link("LEO satellite", 50, 12.24),
    "bufferbloat": Link("Bufferbloat", 10, 21.2),
    "l4s": Link("L4S queue", 40, 10.3),
}
FAMILIES = {
    "loss": ("reno", "cubic", "bic", "scalable", "highspeed", "htcp", "hybla", "enhanced_hybla"),
    "loss and delay or rate": ("compound", "veno", "westwood", "illinois", "yeah"),
    "delay": ("vegas", "copa", "ledbat", "lp"),
    "model of the path": ("bbr", "bbr3"),
    "share of ECN marks": ("dctcp", "prague"),
}
"""What a congestion control mainly follows."""
LOOKS = (("#0072B2", "o"), ("#009E73", "s"), ("#CC79A7", "^"), ("#D55E00", "D"), ("#000000", "v"))
"""A colour of Okabe and Ito and a marker per family."""
CONTROLS = [name for family in FAMILIES.values() for name in family]
COLUMNS = {
    "goodput_mbps": "goodput [Mbit/s]",
    "delay_mean_ms": "mean delay [ms]",
    "delay_p95_ms": "95 % of delays below [ms]",
    "retransmitted_percent": "retransmitted [%]",
    "share_percent": "share beside CUBIC [%]",
}
BESIDE_CUBIC = ("goodput_beside_cubic_mbps", "delay_mean_beside_cubic_ms", "goodput_of_cubic_mbps")
"""Columns of numbers.csv that the table has not."""
Numbers = dict[tuple[str, str, str], tuple[float, float, float]]
"""Mean and both ends of its interval, by link, control and column."""


def measures(store: Path) -> Iterator[tuple[str, str, list[float]]]:
    """The values of all seeds, by control and column."""
    rows = fl.Results(store).to_polars().sort("seed").to_dicts()
    for control in CONTROLS:
        own = [row for row in rows if row[CONTROL] == control]
        alone = [row for row in own if row[RIVAL] == "file" and row["flow"] == "tested"]
        beside = [row for row in own if row[RIVAL] == "bulk" and row["flow"] == "tested"]
        ours = [row["goodput_bps"] / 1e6 for row in beside]
        cubics = [row["goodput_bps"] / 1e6 for row in own if row[RIVAL] == "bulk" and row["flow"] == "rival"]
        yield control, "goodput_mbps", [row["goodput_bps"] / 1e6 for row in alone]
        yield control, "delay_mean_ms", [row["delay_mean_s"] * 1e3 for row in alone]
        yield control, "delay_p95_ms", [row["delay_p95_s"] * 1e3 for row in alone]
        sent = [100 * row["packets_retransmitted"] / row["packets_sent"] for row in alone]
        yield control, "retransmitted_percent", sent
        yield control, "share_percent", [100 * our / (our + cubic) for our, cubic in zip(ours, cubics, strict=True)]
        yield control, "goodput_beside_cubic_mbps", ours
        yield control, "delay_mean_beside_cubic_ms", [row["delay_mean_s"] * 1e3 for row in beside]
        yield control, "goodput_of_cubic_mbps", cubics


def write_numbers(stores: Path) -> None:
    """Write numbers.csv: a row per link and control."""
    columns = [*COLUMNS, *BESIDE_CUBIC]
    ends = [f"{column}{end}" for column in columns for end in ("", "_low", "_high")]
    with NUMBERS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["link", "control", "seeds", *ends])
        for link in LINKS:
            rows: dict[str, list[str]] = {}
            for control, column, values in measures(stores / link):
                made = within(interval(values), 0, 100 if column.endswith("percent") else math.inf)
                assert made is not None and made.low is not None and made.high is not None
                row = rows.setdefault(control, [link, control, str(len(values))])
                row += [f"{each:.6g}" for each in (made.mean, made.low, made.high)]
            writer.writerows(rows.values())


def read_numbers() -> Numbers:
    """Give what numbers.csv has."""
    numbers: Numbers = {}
    with NUMBERS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for column in (*COLUMNS, *BESIDE_CUBIC):
                mean, low, high = (float(row[f"{column}{end}"]) for end in ("", "_low", "_high"))
                numbers[row["link"], row["control"], column] = mean, low, high
    return numbers


def shown(mean: float, low: float, high: float) -> str:
    """A mean with the longer side of its interval, to two digits of that."""
    half = max(mean - low, high - mean)
    digits = min(max(1 - math.floor(math.log10(half)), 0), 2) if half > 0 else 2
    return f"{mean:.{digits}f} ± {half:.{digits}f}"


def table(numbers: Numbers) -> str:
    """Give a row per link and control."""
    rows = [f"| link | control | {' | '.join(COLUMNS.values())} |", "|---|---|" + "--:|" * len(COLUMNS)]
    for link, about in LINKS.items():
        for control in CONTROLS:
            cells = [shown(*numbers[link, control, column]) for column in COLUMNS]
            rows.append(f"| {about.title} | `{control}` | {' | '.join(cells)} |")
    return "\n".join(rows)


def made_anew(page: str, numbers: Numbers) -> str:
    """The page with its table and the numbers of its text as numbers.csv has them."""

    def number(found: re.Match[str]) -> str:
        return f"<!-- {found[1]} {found[2]} {found[3]} -->{shown(*numbers[found[1], found[2], found[3]])}<!-- end -->"

    page = re.sub(r"<!-- (\w+) (\w+) (\w+) -->[^<]*<!-- end -->", number, page)
    begin, end = "<!-- made: results -->", "<!-- end of results -->"
    before, _, rest = page.partition(begin)
    return f"{before}{begin}\n{table(numbers)}\n{end}{rest.partition(end)[2]}"


def figure(numbers: Numbers) -> Figure:
    """A row of panels per link: goodput, delay, and the share beside CUBIC."""
    made = Figure(figsize=(8.5, 21), layout="constrained")
    panels = made.subplots(len(LINKS), 3, sharey=True)
    for (link, about), (goodput, delay, share) in zip(LINKS.items(), panels, strict=True):
        draw(goodput, numbers, link, "goodput_mbps")
        goodput.set_title(f"{about.title}, {about.rate_mbps:g} Mbit/s", loc="left", weight="bold")
        goodput.set(xlim=(0, about.rate_mbps * 1.02), xlabel="goodput [Mbit/s]")
        draw(delay, numbers, link, "delay_mean_ms", "delay_p95_ms")
        delay.set(xscale="log", xlabel="one-way delay [ms]", xlim=(0.95 * about.least_delay_ms, None))
        low, high = delay.get_xlim()
        delay.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 30 else (1, 3)))
        delay.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        delay.xaxis.set_minor_formatter(NullFormatter())
        delay.axvline(about.least_delay_ms, color="0.5", linestyle=":")
        draw(share, numbers, link, "share_percent")
        share.set(xlim=(0, 100), xlabel="share beside CUBIC [%]")
        share.axvline(50, color="0.5", linestyle=":")
    handles = [panels[0, 0].plot([], [], marker, color=colour)[0] for colour, marker in LOOKS]
    made.legend(handles, [f"follows {each}" for each in FAMILIES], loc="outside upper center", ncols=3, frameon=False)
    return made


def draw(panel: Axes, numbers: Numbers, link: str, measure: str, until: str = "") -> None:
    """Draw a measure of all controls with its intervals, and a thin line from it to another one."""
    for place, control in enumerate(CONTROLS):
        colour, marker = next(look for look, names in zip(LOOKS, FAMILIES.values(), strict=True) if control in names)
        mean, low, high = numbers[link, control, measure]
        if until:
            end = numbers[link, control, until][0]
            panel.plot([mean, end], [place, place], color=colour, linewidth=0.8)
            panel.plot(end, place, "|", color=colour, markersize=8)
        whiskers = [[mean - low], [high - mean]]
        panel.errorbar(mean, place, xerr=whiskers, fmt=marker, color=colour, markersize=5, elinewidth=2)
    panel.set_yticks(range(len(CONTROLS)), CONTROLS, fontsize="small")
    panel.set_ylim(len(CONTROLS) - 0.5, -0.5)
    panel.grid(color="0.9")
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)


def main(stores: Path) -> None:
    """Write all three files."""
    write_numbers(stores)
    numbers = read_numbers()
    PAGE.write_text(made_anew(PAGE.read_text(encoding="utf-8"), numbers), encoding="utf-8")
    save_figure(figure(numbers), PICTURE)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
