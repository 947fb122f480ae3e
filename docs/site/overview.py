"""Verdicts and advice of all studies, from the tables of their reports, between the markers of two pages.

`make pages` writes them; tests/python/test_docs.py compares.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STUDIES = ROOT / "docs/studies"
PAGES = (ROOT / "README.md", STUDIES / "README.md")
VERDICTS = ("reproduced", "direction only", "not reproduced", "not reproducible")
ADVICE = ("rely", "likely", "open", "unlikely", "refuted")
SUBJECTS = {
    "satellite": "Enhanced Hybla on a satellite link",
    "manet": "seven TCPs in a mobile ad hoc network",
    "route_failure": "TCP-F, TCP-ELFN and TCP-FSR on broken routes",
    "underwater": "Hybla and small windows over underwater acoustics",
    "frn": "TCP over the Flexible Radio Network",
}
SAME = 0.9
"""A claim counts as judged alike by longer runs from this share of universes on."""


def verdicts_of(study: str, table: str) -> Counter[str]:
    """The verdicts of the counted claims in a table of a report."""
    with (STUDIES / study / "tables" / f"{table}.csv").open(encoding="utf-8") as file:
        return Counter(row["verdict"] for row in csv.DictReader(file) if row["counted"] == "True")


def verdicts() -> str:
    """A row for each report, and for all runs of a study whose report is of fewer."""
    rows = [["study", "subject", "counted claims", *VERDICTS]]
    for study, subject in SUBJECTS.items():
        for table, name in (("claims", f"[{study}]({study}/report.md)"), ("claims-full", f"{study}, `--full`")):
            if (STUDIES / study / "tables" / f"{table}.csv").exists():
                counts = verdicts_of(study, table)
                shown = [counts.total(), *(counts[verdict] for verdict in VERDICTS)]
                rows.append([name, subject, *map(str, shown)])
    return as_table(rows, words=2)


def advice() -> str:
    """A row for each multiverse, and one for all."""
    rows = [["study", *ADVICE, "judged otherwise by longer runs"]]
    total: Counter[str] = Counter()
    for study in SUBJECTS:
        counts = advice_of(study)
        total += counts
        rows.append([f"[{study}]({study}/multiverse.md)", *(str(counts[each]) for each in (*ADVICE, "otherwise"))])
    rows.append(["all", *(str(total[each]) for each in (*ADVICE, "otherwise"))])
    return as_table(rows, words=1)


def advice_of(study: str) -> Counter[str]:
    """What to expect of the counted claims, and how many longer runs judge otherwise."""
    made = json.loads((STUDIES / study / "multiverse.json").read_text(encoding="utf-8"))
    claims, agreement = [each for each in made["claims"] if each["counted"]], made["agreement"]["by_claim"]
    counts = Counter(each["advice"] for each in claims)
    counts["otherwise"] = sum(same < SAME * of for same, of in (agreement[each["claim"]] for each in claims))
    return counts


def reproduced() -> str:
    """How many of all counted claims are reproduced."""
    counts = sum((verdicts_of(study, "claims") for study in SUBJECTS), Counter[str]())
    return f"{counts['reproduced']} of the {counts.total()}"


def as_table(rows: list[list[str]], words: int) -> str:
    """A table in Markdown, whose first columns are words and whose others are numbers."""
    rule = "|" + "---|" * words + "--:|" * (len(rows[0]) - words)
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    return "\n" + "\n".join([head, rule, *body]) + "\n"


PARTS = {"verdicts": verdicts, "advice": advice, "reproduced": reproduced}


def made_anew(page: str) -> str:
    """The page with its parts as they should be."""

    def part(found: re.Match[str]) -> str:
        return f"<!-- made: {found[1]} -->{PARTS[found[1]]()}<!-- end of {found[1]} -->"

    return re.sub(r"<!-- made: (\w+) -->.*?<!-- end of \1 -->", part, page, flags=re.DOTALL)


def main() -> None:
    """Write the pages."""
    for page in PAGES:
        page.write_text(made_anew(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
