"""Tables for a paper: rules, units in the head, numbers in columns of siunitx; any text is printed as it is."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from farlink.results import latex
from farlink.results.report_table import ReportTable
from farlink.tables.labels import Names

CONTROL = "flows.0.tcp.congestion_control"
ROWS = [
    {
        CONTROL: name,
        "links.0.error.rate": rate,
        "links.0.rate_bps": 1e7,
        "runs": 20,
        "completed": completed,
        "transfers": 20,
        "goodput_bps": goodput,
        "goodput_bps_low": None if half is None else goodput - half,
        "goodput_bps_high": None if half is None else goodput + half,
        "delay_mean_s": delay,
        "delay_mean_s_low": None,
        "delay_mean_s_high": None,
    }
    for name, rate, completed, goodput, half, delay in (
        ("cubic", 0.0, 20, 4.434e6, 0.12e6, 0.0253),
        ("a_b & 50 % #{x}^~\\<>$", 1e-7, 18, 9.871e6, None, None),
    )
]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a table with everything in it."""
    path = tmp_path_factory.mktemp("latex") / "summary.tex"
    ReportTable.of(ROWS, "95 % CI: Student's t", names=Names(links=["a-b"])).save(path)
    return path.read_text()


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)&", line.removesuffix(r"\\"))]


def test_a_table_for_a_paper_has_means_with_half_widths_and_units_in_its_head(written: str) -> None:
    lines = [line for line in written.splitlines() if not line.startswith("%")]
    assert lines[0].startswith(r"\begin{tabular}{l r l S[table-format=1.2(2), separate-uncertainty] S[")
    assert [lines[number] for number in (1, 4, 7, 8)] == [r"\toprule", r"\midrule", r"\bottomrule", r"\end{tabular}"]
    assert cells(lines[2]) == ["congestion control", "link error rate", "completed", "{goodput}", "{mean delay}"]
    assert cells(lines[3]) == ["", "", "", "{[Mbit/s]}", "{[ms]}"]
    assert cells(lines[5]) == ["cubic", "0", "20 of 20", r"4.43 \pm 0.12", "25.3"]
    assert cells(lines[6])[1:] == [r"\num{1e-7}", "18 of 20", "9.87", "{--}"]


def test_what_all_rows_have_alike_is_a_comment(written: str) -> None:
    comments = [line for line in written.splitlines() if line.startswith("%")]
    assert "% link rate: 10 Mbit/s" in comments and "% 20 runs per row" in comments
    assert "% 95 % CI: Student's t" in comments and "booktabs" in comments[0] and "siunitx" in comments[0]


def test_every_character_that_latex_takes_for_a_command_is_escaped() -> None:
    assert latex.escape("a_b & 50 %") == r"a\_b \& 50 \%"
    assert latex.escape("\\^~<>{}$#") == (
        r"\textbackslash{}\textasciicircum{}\textasciitilde{}\textless{}\textgreater{}\{\}\$\#"
    )
    assert "\\u001b" not in latex.escape("\x1b") and latex.escape("\n") != "\n"


@pytest.mark.parametrize(
    ("cell", "column", "number"),
    [
        ((4434.0, 4314.0, 4554.0), "S[table-format=4(3), separate-uncertainty]", r"4434 \pm 120"),
        ((-0.5, -0.62, -0.31), "S[table-format=-1.2(2), separate-uncertainty]", r"-0.50 \pm 0.19"),
        ((3.0, 3.0, 3.0), "S[table-format=1]", "3"),
        ((0.00123, None, None), "S[table-format=1.5]", "0.00123"),
        ((22.17, 20.63, None), "S[table-format=1]", "{22.2 [20.6, --]}"),
        ((22.17, 22.17, None), "S[table-format=1]", "{22.2 [22.2, --]}"),
        ((-1.5, None, -0.25), "S[table-format=1]", "{-1.5 [--, -0.2]}"),
        ((None, None, None), "S[table-format=1]", "{--}"),
    ],
)
def test_a_mean_has_as_many_digits_as_its_half_width(cell: tuple, column: str, number: str) -> None:
    made = latex.measure("x", "", 1.0, [cell])
    assert (made.kind, made.cells) == (column, [number])


@pytest.mark.parametrize("label", ["[a]", "* b", "[ms]"])
def test_no_row_begins_with_what_the_line_before_takes_for_an_argument(label: str) -> None:
    first = [latex.parameter("delay", "links.0.delay_s", [0.01, 0.02]), latex.text("variant", [label, "c"])]
    for columns in (first, first[::-1]):
        rows = latex.tabular(columns, ()).splitlines()
        assert sum(row.startswith(("{}[", "{}*")) for row in rows) == 1
        assert not any(row.startswith(("[", "*")) for row in rows)


def test_a_table_without_rows_is_a_table() -> None:
    assert ReportTable.of([]).render("latex").endswith(r"\end{tabular}")
    assert r"\begin{tabular}" in ReportTable(ReportTable.of(ROWS).table.slice(0, 0)).render("latex")


def test_only_a_measure_is_named_as_a_percentile() -> None:
    names = Names()
    assert names.words("completion_p95_s") == "95th percentile of the completion time"
    assert names.words("delay_p95_s") == "95th percentile of the delay"
    assert names.words("completion_p99.9_s") == "99.9th percentile of the completion time"
    assert "percentile" not in names.words("links.0.error.loss_p2")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
def test_the_table_compiles(written: str, tmp_path: Path) -> None:
    head = r"\documentclass{article}\usepackage{booktabs}\usepackage{siunitx}\begin{document}"
    (tmp_path / "paper.tex").write_text(f"{head}\n{written}\n\\end{{document}}\n")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]
