"""Arguments of the public functions: one of a wrong type is refused by its name, before anything is done with it."""

from __future__ import annotations

import functools
import inspect
import numbers
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, ParamSpec, TypeVar

from farlink.errors import UsageTypeError
from farlink.spelling import remedy

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Kind(NamedTuple):
    """What an argument may be, in words, and whether a value is that."""

    words: str
    holds: Callable[[Any], bool]

    def require(self, name: str, value: object) -> None:
        """Refuse a value that is something else."""
        if not self.holds(value):
            raise UsageTypeError(f"{name} = {_shown_value(value)}: give {self.words}")


def is_whole(value: object) -> bool:
    """Whether a value is a whole number; true and false are none."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


TEXT = Kind("a text", lambda value: isinstance(value, str))
FLAG = Kind("True or False", lambda value: isinstance(value, bool))
WHOLE = Kind("a whole number", is_whole)
SEED = Kind("a whole number; for several runs give seeds", is_whole)
SEEDS = Kind("a list of whole numbers", _is_list)
SEEDS_OR_COUNT = Kind("a list of whole numbers, or how many", lambda value: is_whole(value) or _is_list(value))
PLACE = Kind("a path", lambda value: isinstance(value, str) or _is_path(value))
TABLE = Kind("a mapping", lambda value: isinstance(value, Mapping))
LIST = Kind("a list", lambda value: isinstance(value, Sequence) and not isinstance(value, str | bytes))
CALLABLE = Kind("a function", callable)
PROGRESS = Kind("True, False or a function", lambda value: isinstance(value, bool) or callable(value))

_signature_of = functools.cache(inspect.signature)
"""At the first call: that of every function would take longer than a command that calls few."""


def check_argument_types(**kinds: Kind) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Check the named arguments of a function; None is allowed where it is the default."""

    def decorate(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @functools.wraps(function)
        def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            signature = _signature_of(function)
            try:
                given = signature.bind(*args, **kwargs).arguments
            except TypeError as error:
                raise UsageTypeError(_describe_mismatch(function, signature, kwargs, error)) from None
            for name, kind in kinds.items():
                if name in given and not (given[name] is None and signature.parameters[name].default is None):
                    kind.require(name, given[name])
            return function(*args, **kwargs)

        return call

    return decorate


def _describe_mismatch(
    function: Callable[..., object], signature: inspect.Signature, kwargs: Mapping[str, object], error: TypeError
) -> str:
    """Say what does not fit; a keyword with a typo comes before the argument that is therefore missing."""
    *_, owner, own = ["", *function.__qualname__.split(".")]
    name = owner if own == "__init__" else own
    for keyword in kwargs:
        if keyword not in signature.parameters:
            known = [each for each in signature.parameters if each not in ("self", "cls")]
            return f"{name}: there is no argument {keyword}; {remedy(keyword, known)}"
    return f"{name}: {error}"


def _is_path(value: object) -> bool:
    return isinstance(value, os.PathLike) and isinstance(os.fspath(value), str)


def _shown_value(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # a repr may raise anything
        return f"a {type(value).__name__}"
