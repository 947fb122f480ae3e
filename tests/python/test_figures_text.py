"""The texts of figures: words, and room for them."""

import farlink as fl
import pytest
from farlink.tables.labels import Names
from farlink.tables.parameters import shared_by_items

NAMES = Names(flows=["first", "second"], links=["a–b"])  # noqa: RUF001


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("flows.*.tcp.congestion_control", "cubic", "congestion control of all flows cubic"),
        ("links.*.rate", "1 Mbit/s", "link rate 1 Mbit/s"),
        ("nodes.+", '{name="third"}', "further node third"),
        ("links.+", '{between=["third","left"],rate="1 Mbps"}', "further link third–left"),  # noqa: RUF001
        ("links.0.delay", '{csv="delay.csv"}', "link delay changed"),
        ("flows.1.tcp.congestion_control", '{name="hybla",rtt0="1 s"}', "congestion control of second hybla"),
        ("links.0.down", '["1 s..2 s", "3 s..4 s"]', "link down 1 s..2 s, 3 s..4 s"),
        ("duration", '"10 s"', "duration 10 s"),
    ],
)
def test_a_title_has_words_in_place_of_patterns_and_tables(path, text, expected):
    assert NAMES.setting(path, text) == expected


def test_a_parameter_of_all_flows_is_not_called_that_of_the_first():
    both = fl.load("dumbbell").set("flows.*.tcp.congestion_control", "hybla").validated.resolved
    one = fl.load("dumbbell").set("flows.0.tcp.congestion_control", "hybla").validated.resolved
    path = "flows.0.tcp.congestion_control"
    assert shared_by_items([path, "duration", "flows.0.label"], [both]) == {path}
    assert shared_by_items([path], [both, one]) == set()
    assert Names(flows=["first", "second"], shared=frozenset([path])).words(path) == "congestion control of all flows"
