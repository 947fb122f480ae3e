import farlink
import pytest
from farlink.tables import parameters


def test_a_resolved_scenario_is_flattened_in_the_order_written():
    found = parameters.flatten('name = "x"\n[a]\nz = 1\nb = 2.5\n[[flows]]\nname = "f"\nfast = true\nsizes = [3, 4]\n')
    assert list(found.items()) == [
        ("name", "x"),
        ("a.z", 1),
        ("a.b", 2.5),
        ("flows.0.name", "f"),
        ("flows.0.fast", True),
        ("flows.0.sizes.0", 3),
        ("flows.0.sizes.1", 4),
    ]
    assert [type(value) for value in found.values()] == [str, int, float, str, bool, int, int]


def test_a_member_with_parameters_stands_at_its_path_by_name():
    scenario = farlink.load("satellite").set("flows.0.tcp.congestion_control", {"name": "hybla", "rtt0": "25 ms"})
    found = parameters.flatten(scenario.validated.resolved)
    assert found["flows.0.tcp.congestion_control"] == "hybla"
    assert found["flows.0.tcp.congestion_control.rtt0"] == "25 ms"
    assert "flows.0.tcp.congestion_control.name" not in found


def test_what_is_no_toml_is_a_value_error():
    with pytest.raises(ValueError, match="expected"):
        parameters.flatten("a = = 1")
