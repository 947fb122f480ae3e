"""Congestion controls and scenarios of installed packages, which are no part of Farlink."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import farlink as fl
import packages
import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/how-to-add/package.md"
VARIANT = "flows.0.tcp.congestion_control"
CONTROLS, SCENARIOS = "farlink.congestion_control", "farlink.scenarios"

HALF = """
class Half:
    \"\"\"Halves.\"\"\"
    every = "rtt"
    def on_ack(self, view): view.cwnd += 1
    def on_congestion(self, view): view.cwnd = view.ssthresh = max(view.cwnd / 2, 2)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of the page, built and installed by pip."""
    folder = tmp_path_factory.mktemp("package")
    wheel = packages.write_wheel(folder, packages.files_of_page(PAGE))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-cache-dir"]
    subprocess.run([*command, "--disable-pip-version-check", "--target", folder / "site", wheel], check=True)
    return folder / "site"


def farlink(folder: Path, site: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    search = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "farlink", *arguments]
    return subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": search}, capture_output=True, text=True)


def test_a_package_of_the_page_is_listed_and_its_scenario_runs(site: Path, tmp_path: Path) -> None:
    listed = json.loads(farlink(tmp_path, site, "list", "--json").stdout)
    of_package = {kind: [row for row in rows if row["package"]] for kind, rows in listed.items()}
    assert {kind: [(row["name"], row["package"]) for row in rows] for kind, rows in of_package.items() if rows} == {
        "scenarios": [("timid/geo", "farlink-timid 0.1")],
        "congestion_control": [("timid", "farlink-timid 0.1")],
    }
    assert of_package["scenarios"][0]["summary"] == "a transfer by Timid over a geostationary link"
    table = farlink(tmp_path, site, "list", "congestion_control").stdout
    assert "farlink-timid 0.1" in table and "farlink_timid:Timid" in table
    done = farlink(tmp_path, site, "run", "timid/geo", "--json", "--out", "saved")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["flows"][0]["packets_delivered"] > 100
    provenance = json.loads((tmp_path / "saved/provenance.json").read_text())
    assert provenance["congestion_control"]["flow0"]["package"] == "farlink-timid 0.1"
    assert 'congestion_control = "timid"' in (tmp_path / "saved/scenario.toml").read_text()


@pytest.mark.slow
def test_the_commands_of_the_page_run(site: Path, tmp_path: Path) -> None:
    [commands] = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    [pip, *others] = map(shlex.split, commands.splitlines())
    assert pip[:2] == ["pip", "install"] and others[-1][:2] == ["farlink", "sweep"]
    for command in others:
        two = ["--jobs", "2"] if command[1] == "sweep" else []
        done = farlink(tmp_path, site, *command[1:], *two)
        assert done.returncode == 0, done.stderr
    assert {*fl.Results(tmp_path / "results/timid").flows[VARIANT].to_pylist()} == {"reno", "timid"}


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(site)
    return site


def test_a_name_of_a_package_is_as_good_as_the_class(installed: Path, link: Path) -> None:
    from farlink_timid import Timid

    scenario = fl.load(link)
    by_class = scenario.run(seed=1, congestion_control={0: Timid})
    by_name = scenario.set(VARIANT, "timid").run(seed=1)
    assert by_name.flows.equals(by_class.flows) and by_name.series.equals(by_class.series)
    assert scenario.run(seed=1, congestion_control={"*": "timid"}).flows.equals(by_class.flows)
    again = fl.Scenario.from_toml(scenario.set(VARIANT, "timid").to_toml())
    assert again.run(seed=1).flows.equals(by_class.flows)
    resolved = fl.Scenario.from_toml(by_name.scenario.resolved)
    assert resolved.validated.resolved == by_name.scenario.resolved
    identity = by_name.provenance["congestion_control"]["transfer"]
    assert identity == {
        **by_class.provenance["congestion_control"]["transfer"],
        "name": "timid",
        "package": "farlink-timid 0.1",
    }


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["local", "dask"])
def test_a_sweep_over_two_processes_keeps_it_in_a_store(
    installed: Path, link: Path, tmp_path: Path, executor: str
) -> None:
    if executor == "dask":
        pytest.importorskip("distributed")
    sweep = fl.sweep(fl.load(link).set("duration", "1 s"), {VARIANT: ["reno", "timid"]}, seeds=2)
    results = sweep.run(out=tmp_path / "store", jobs=2, executor=executor)
    assert sorted(results.flows[VARIANT].to_pylist()) == ["reno", "reno", "timid", "timid"]
    [row] = results.compare(VARIANT, baseline="reno").table.to_pylist()
    assert (row[VARIANT], row["pairs"]) == ("timid", 2)
    [text] = {text for text in results.runs["resolved"].to_pylist() if "timid" in text}
    assert "# flow 0: congestion control timid of package farlink-timid 0.1, sha256 " in text
    found = []
    sweep.run(out=tmp_path / "store", resuming=lambda done, planned: found.append((done, planned)))
    assert found == [(4, 4)]


def test_a_worker_with_another_version_of_the_package_is_refused(installed: Path, link: Path) -> None:
    from dataclasses import replace

    from farlink.errors import ExecutorError
    from farlink.sweeps.work import run

    [task] = fl.sweep(fl.load(link).set("duration", "1 s"), {VARIANT: ["timid"]}, seeds=1).tasks()
    other = replace(task.point.plugs[0], package="farlink-timid 0.0")
    with pytest.raises(ExecutorError, match="another version of timid"):
        run(replace(task, point=replace(task.point, plugs={0: other})))


def test_two_versions_of_a_package_are_two_variants(link: Path, tmp_path: Path, monkeypatch) -> None:
    base = fl.load(link).set("duration", "1 s").set(VARIANT, "half")
    for version in ("0.1", "0.2"):
        packages.install(tmp_path / version, "half", "half_versions", HALF, {CONTROLS: {"half": "half_versions:Half"}})
        metadata = next((tmp_path / version).glob("*.dist-info/METADATA"))
        metadata.write_text(metadata.read_text().replace("0.1", version))
        with monkeypatch.context() as context:
            context.syspath_prepend(tmp_path / version)
            context.delitem(sys.modules, "half_versions", raising=False)
            fl.sweep(base, seeds=2).run(out=tmp_path / "store", jobs=1)
    results = fl.Results(tmp_path / "store")
    shown = [row[VARIANT].partition(",")[0] for row in results.summary().table.to_pylist()]
    assert shown == ["half (half 0.1", "half (half 0.2"]


BROKEN = {
    "not_there": ("", "not_there_at_all:Half", "ModuleNotFoundError"),
    "no_attribute": ("", "no_attribute:Half", "AttributeError"),
    "no_class": ("Half = 3", "no_class:Half", "not a class"),
    "no_method": ("class Half:\n    def on_ack(self, view): ...", "no_method:Half", "on_congestion"),
    "misspelt": (HALF + "    def on_strat(self, view): ...", "misspelt:Half", "`on_start`"),
    "leaves": ("raise SystemExit(3)", "leaves:Half", "SystemExit"),
}


@pytest.mark.parametrize("module", BROKEN)
def test_a_broken_package_is_one_error_of_whoever_needs_it(module, link, tmp_path, monkeypatch) -> None:
    text, value, reason = BROKEN[module]
    packages.install(tmp_path / "site", f"its-{module}", module, text, {CONTROLS: {"half": value}})
    monkeypatch.syspath_prepend(tmp_path / "site")
    with pytest.raises(fl.UsageError) as raised:
        _ = fl.load(link).set(VARIANT, "half").validated
    message = str(raised.value)
    assert message.startswith(f"its-{module} 0.1: entry point `half = {value}` of `{CONTROLS}`: ") and reason in message
    assert f"pip uninstall its-{module}" in message
    assert fl.load(link).set(VARIANT, "reno").run(seed=1).flows.num_rows == 1


def test_broken_entries_are_listed_with_the_reason_and_break_nothing_else(link: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    entries = {
        CONTROLS: {"half": "one:Half", "reno": "one:Half", "newreno": "one:Half", "gone": "one:Gone"},
        SCENARIOS: {"empty": "one", "lost": "two"},
    }
    packages.install(site, "one", "one", HALF, entries)
    packages.install(site, "two", "other", HALF, {CONTROLS: {"twice": "other:Half"}})
    packages.install(site, "three", "third", HALF, {CONTROLS: {"twice": "third:Half"}})
    done = farlink(tmp_path, site, "list", "--json")
    listed = json.loads(done.stdout)
    rows = [row for kind in ("scenarios", "congestion_control") for row in listed[kind] if row["package"]]
    assert [row["name"] for row in rows if "error" not in row] == ["half"]
    assert {row["name"] for row in rows if "error" in row} == {"empty", "lost", "gone", "newreno", "reno", "twice"}
    table = farlink(tmp_path, site, "list", "congestion_control").stdout
    broken = [line for line in table.splitlines() if line.startswith("broken: ")]
    assert len(broken) == 5 and all("pip uninstall" in line or "uninstall one" in line for line in broken)
    for command in (["run", str(link)], ["check", str(link)]):
        assert farlink(tmp_path, site, *command, "--set", f"{VARIANT}=cubic").returncode == 0
    for name, reason in (
        ("reno", "`reno = one:Half`"),
        ("twice", "three 0.1 and two 0.1"),
        ("hafl", "did you mean `half`?"),
    ):
        refused = farlink(tmp_path, site, "check", str(link), "--set", f"{VARIANT}={name}")
        assert refused.returncode == 2 and reason in refused.stderr.splitlines()[0]
    for name in ("newreno", '{ name = "newreno" }'):
        refused = farlink(tmp_path, site, "check", str(link), "--set", f"{VARIANT}={name}")
        assert refused.returncode == 2 and "`newreno = one:Half`" in refused.stderr.splitlines()[0]
    for name, reason in (("empty/one", "no such Python package"), ("lost/one", "no such Python package")):
        refused = farlink(tmp_path, site, "run", name)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1) and reason in refused.stderr


def test_a_scenario_of_a_library_is_found_by_its_name_after_files(installed: Path, tmp_path: Path, monkeypatch) -> None:
    with pytest.raises(fl.UsageError, match=r"library `timid` has no scenario `geos`; did you mean `geo`\?"):
        fl.load("timid/geos")
    with pytest.raises(fl.UsageError, match=r"did you mean `timid/geo`\?"):
        fl.load("timd/geo")
    with pytest.raises(fl.UsageError, match="no scenario"):
        fl.load("timid/../scenarios/geo")
    assert fl.load("timid/geo").folder == installed / "farlink_timid/scenarios"
    monkeypatch.chdir(tmp_path)
    shutil.copytree(installed / "farlink_timid/scenarios", tmp_path / "timid")
    (tmp_path / "timid/geo.toml").rename(tmp_path / "timid/geo")
    assert fl.load("timid/geo").folder == Path("timid")


def test_a_parameter_of_a_class_is_refused_at_its_place(installed: Path, link: Path) -> None:
    with pytest.raises(fl.ScenarioError) as raised:
        _ = fl.load(link).set(f"{VARIANT}", {"name": "timid", "growth": 2}).validated
    assert raised.value.key == f"{VARIANT}.growth"


@pytest.mark.slow
def test_without_its_package_a_store_is_read_and_a_further_run_names_the_package(
    site: Path, link: Path, tmp_path: Path
) -> None:
    (tmp_path / "both.toml").write_text(
        f'scenario = "link.toml"\nseeds = 2\n[set]\nduration = "1 s"\n[cross]\n"{VARIANT}" = ["reno", "timid"]\n'
    )
    vary = ("sweep", str(link), "--vary", f"{VARIANT}=reno,timid", "--set", "duration=1 s", "--seeds", "2")
    for command in (("sweep", "both.toml", "--jobs", "2"), (*vary, "--out", "varied")):
        done = farlink(tmp_path, site, *command)
        assert done.returncode == 0, done.stderr
        assert "timid" in done.stdout
        refused = farlink(tmp_path, tmp_path, *command)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
        assert "unknown name `timid`, an entry point of farlink-timid 0.1" in refused.stderr
        assert refused.stderr.endswith("install it: pip install farlink-timid==0.1\n")
    tune = ("tune", str(link), "--param", f"{VARIANT}=reno,timid", "--out", "varied")
    refused = farlink(tmp_path, tmp_path, *tune)
    assert refused.returncode == 2 and "an entry point of farlink-timid 0.1" in refused.stderr
    compared = farlink(tmp_path, tmp_path, "compare", "varied", "--by", VARIANT)
    assert compared.returncode == 0 and "timid" in compared.stdout
    assert farlink(tmp_path, tmp_path, "export", "varied").returncode == 0


def test_entry_points_are_read_only_where_a_name_is_not_built_in(link: Path) -> None:
    code = f"""
import contextlib, io, sys
from farlink import cli
with contextlib.redirect_stdout(io.StringIO()):
    for arguments in (["--help"], ["run", {str(link)!r}, "--set", "duration=1 s"]):
        sys.argv[1:] = arguments
        assert cli.main() == 0
print("importlib.metadata" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
