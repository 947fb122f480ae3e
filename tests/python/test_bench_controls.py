"""What congestion controls cost, by the page: those that react to losses take at most a tenth more than `reno`."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/verification/speed.md"
LOSS_BASED = (
    "bic",
    "cubic",
    "scalable",
    "highspeed",
    "htcp",
    "illinois",
    "yeah",
    "compound",
    "westwood",
    "veno",
    "hybla",
    "enhanced_hybla",
)


def test_controls_that_react_to_losses_cost_at_most_a_tenth_more_than_reno() -> None:
    _, rest = PAGE.read_text(encoding="utf-8").split("<!-- measured: make bench-controls -->")
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", rest.split("<!-- end of measured -->")[0], re.MULTILINE)
    costs = {control: int(instructions) for control, instructions in rows}
    assert {control: costs[control] for control in LOSS_BASED if costs[control] > 1.10 * costs["reno"]} == {}
