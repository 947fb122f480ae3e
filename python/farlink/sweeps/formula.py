"""Values computed from others: `"{links.0.rate * links.0.delay / 12000:.0f} packets"`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import farlink._farlink as engine
from farlink._farlink import ScenarioError
from farlink.errors import UsageError
from farlink.tables import parameters

if TYPE_CHECKING:
    from farlink.runs.scenario import Scenario

FIELD = re.compile(r"\{([^{}:]*)(?::([^{}]*))?\}")
PATH = re.compile(r"[a-z_]\w*(?:\.\w+)+")
LONGEST = 1000
"""Characters of a template."""
WIDEST = 100
"""Characters that a format pads a number to, and digits behind its point."""
EXACT = 2**53
"""Below this a floating-point number is as exact as a whole one."""
OPERATORS = {ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.UAdd, ast.USub}
OPERATORS |= {ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE}
"""Of floating-point numbers only: texts and whole numbers can grow without bound."""


def fill_template(template: str, scenario: Scenario) -> str:
    """Replace every `{expression:format}`; paths in it stand for numbers in s, bit/s, bytes, packets, m."""
    # Keys that the scenario is compiled from, such as those of its topology, are in its text only.
    text = engine.to_toml(scenario.text, scenario.origin, scenario.settings)
    values = parameters.flatten(text)
    refused: ScenarioError | None = None
    try:
        values |= parameters.flatten(scenario.validated.resolved)
    except ScenarioError as error:  # it may be valid with what is derived: only defaults are unknown until then
        refused = error
    try:
        if len(template) > LONGEST:
            raise ValueError(f"longer than {LONGEST} characters")

        def fill(match: re.Match[str]) -> str:
            return _format_number(_evaluate_expression(match[1], values, scenario.resolve), match[2] or "")

        return FIELD.sub(fill, template)
    except ScenarioError as error:
        raise UsageError(f'derived value "{template}": {error.key}: {error.message}; {error.remedy}') from None
    except ValueError as error:
        if refused:  # the path may be one of a default
            more = f'{refused.remedy}; derived value "{template}": {error}'
            refused.args = (str(refused).replace(refused.remedy, more, 1),)
            refused.remedy = more
            raise refused from None
        raise UsageError(f'derived value "{template}": {error}') from None


def _format_number(number: float, form: str) -> str:
    if any(len(digits) > 3 or int(digits) > WIDEST for digits in re.findall(r"\d+", form)):
        raise ValueError(f"the format {form} is wider than {WIDEST}; write one such as .0f")
    # A whole number may be a part of a name, such as n4, or a count.
    return str(int(number)) if not form and number.is_integer() and abs(number) < EXACT else format(number, form)


def _on_numbers(apply: Callable[..., object]) -> Callable[..., object]:
    def applied(*operands: object) -> object:
        if not all(isinstance(each, int | float) for each in operands):
            raise TypeError("there is something else than numbers")
        return apply(*(float(each) for each in operands if isinstance(each, int | float)))

    return applied


def _evaluate_expression(
    expression: str, values: Mapping[str, parameters.Scalar], resolve: Callable[[str], str]
) -> float:
    from simpleeval import DEFAULT_OPERATORS, InvalidExpression, OperatorNotDefined, SimpleEval

    names: dict[str, float] = {}

    def name_of(match: re.Match[str]) -> str:
        name = f"value{len(names)}"
        names[name] = parameters.si_number(values, match[0] if match[0] in values else resolve(match[0]))
        return name

    try:
        evaluator = SimpleEval(
            names=names,
            functions={name: _on_numbers(apply) for name, apply in (("min", min), ("max", max))},
            # Its own power refuses large exponents, for whole numbers would grow; here they are floating-point numbers.
            operators={kind: _on_numbers({**DEFAULT_OPERATORS, ast.Pow: pow}[kind]) for kind in OPERATORS},
        )
        return float(evaluator.eval(PATH.sub(name_of, expression)))
    except OperatorNotDefined:
        raise ValueError(f"{expression} has another operator than + - * / // % ** and comparisons") from None
    except ArithmeticError as error:
        raise ValueError(f"{expression} cannot be computed: {error.args[-1]}") from None
    except (InvalidExpression, SyntaxError, TypeError) as error:
        raise ValueError(f"{expression} cannot be computed: {error}") from None
    except (RecursionError, MemoryError):
        raise ValueError(f"{expression} is nested too deeply") from None
