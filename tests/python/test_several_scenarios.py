"""A store with runs of several scenarios: an answer names those of its rows."""

import farlink as fl
import pytest

VARIANT = "flows.0.tcp.congestion_control"


def pair(name: str, delay: str, *, label: str = "data") -> fl.Scenario:
    ends = fl.Scenario(name, duration="2 s").node("a").node("b")
    return ends.link("a", "b", rate="5 Mbit/s", delay=delay).flow("a", "b", label=label)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> fl.Results:
    store = tmp_path_factory.mktemp("several") / "store"
    for scenario in (pair("geo", "300 ms"), pair("mesh", "30 ms"), pair("terrestrial", "10 ms", label="bulk")):
        fl.sweep(scenario, {VARIANT: ["reno", "cubic"]}, seeds=2).run(out=store, jobs=1)
    return fl.Results(store)


def first_comment(table: object) -> str:
    return str(table.render("latex")).splitlines()[1]  # type: ignore[attr-defined]


def test_the_comments_of_a_table_name_the_scenarios_of_its_rows(results: fl.Results) -> None:
    by = ["name", VARIANT]
    assert first_comment(results.summary(by=by)) == "% geo, mesh, terrestrial"
    assert first_comment(results.summary(by=by, where={"name": "mesh"})) == "% mesh"
    assert first_comment(results.compare(VARIANT, where={"name": "mesh"})) == "% mesh"
    assert first_comment(results.compare(VARIANT)) == "% geo, mesh, terrestrial"


def test_the_title_of_a_figure_names_the_scenarios_of_its_rows(results: fl.Results) -> None:
    def title(**shown: object) -> str:
        axes = results.plot(y="goodput", **shown).axes[0]  # type: ignore[arg-type]
        return str(axes.get_title(loc="left") or axes.get_title()).split("\n", 1)[1].replace("\n", " ")

    assert title(x="name", by=VARIANT, kind="bar").startswith("geo, mesh, terrestrial;")
    for kind, along in (("bar", {"x": VARIANT}), ("cdf", {"by": VARIANT})):
        found = title(kind=kind, where={"name": "mesh"}, **along)
        assert found.startswith("mesh") and "geo" not in found


def test_labels_of_flows_that_differ_between_scenarios_are_left_out(results: fl.Results) -> None:
    from farlink.tables.labels import Names

    both = (
        pair("mesh", "1 ms").flow("b", "a", label="back"),
        pair("bulk", "1 ms", label="other").flow("b", "a", label="back"),
    )
    names = Names.of_scenarios([each.validated.resolved for each in both])
    assert names.words(VARIANT) == "congestion control of flow 0"
    assert names.words("flows.1.tcp.congestion_control") == "congestion control of back"


def test_one_mapping_of_labels_serves_every_table_of_a_store(results: fl.Results) -> None:
    labels = {"geo": "GEO", "mesh": "802.11 mesh", "reno": "Reno"}
    table = results.summary(by=["name", VARIANT], where={"name": "geo"}, labels=labels).table
    assert table["name"].to_pylist() == ["GEO", "GEO"]
    with pytest.raises(fl.UsageError, match="label leo: neither a value nor a column"):
        results.summary(by=["name", VARIANT], labels={"leo": "LEO"})


def test_a_number_of_a_flow_may_be_a_text() -> None:
    scenario = pair("geo", "30 ms")
    by_text = scenario.run(congestion_control={"0": "reno"})
    assert by_text.flows.equals(scenario.run(congestion_control={0: "reno"}).flows)
    with pytest.raises(fl.UsageError, match="there is no flow '1'"):
        scenario.run(congestion_control={"1": "reno"})
