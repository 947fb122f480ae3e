"""Transfers: which are complete, how long they took, and that none that is unfinished is in a mean without a word."""

import re
from pathlib import Path

import farlink as fl
import pytest
from conftest import LINK, Cli
from farlink import statistics
from farlink.tables import flow_groups

HEAD = LINK[: LINK.index("[[flows]]")]


def flows(count: int, size: str = "20 kB", more: str = "") -> str:
    return "".join(
        f'[[flows]]\nlabel = "web{number}"\nfrom = "ground"\nto = "remote"\nstart = "{50 * number} ms"\n'
        f'application = {{ name = "file", size = "{size}" }}\n{more}'
        for number in range(count)
    )


@pytest.fixture(scope="module")
def transfers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A transfer that ends, one that does not, and a flow without an end."""
    bulk = '[[flows]]\nlabel = "bulk"\nfrom = "ground"\nto = "remote"\n'
    path = tmp_path_factory.mktemp("transfers") / "transfers.toml"
    path.write_text(HEAD + flows(1) + flows(1, "900 MB").replace("web0", "large") + bulk)
    return path


def test_a_run_shows_which_transfers_are_complete_and_how_long_they_took(farlink: Cli, transfers: Path) -> None:
    done = farlink("run", transfers, "--seeds", "3")
    rows = {line.split()[0]: line for line in done.stdout.splitlines() if line.strip()}
    assert "completed" in done.stdout and "completion" in done.stdout
    assert "3 of 3" in rows["web0"] and "0 of 3" in rows["large"] and " of " not in rows["bulk"]
    assert "completion is the mean of 3 transfers; 3 are unfinished" in " ".join(done.stdout.split())


def test_no_completion_is_shown_where_no_flow_has_a_size(farlink: Cli, link: Path) -> None:
    assert "complet" not in farlink("run", link).stdout


def test_a_flow_has_its_size_and_what_arrived_of_it(transfers: Path) -> None:
    web, large, bulk = fl.load(transfers).run(seed=1).flows.to_pylist()
    assert (web["size_bytes"], web["received_bytes"]) == (20_000, 20_000)
    assert large["size_bytes"] == 900_000_000 and large["completion_s"] is None and bulk["size_bytes"] is None
    assert bulk["received_bytes"] * 8 / 5.0 == pytest.approx(bulk["goodput_bps"])


def test_many_flows_of_a_kind_are_folded_and_can_all_be_seen(farlink: Cli, tmp_path: Path) -> None:
    path = tmp_path / "many.toml"
    path.write_text(HEAD + flows(14))
    run, every = farlink("run", path), farlink("run", path, "--all-flows")
    assert "web*" in run.stdout and "14 of 14" in run.stdout and "web3 " not in run.stdout
    assert re.search(r"14 of 14 flows are folded: web\* \(14\).*--all-flows", " ".join(run.stdout.split()))
    assert all(f"web{number} " in every.stdout for number in range(14))
    explained = farlink("explain", path)
    assert explained.stdout.count("seed 7") == 1 and "--all-flows" in explained.stderr
    assert farlink("explain", path, "--all-flows").stdout.count("seed 7") == 14
    farlink("run", path, "--out", tmp_path / "saved")
    assert farlink("explain", tmp_path / "saved").stdout == explained.stdout


def test_the_drops_and_shares_of_folded_flows_are_those_of_all(farlink: Cli, tmp_path: Path) -> None:
    from farlink.runs.explanation import folded_explanation

    path = tmp_path / "many.toml"
    path.write_text(HEAD.replace("rate = 1e-3", "rate = 0.1") + flows(14))
    rows = fl.load(path).run(seed=1).explanation
    made = folded_explanation("web*", 1, rows)
    assert sum(made["limited_by"].values()) == pytest.approx(1)
    drops = [sum(each["packets"] for each in row["drops"]) for row in rows]
    assert sum(each["packets"] for each in made["drops"]) == sum(drops) > 0


def test_a_mean_of_folded_flows_is_taken_per_seed_first(tmp_path: Path) -> None:
    path = tmp_path / "many.toml"
    path.write_text(HEAD + flows(14))
    run = fl.load(path).run(seeds=4)
    [group], _ = run.folded("")
    by_seed = [[flow["completion_s"] for flow in run.flows.to_pylist() if flow["seed"] == seed] for seed in run.seeds]
    assert group.completion_s == statistics.of_measure([statistics.mean_of(values) for values in by_seed])


def test_flows_of_different_kinds_are_in_no_common_group() -> None:
    def scenario(*controls: str) -> str:
        return "".join(
            f'[[flows]]\nlabel = "f{number}"\napplication = "bulk"\ntcp = {{ congestion_control = "{control}" }}\n'
            for number, control in enumerate(controls)
        )

    mixed, alike = scenario("cubic", "cubic", "reno", "reno"), scenario("cubic", "cubic", "cubic", "cubic")
    names = [f"f{number}" for number in range(4)]
    assert set(flow_groups.group_of_flows(names, [alike]).values()) == {"f*"}
    groups = flow_groups.group_of_flows(names, [mixed])
    assert groups["f0"] == groups["f1"] != groups["f2"] == groups["f3"]
    assert flow_groups.group_of_flows(names, [alike, mixed]) == groups
    assert flow_groups.folded(names, [alike]) == {name: name for name in names}


def test_many_flows_without_numbers_in_their_names_are_folded_by_kind() -> None:
    names = [letter * 2 for letter in "abcdefghijklmnop"]
    text = "".join(f'[[flows]]\nlabel = "{name}"\napplication = "bulk"\n' for name in names)
    assert set(flow_groups.folded(names, [text]).values()) == {"aa and 15 like it"}
