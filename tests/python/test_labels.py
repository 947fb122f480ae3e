"""Items of lists stand in paths by their labels: `flows.transfer`, `nodes.ground`, `links.ground-remote`."""

from pathlib import Path

import farlink as fl
import farlink._farlink as engine
import pytest
from conftest import Cli
from farlink.runs.paths import may_exist

CONTROL = "flows.transfer.tcp.congestion_control"


class Ten:
    def on_ack(self, view: fl.CongestionView) -> None:
        view.cwnd = 10.0

    def on_congestion(self, view: fl.CongestionView) -> None:
        view.ssthresh = view.cwnd = 10.0


def test_a_label_is_the_number_of_its_item(link: Path) -> None:
    scenario = fl.load(link)
    for label, number in (
        (CONTROL, "flows.0.tcp.congestion_control"),
        ("links.ground-remote.rate", "links.0.rate"),
        ("links.remote-ground.rate", "links.0.rate"),
        ("nodes.remote.position", "nodes.1.position"),
    ):
        assert scenario.resolve(label) == number
    by_label, by_number = scenario.set(CONTROL, "hybla"), scenario.set("flows.0.tcp.congestion_control", "hybla")
    assert by_label.validated.resolved == by_number.validated.resolved != scenario.validated.resolved


def test_a_class_is_set_by_label(link: Path) -> None:
    by_label = fl.load(link).set(CONTROL, Ten).run(seed=1)
    assert by_label.flows.equals(fl.load(link).set("flows.0.tcp.congestion_control", Ten).run(seed=1).flows)
    with pytest.raises(fl.UsageError, match="no flow 'transfr'; flows: transfer"):
        fl.load(link).set("flows.transfr.tcp.congestion_control", Ten).run()


def test_an_unknown_or_ambiguous_label_is_refused_with_the_known_ones(link: Path) -> None:
    with pytest.raises(fl.ScenarioError) as refused:
        _ = fl.load(link).set("flows.upload.start", "1 s").validated
    assert (refused.value.key, refused.value.remedy) == ("flows.upload", "known: transfer")
    assert str(refused.value).startswith('set("flows.upload.start"):1:1: flows.upload: ')
    assert repr(fl.load(link).set("duration", "1 s")).endswith(': duration = "1 s">')
    twice = fl.load(link).link("ground", "remote", rate="1 Mbit/s", delay="1 ms").set("links.ground-remote.rate", "1")
    with pytest.raises(fl.ScenarioError, match="2 items of the list are called `ground-remote`; write the number"):
        _ = twice.validated


def test_the_command_line_takes_labels_and_further_items(farlink: Cli, link: Path) -> None:
    by_label = farlink("run", link, "--set", f"{CONTROL}=hybla", "--json")
    by_number = farlink("run", link, "--set", "flows.0.tcp.congestion_control=hybla", "--json")
    assert '"goodput_bps"' in by_label.stdout
    assert by_label.stdout.partition('"engine"')[0] == by_number.stdout.partition('"engine"')[0]
    refused = farlink("run", link, "--set", "flows.transfr.start=1 s")
    assert refused.returncode == 2
    assert refused.stderr.startswith(
        "farlink: --set:1:7: flows.transfr: no item of the list is called `transfr`; did you mean `transfer`?\n"
    )
    added = farlink("run", link, "--set", 'flows.+={ label = "back", from = "remote", to = "ground" }', "--json")
    assert '"flow": "back"' in added.stdout


def test_a_sweep_names_its_columns_by_number_and_answers_by_label(link: Path, tmp_path: Path) -> None:
    values = ["westwood", "hybla"]
    rates = {"links.ground-remote.rate": ["1 Mbit/s", "2 Mbit/s"]}
    windows = {"flows.transfer.tcp.max_window": "{links.0.rate / 100000:.0f} packets"}
    sweep = fl.sweep(link, {CONTROL: values}, zip=rates, seeds=2, derive=windows)
    results = sweep.run(jobs=1, out=tmp_path / "store")
    assert {"flows.0.tcp.congestion_control", "links.0.rate_bps"} <= set(results.parameters)
    assert sorted(set(results.flows["flows.0.tcp.max_window_packets"].to_pylist())) == [10, 20]
    by_label = results.summary(by=[CONTROL, "links.ground-remote.rate"])
    by_number = results.summary(by=["flows.0.tcp.congestion_control", "links.0.rate"])
    assert by_label.table.equals(by_number.table)
    compared = results.compare(CONTROL)
    assert set(compared.table["against"].to_pylist()) == {"westwood"}, "the order in which the sweep lists them"
    with pytest.raises(fl.UsageError, match="known: transfer"):
        results.summary(by=["flows.upload.tcp.congestion_control"])


def test_a_sweep_refuses_a_path_that_is_given_by_number_and_label(link: Path) -> None:
    values = {CONTROL: ["reno"], "flows.0.tcp.congestion_control": ["hybla"]}
    with pytest.raises(fl.UsageError, match="both set the same value"):
        fl.sweep(link, values).points()
    with pytest.raises(fl.ScenarioError, match="known: transfer"):
        fl.sweep(link, {"flows.upload.tcp.congestion_control": ["reno"]}).points()
    with pytest.raises(fl.UsageError, match=r"derived value .*flows\.upload: no item .* known: transfer"):
        fl.sweep(link, derive={"duration": "{flows.upload.start + 1} s"}).points()


def test_a_tuning_takes_labels(link: Path) -> None:
    tuning = fl.tune(link, {"flows.transfer.tcp.max_window": "2..3 packets"}, seeds=3)
    assert [parameter.path for parameter in tuning.space.parameters] == ["flows.0.tcp.max_window"]


@pytest.mark.parametrize(
    ("path", "remedy"),
    [
        ("flow.0.tcp.congestion_control", "unknown key `flow`; did you mean `flows`?"),
        ("links.ground-remote.dealy", "unknown key `dealy`; did you mean `delay`?"),
        ("flows.*.tcp.congestion_control.rt0", "unknown key `rt0`; did you mean `rtt0`?"),
    ],
)
def test_an_unknown_key_is_refused_where_it_is_set(path: str, remedy: str) -> None:
    with pytest.raises(fl.ScenarioError) as refused:
        fl.load("satellite").set(path, "1 s")
    assert f"{refused.value.message}; {refused.value.remedy}" == remedy


def test_every_key_of_the_built_in_scenarios_is_known() -> None:
    for name, _, _ in engine.built_in():
        for path in engine.flatten(fl.load(name).validated.resolved):
            assert may_exist(path), path
