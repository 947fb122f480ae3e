"""Values computed from others: `"{links.0.rate * links.0.delay / 12000:.0f} packets"`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from farlink import _farlink, parameters
from farlink.errors import UsageError

if TYPE_CHECKING:
    from farlink.scenario import Scenario

FIELD = re.compile(r"\{([^{}:]*)(?::([^{}]*))?\}")
PATH = re.compile(r"[a-z_]\w*(?:\.\w+)+")


def fill(template: str, scenario: Scenario) -> str:
    """Replace every `{expression:format}`; paths in it stand for numbers in s, bit/s, bytes, packets, m."""
    values = parameters.flat(scenario.validated.resolved)
    try:
        return FIELD.sub(lambda match: format(_evaluate(match[1], values), match[2] or ""), template)
    except ValueError as error:
        raise UsageError(f'derived value "{template}": {error}') from None


def _evaluate(expression: str, values: Mapping[str, parameters.Scalar]) -> float:
    from simpleeval import InvalidExpression, SimpleEval

    names: dict[str, float] = {}

    def name_of(match: re.Match[str]) -> str:
        name = f"value{len(names)}"
        names[name] = _number(match[0], values)
        return name

    try:
        evaluator = SimpleEval(names=names, functions={"min": min, "max": max})
        return float(evaluator.eval(PATH.sub(name_of, expression)))
    except (InvalidExpression, SyntaxError, TypeError, ArithmeticError) as error:
        raise ValueError(f"{expression} cannot be computed: {error}") from None


def _number(path: str, values: Mapping[str, parameters.Scalar]) -> float:
    value = values.get(path)
    if value is None:
        raise ValueError(f"the scenario has no {path}")
    if isinstance(value, str):
        quantity = _farlink.quantity(value)
        if quantity is None:
            raise ValueError(f"{path} is {value}, not a number")
        return quantity[0]
    return float(value)
