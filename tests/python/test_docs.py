import csv
import hashlib
import json
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import get_args
from urllib.parse import urlsplit

import farlink as fl
import overview
import pytest
from conftest import Cli
from farlink.studies import report_page
from farlink.studies.multiverse.classes import Advice

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
STUDIES = ROOT / "studies/farlink_studies"


def test_links_in_the_docs_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", without_code(page.read_text(encoding="utf-8"))):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}"


def without_code(page: str) -> str:
    return re.sub(r"^```.*?^```$|`[^`\n]+`", "", page, flags=re.DOTALL | re.MULTILINE)


def places(page: Path) -> set[str]:
    """The anchors of headings as code hosts make them; equal ones are numbered."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    found: Counter[str] = Counter()
    anchors = set()
    for heading in re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).strip().replace(" ", "-")
        anchors.add(f"{slug}-{found[slug]}" if found[slug] else slug)
        found[slug] += 1
    return anchors


def test_links_to_a_heading_lead_to_one() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md")]:
        text = without_code(page.read_text(encoding="utf-8"))
        for target, fragment in re.findall(r"\]\(([^)#:]*\.md)?#([^)]*)\)", text):
            there = page.parent / target if target else page
            assert fragment in places(there), f"{page.relative_to(ROOT)}: {target}#{fragment}"


def test_links_to_other_sites_are_well_formed() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md")]:
        for target in re.findall(r"\]\((\w+:[^)]*)\)", without_code(page.read_text(encoding="utf-8"))):
            parts = urlsplit(target)
            assert parts.scheme == "https" and "." in parts.netloc, f"{page.relative_to(ROOT)}: {target}"


def test_the_pages_give_the_verdicts_and_the_advice_of_all_studies() -> None:
    for page in overview.PAGES:
        text = page.read_text(encoding="utf-8")
        assert "<!-- made: " in text and overview.made_anew(text) == text, "`make pages` writes it anew"


def test_the_reports_give_the_verdicts_of_their_tables() -> None:
    studies = sorted(path.parent.parent for path in (ROOT / "docs/studies").glob("*/tables/claims.csv"))
    assert {study.name for study in studies} == set(overview.SUBJECTS)
    for study in studies:
        with (study / "tables/claims.csv").open(encoding="utf-8") as file:
            claims = list(csv.DictReader(file))
        counts = Counter(each["verdict"] for each in claims if each["counted"] == "True")
        report = (study / "report.md").read_text(encoding="utf-8")
        effort = re.findall(r"farlink study run \w+ --(\w+)", report)[-1]
        assert cells(report, f"as committed, `--{effort}`") == verdict_cells(counts)
        rows = re.findall(r"\n\| ([A-Z]-\d+) \|(?:[^|]*\|){6,7}? ([a-z ]+?)(?: \(not counted\))? \|", report)
        assert rows == [(each["id"], each["verdict"]) for each in claims]


def test_the_reports_give_the_advice_of_the_multiverse_analyses() -> None:
    for path in sorted((ROOT / "docs/studies").glob("*/multiverse.json")):
        made = json.loads(path.read_text(encoding="utf-8"))
        claims = made["claims"]
        counts = Counter(each["advice"] for each in claims if each["counted"])
        report = (path.parent / "report.md").read_text(encoding="utf-8")
        assert cells(report, "over all plausible [readings](multiverse.md)") == [
            counts[name] for name in get_args(Advice)
        ]
        table = report.partition("## Reasons")[0]
        given = dict(re.findall(r"\n\| ([A-Z]-\d+) \|.*\| ((?:[a-z]+: [\d.]+%, [^|]+)|-) \|(?=\n)", table))
        assert given == {each["claim"]: report_page.format_reading(each) for each in claims}


def test_reports_give_the_verdicts_of_other_runs() -> None:
    others = [("route_failure", "full", "as committed, `--full`"), ("frn", "full", "as committed, `--full`")]
    for study, table, row in [*others, ("manet", "0.2.0", "as committed, version 0.2.0")]:
        folder = ROOT / "docs/studies" / study
        rows = csv.DictReader((folder / f"tables/claims-{table}.csv").read_text(encoding="utf-8").splitlines())
        counts = Counter(row["verdict"] for row in rows if row["counted"] == "True")
        assert cells((folder / "report.md").read_text(encoding="utf-8"), row) == verdict_cells(counts)


def cells(page: str, row: str) -> list[int]:
    """The numbers in the row with this name."""
    (found,) = re.findall(rf"\n\| {re.escape(row)} \|([ \d|]+)\|\n", page)
    return [int(cell) for cell in found.split("|")]


def verdict_cells(counts: Counter[str]) -> list[int]:
    """How many claims have each verdict, and how many there are."""
    return [*(counts[verdict] for verdict in overview.VERDICTS), counts.total()]


def test_the_hashes_of_settings_are_those_of_the_files_and_of_the_reports() -> None:
    page = (ROOT / "docs/studies/README.md").read_text(encoding="utf-8")
    rows = re.findall(r"\n\| (\w+) \| `[\w.]+` \| `\w+` \| `([\w.]+)` \| `(\w+)` \|", page)
    for study, name, listed in rows:
        digest = hashlib.sha256((STUDIES / study / name).read_bytes()).hexdigest()
        assert listed == digest
        if name in ("settings.toml", "experiments.toml"):
            report = (ROOT / "docs/studies" / study / "report.md").read_text(encoding="utf-8")
            assert f"`{name}`, SHA-256 `{digest}`" in report
    assert {"settings.toml", "experiments.toml"} < {name for _, name, _ in rows}


def test_each_multiverse_is_of_the_present_factors_and_gives_every_counted_claim_a_class() -> None:
    pages = sorted((ROOT / "docs" / "studies").glob("*/multiverse.json"))
    assert pages
    for path in pages:
        made, study = json.loads(path.read_text(encoding="utf-8")), path.parent.name
        folder = STUDIES / study
        for name in ("settings", "factors", "corrections"):
            file = folder / f"{name}.toml"
            digest = hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else ""
            assert made[f"{name}_sha256"] == digest, f"{study}: {name}.toml"
        page = path.with_suffix(".md").read_text(encoding="utf-8")
        assert f"`factors.toml`, SHA-256 `{made['factors_sha256']}`" in page
        rows = list(csv.DictReader((path.parent / "tables/multiverse.csv").read_text(encoding="utf-8").splitlines()))
        counted = Counter(row["class"] for row in rows if row["counted"] == "True")
        assert dict(counted) == made["classes"] and "not measured" not in counted
        assert cells(page, "class") == [*made["classes"].values(), counted.total()]
        least = 80 if study == "manet" else 200
        assert made["universes"] >= least and made["agreement"]["universes"] >= 10
        sampled = (path.parent / "tables/universes.csv").read_text(encoding="utf-8").count("\nsample,")
        assert sampled == made["universes"]
        assert page.partition("<!-- conclusion -->")[2].partition("<!-- end of conclusion -->")[0].strip()


def test_the_citation_names_this_version() -> None:
    assert f"\nversion: {fl.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_exceptions_are_complete() -> None:
    exceptions = tomllib.loads((ROOT / "docs" / "spec-exceptions.toml").read_text(encoding="utf-8"))
    for each in exceptions.get("exception", []):
        assert list(each) == ["clause", "says", "instead", "reason"]


def blocks(page: str) -> list[str]:
    return re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / "guide" / page).read_text(encoding="utf-8"), re.DOTALL)


REST_OF_THE_CHANNELS = """
[[nodes]]
name = "gateway"
[[nodes]]
name = "laptop"
position = ["400 m", "0 m"]
[[flows]]
from = "gateway"
to = "laptop"
"""


REST_OF_THE_SPLIT = """
[[nodes]]
name = "server"
[[nodes]]
name = "gateway"
[[nodes]]
name = "laptop"
[[links]]
between = ["server", "gateway"]
rate = "100 Mbit/s"
delay = "5 ms"
[[links]]
between = ["gateway", "laptop"]
rate = "10 Mbit/s"
delay = "5 ms"
"""


REST_OF_THE_HANDOVERS = """
[[nodes]]
name = "gateway"
[[nodes]]
name = "terminal"
[[flows]]
from = "gateway"
to = "terminal"
"""


REST_OF_THE_WIRELESS = """
[topology]
name = "chain"
nodes = 2
[[flows]]
from = "n0"
to = "n1"
"""


REST_OF_THE_MOVEMENT = """
[radio]
[[flows]]
from = "n0"
to = "sink"
"""


def test_scenarios_in_the_guide_are_valid(tmp_path: Path) -> None:
    whole, split, channels, wireless, handovers, reconverge, jitter, topology, mobility = blocks("scenario.md")
    path = tmp_path / "guide.toml"
    path.write_text(whole)
    assert fl.load(path).validated.name == "satellite"
    path.write_text(f'name = "split"\nduration = "10 s"\n{split}{REST_OF_THE_SPLIT}')
    assert fl.load(path).run(seed=1).flows["completion_s"][1].as_py() > 0
    path.write_text(f'name = "channels"\nduration = "10 s"\n{channels}{REST_OF_THE_CHANNELS}')
    assert fl.load(path).run(seed=1).flows["packets_delivered"][0].as_py() > 0
    (tmp_path / "uplink.csv").write_text("time_s,rate_bps\n0,12e6\n30,6e6\n")
    path.write_text(f'name = "handovers"\nduration = "40 s"\n{handovers}{REST_OF_THE_HANDOVERS}')
    run = fl.load(path).run(seed=1)
    assert {row["cause"] for row in run.drops.to_pylist()} == {"link_down", "queue_full"}
    path.write_text(f'name = "reconverge"\nduration = "40 s"\n{reconverge}{handovers}{REST_OF_THE_HANDOVERS}')
    assert "no_route" in fl.load(path).run(seed=1).drops["cause"].to_pylist()
    path.write_text(f'name = "jitter"\nduration = "40 s"\n{handovers}{jitter}{REST_OF_THE_HANDOVERS}')
    assert fl.load(path).run(seed=1).flows["packets_delivered"][0].as_py() > 1000
    path.write_text(f'name = "wireless"\nduration = "10 s"\n{wireless}{REST_OF_THE_WIRELESS}')
    assert fl.load(path).run(seed=1).flows["packets_delivered"][0].as_py() > 1000
    path.write_text(f'name = "moving"\nduration = "60 s"\n{topology}{mobility}{REST_OF_THE_MOVEMENT}')
    assert '"$node_(51) setdest 401.000000000000 51.0' in fl.load(path).ns2_movement(shift="1 m")


def test_the_scenario_under_water_runs_over_two_hops(tmp_path: Path) -> None:
    (text,) = blocks("underwater.md")
    (tmp_path / "harbour.toml").write_text(text)
    run = fl.load(tmp_path / "harbour.toml").run(seed=1)
    assert run.flows["packets_delivered"][0].as_py() > 100
    assert {(row["from"], row["to"]) for row in run.hops.to_pylist()} >= {("sensor", "relay"), ("relay", "buoy")}


def test_the_first_commands_of_the_guide_run(farlink: Cli) -> None:
    for line in [*commands("command-line.md", "init", "check", "run", "export"), *commands("figures.md", "plot")]:
        if line.startswith(("farlink run", "farlink check")):
            line += " --set duration='5 s'"
        if "results/sweep" in line:
            continue
        done = farlink(*shlex.split(line)[1:])
        assert done.returncode == 0, done.stderr
        if line.startswith("farlink export"):
            table = done.stdout
    assert table.startswith("flow,seed,") and table.count("\n") == 4


def commands(page: str, *names: str) -> list[str]:
    """The commands of these names that a page of the guide has for a shell."""
    text = (ROOT / "docs" / "guide" / page).read_text(encoding="utf-8")
    lines = "\n".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)).replace("\\\n", " ").splitlines()
    return [line for line in lines if line.split()[:2] in [["farlink", name] for name in names]]


def test_the_commands_of_the_guide_for_a_sweep_run(farlink: Cli) -> None:
    sweep, _ = commands("sweeps.md", "sweep")
    lines = [sweep.replace("60 s", "5 s").replace("--seeds 20", "--seeds 2")]
    for page in ("compare.md", "measures.md", "figures.md", "store.md"):
        lines += [line for line in commands(page, "compare", "plot", "export") if "results/sweep" in line]
    assert len(lines) == 8
    for line in lines:
        done = farlink(*shlex.split(line.partition(" > ")[0])[1:])
        assert done.returncode == 0, f"{line}: {done.stderr}"


def test_the_sweep_over_hops_of_the_guide_has_hops_on_its_axis(farlink: Cli, tmp_path: Path) -> None:
    (text,) = (each for each in blocks("sweeps.md") if "topology.nodes" in each)
    (tmp_path / "hops.toml").write_text(text.replace("seeds = 10", 'seeds = 2\n[set]\nduration = "2 s"'))
    lines = commands("sweeps.md", "sweep", "plot")[1:]
    assert len(lines) == 2
    for line in lines:
        done = farlink(*shlex.split(line.replace(".png", ".svg"))[1:])
        assert done.returncode == 0, f"{line}: {done.stderr}"
    drawn = (tmp_path / "hops.svg").read_text(encoding="utf-8")
    assert "<!-- hops -->" in drawn and {"2", "4", "6"} <= set(re.findall("<!-- (.) -->", drawn))
    assert not {"3", "5", "7"} & set(re.findall("<!-- (.) -->", drawn))


@pytest.mark.parametrize("page", ["run.md", "explain.md", "captures.md", "animation.md"])
def test_the_commands_of_the_guide_for_a_run_run(page: str, farlink: Cli) -> None:
    lines = commands(page, "run", "explain")
    assert lines
    for line in lines:
        line = line.partition(" && ")[0]
        done = farlink(*shlex.split(line if "results" in line.split()[2] else f"{line} --set duration='5 s'")[1:])
        assert done.returncode == 0, f"{line}: {done.stderr}"


def python_examples(*page: str) -> str:
    return "\n".join(re.findall(r"```python\n(.*?)```", ROOT.joinpath(*page).read_text(encoding="utf-8"), re.DOTALL))


@pytest.mark.parametrize("page", [("README.md",), ("python", "README.md"), ("docs", "guide", "python.md")])
def test_what_the_docs_show_of_python_runs(page: tuple[str, ...], tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    short = python_examples(*page).replace('load("satellite")', 'load("satellite").set("duration", "20 s")')
    short = short.replace("seeds=250", "seeds=2")
    names: dict = {}
    exec(short, names)
    assert names["run"].flows["packets_delivered"][0].as_py() > 0


@pytest.mark.parametrize("scenario", ["satellite", "dumbbell"])
def test_reno_of_the_guide_has_the_results_of_the_engines_reno(scenario: str) -> None:
    page = (ROOT / "docs/guide/python.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```python\n(class Reno:\n.*?)```", page, re.DOTALL)
    names: dict = {}
    exec(text, names)
    short = fl.load(scenario).set("duration", "20 s")
    own = short.set("flows.0.tcp.congestion_control", "reno").run(seed=1)
    plugged = short.run(seed=1, congestion_control={0: names["Reno"]})
    assert plugged.flows.equals(own.flows) and plugged.series.equals(own.series)
    assert own.drops.num_rows > 0


def test_what_the_guide_shows_of_sweeps_runs(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(python_examples("docs", "guide", "sweeps.md").replace("20 s", "5 s"), names)
    assert names["results"].summary().table.num_rows == 4
    assert (tmp_path / "summary.tex").exists() and (tmp_path / "goodput.png").exists()


def test_what_the_guide_shows_of_tuning_runs(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(python_examples("docs", "guide", "tuning.md").replace("20 s", "5 s"), names)
    assert names["tuned"].runs == 95
    assert (tmp_path / "window.png").exists()


def test_what_the_docs_show_of_python_has_types(tmp_path: Path) -> None:
    def check(text: str) -> str:
        (tmp_path / "user.py").write_text(text)
        command = [sys.executable, "-m", "mypy", "--strict", "--allow-untyped-defs", "--cache-dir", tmp_path, "user.py"]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path).stdout

    right = python_examples("docs", "guide", "python.md")
    assert check(right).startswith("Success"), check(right)
    wrong = right + 'fl.load("satellite").run(congestion_control={"transfer": "hybl"})\nrun.flow\n'
    assert {line.split("[")[-1] for line in check(wrong).splitlines()[:-1]} == {"dict-item]", "attr-defined]"}
