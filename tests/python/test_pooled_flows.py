"""No mean is one of different things: flows are pooled if they are equal, or the row says in what they differ."""

import shlex
from fnmatch import fnmatchcase
from pathlib import Path

import farlink as fl
import pytest
from conftest import Command
from farlink.results.run_values import ALL_FLOWS
from farlink.runs import summary
from farlink.runs.explanation import advice_of_group
from farlink.tables import flow_groups, parameters

HEAD = """
name = "pooled"
duration = "2 s"
[[nodes]]
name = "a"
[[nodes]]
name = "b"
[[nodes]]
name = "c"
[[links]]
between = ["a", "b"]
rate = "5 Mbit/s"
delay = "5 ms"
[[links]]
between = ["b", "c"]
rate = "5 Mbit/s"
delay = "5 ms"
"""
BYTES = 'application = { name = "file", size = "20 kB" }'
SMALL, LARGE = "application.size", 'application = { name = "file", size = "200 kB" }'
UDP = 'application = { name = "constant_bit_rate", rate = "50 kbit/s", packet_size = "500 B" }'


def flow(label: str, *lines: str) -> str:
    return "\n".join(['[[flows]]\nfrom = "a"\nto = "b"', f'label = "{label}"', *(lines or [BYTES]), ""])


def scenario(*flows: str) -> fl.Scenario:
    return fl.Scenario.from_toml(HEAD + "\n".join(flows))


def folded(made: fl.Scenario) -> set[str]:
    return set(flow_groups.folded(made.validated.flow_labels, [made.validated.resolved]).values())


@pytest.mark.parametrize(
    "other", [LARGE, UDP, f'{BYTES}\ntcp = {{ congestion_control = "cubic" }}', f'{BYTES}\npayload = "stored"']
)
def test_folded_flows_are_equal_but_for_label_nodes_and_start(other: str) -> None:
    alike = [
        flow(f"web{number}", BYTES, f'start = "{number} ms"').replace('to = "b"', 'to = "c"') for number in range(7)
    ]
    assert folded(scenario(*alike, *(flow(f"web{number}") for number in range(7, 14)))) == {"web*"}
    mixed = folded(scenario(*alike, *(flow(f"web{number}", other) for number in range(7, 14))))
    assert mixed == {"web0 and 6 like it", "web7 and 6 like it"}


def test_the_choice_of_a_group_has_no_flow_of_another() -> None:
    sizes = ["20 kB" if number in (1, 3, 5) else "200 kB" for number in range(14)]
    lines = [f'application = {{ name = "file", size = "{size}" }}' for size in sizes]
    mixed = scenario(*(flow(f"web{number}", line) for number, line in enumerate(lines)), flow("voice1"), flow("voice2"))
    for made in (mixed, scenario(*(flow(f"web{number}") for number in range(14)))):
        labels = made.validated.flow_labels
        groups = flow_groups.folded(labels, [made.validated.resolved])
        text = flow_groups.note(groups, "{choice}").rpartition("--where ")[2]
        [chosen] = shlex.split(text)
        kept = [label for label in labels if fnmatchcase(label, chosen.removeprefix("flow="))]
        assert len({groups[label] for label in kept}) == 1


def test_a_group_of_different_flows_says_in_what_they_differ() -> None:
    sizes = [flow(f"web{number}", BYTES.replace("20", str(20 + number))) for number in range(20)]
    [name] = folded(scenario(*sizes))
    assert name.startswith("web*") and SMALL in name
    assert len(folded(scenario(*sizes, flow("web20", UDP)))) == 2


def test_a_pattern_says_in_what_its_flows_differ(tmp_path: Path) -> None:
    def names(*flows: str) -> list[str]:
        results = fl.sweep(scenario(*flows), seeds=1).run(out=tmp_path / str(len(list(tmp_path.iterdir()))))
        return results.summary(["goodput"], where={"flow": "web*"}).table["flow"].to_pylist()

    assert names(flow("web0"), flow("web1", BYTES, 'start = "5 ms"')) == ["web*"]
    [sizes] = names(flow("web0"), flow("web1", LARGE))
    assert sizes.startswith("web*") and SMALL in sizes
    [kinds] = names(flow("web0"), flow("web1", UDP))
    assert "application" in kinds and "tcp" in kinds


def test_values_of_a_run_have_a_row_of_their_own(tmp_path: Path) -> None:
    results = fl.sweep(scenario(flow("one"), flow("two", LARGE)), {"links.0.delay": ["5 ms", "9 ms"]}, seeds=1).run(
        out=tmp_path / "store"
    )
    rows = results.summary(["goodput", "jain", "total_goodput"]).table.to_pylist()
    for row in rows:
        is_run = row["flow"] == ALL_FLOWS
        assert [row[name] is not None for name in ("goodput_bps", "jain", "total_goodput_bps")] == [
            not is_run,
            is_run,
            is_run,
        ]
    assert [row["flow"] for row in rows] == ["one", "one", "two", "two", ALL_FLOWS, ALL_FLOWS]
    assert set(results.summary(["jain"], by=["flow", "links.0.delay"]).table["flow"].to_pylist()) == {ALL_FLOWS}


def test_of_one_group_values_of_the_run_stand_in_its_row(tmp_path: Path) -> None:
    store = fl.sweep(scenario(flow("web0"), flow("web1")), {}, seeds=2).run(out=tmp_path / "store")
    [row] = store.summary(["goodput", "jain"], where={"flow": "web*"}).table.to_pylist()
    assert row["flow"] == "web*" and row["goodput_bps"] and row["jain"]


def test_a_comparison_of_exact_results_claims_no_significance(tmp_path: Path, command: Command) -> None:
    made = fl.sweep(scenario(flow("one")), {"links.0.delay": ["5 ms", "9 ms"]}, seeds=3).run(out=tmp_path / "store")
    compared = made.compare("links.0.delay")
    assert compared.table["verdict"].to_pylist() == ["lower, exact"]
    assert made.equal_points and made.equal_points in repr(compared) and made.equal_points in repr(made.summary())
    _, _, printed = command("compare", str(tmp_path / "store"), "--by", "links.0.delay")
    assert printed.count(made.equal_points) == 1


def test_advice_for_a_group_names_its_flows() -> None:
    flows = [f"web{number}" for number in range(5)]
    advice = {"web0": ["raise it"], "web1": ["raise it", "another"], **{key: ["raise it"] for key in flows[2:]}}
    lines = advice_of_group(flows, advice)
    assert [line.partition(": ")[0] for line in lines] == ["web0, web1, web2 and 2 more", "web1"]


def test_a_relayed_transfer_is_counted_once() -> None:
    relay = flow("second", 'application = { name = "relay", flow = "first", buffer = "16 kB" }', 'payload = "stored"')
    relay = relay.replace('from = "a"\nto = "b"', 'from = "b"\nto = "c"')
    first = flow("first", BYTES, 'payload = "stored"')
    run = scenario(first, relay, flow("other", LARGE)).run()
    assert summary.count_transfers([*run.summary, *run.end_to_end]) == (2, 2)
    cut = scenario(first, relay, flow("other", LARGE)).set("links.1.rate", "20 kbit/s").run()
    assert summary.count_transfers([*cut.summary, *cut.end_to_end]) == (1, 2)


@pytest.mark.filterwarnings("ignore::farlink.ScenarioWarning")  # one starts too late, on purpose
def test_the_remedy_for_unfinished_transfers_is_a_percentile_that_is_none_of_them(tmp_path: Path) -> None:
    late = [flow(f"web{number}", BYTES, f'start = "{start} ms"') for number, start in enumerate([0, 0, 0, 1960])]
    made = fl.sweep(scenario(*late), {"links.0.delay": ["5 ms", "30 ms"]}, seeds=1).run(out=tmp_path / "store")
    where = {"flow": "web*"}
    assert made.summary(["completion"], where=where).table["completed"].to_pylist() == [3, 3]
    compared = made.compare("links.0.delay", "completion:p95", where=where)
    assert "completion_s:p75" in compared.caption
    [row] = made.compare("links.0.delay", "completion:p75", where=where).table.to_pylist()
    assert row["completion_p75_s_difference"] > 0
    with pytest.raises(fl.UsageError, match="completion_s:p75"):
        made.plot("links.0.delay", "completion:p95", kind="bar", where=where)


def test_a_variant_of_which_nothing_finished_has_a_row_and_is_no_baseline(tmp_path: Path) -> None:
    size = "flows.web0.application.size"
    made = fl.sweep(scenario(flow("web0")), {size: ["10 kB", "20 kB", "500 MB"]}, seeds=2).run(out=tmp_path / "store")
    rows = made.compare(size, "completion").table.to_pylist()
    assert [(row["completed"], row["transfers"]) for row in rows] == [(2, 2), (0, 2)]
    assert rows[0]["completion_s_difference"] > 0 and rows[1]["completion_s_difference"] is rows[1]["verdict"] is None
    with pytest.raises(fl.UsageError, match="baseline 500 MB: 0 of its 2 transfers finished"):
        made.compare(size, "completion", baseline="500 MB")


def test_a_fairness_index_over_different_flows_says_in_what_they_differ(tmp_path: Path) -> None:
    delays = {"links.0.delay": ["5 ms", "30 ms"]}
    mixed = scenario(flow("first"), flow("second", LARGE), flow("third", UDP))
    made = fl.sweep(mixed, delays, seeds=2).run(out=tmp_path / "mixed")
    for measures in (["jain"], ["goodput", "jain"]):
        assert f"jain is over 2 flows ({SMALL} differs)" in made.summary(measures).caption
    assert SMALL in made.compare("links.0.delay", "jain").caption
    assert SMALL not in made.summary(["total_goodput"]).caption
    equal = fl.sweep(scenario(flow("first"), flow("second")), delays, seeds=2).run(out=tmp_path / "equal")
    assert "jain is over" not in equal.summary(["jain"]).caption


@pytest.mark.parametrize(
    ("path", "named"),
    [("application.size", "flows.1.application.size_bytes"), ("flows.0.application.size", "size_bytes")],
)
def test_a_column_of_another_name_is_suggested_rather_than_a_far_one(path: str, named: str) -> None:
    columns = ["size_bytes", "limited_by_application", *([named] if "." in named else [])]
    with pytest.raises(fl.UsageError, match=f"write {named}$"):
        parameters.find_column(path, columns)
    with pytest.raises(fl.UsageError, match="known: limited_by_application"):
        parameters.find_column("application.size", ["limited_by_application"])
