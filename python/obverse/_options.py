"""The engine's option tables as keywords of Python, and keywords as settings of the engine.

Names, defaults and explanations come from the engine: nothing of them is written down here.
"""

from __future__ import annotations

import inspect
import numbers
import textwrap
from collections.abc import Callable, Iterable
from typing import Any, TypedDict

from . import _engine


class Option(TypedDict):
    """One row of a table."""

    name: str
    type: str  # int, float, bool, str; with ", ..." behind it: one of them or several
    default: Any
    allowed: str
    help: str


def _table(*names: str, without: Iterable[str] = ()) -> dict[str, Option]:
    tables = _engine.options()
    left_out = set(without)
    return {row["name"]: row for name in names for row in tables[name] if row["name"] not in left_out}


#: What `obverse select` takes.
SELECT = _table("select", "train")
#: What only a selection has that is not one of many: what is made of parts of the rows.
_ANSWER = ("resample", "time_limit", "k_rule", "max_k", "control")
#: What `obverse evaluate` takes: k and rho are lists there.
EVALUATE = _table("evaluate") | _table("select", "train", without=("k", "rho", "metric", *_ANSWER))
#: What `obverse compare` takes: methods and complements are what it compares.
COMPARE = _table("compare") | _table("select", "train", without=("k", "rho", "metric", "method", "complement", *_ANSWER))


def _text(name: str, value: Any) -> tuple[str, str]:
    """A value as it would be typed, and of what kind it is."""
    if isinstance(value, str):
        return value, "text"
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return ("true" if value else "false"), "boolean"
    if isinstance(value, numbers.Integral):
        return str(int(value)), "number"
    if isinstance(value, numbers.Real):
        return repr(float(value)), "number"
    if hasattr(value, "tolist"):
        return _text(name, value.tolist())
    if isinstance(value, (list, tuple, set, frozenset, range)):
        return ",".join(_in_list(_text(name, item)[0]) for item in value), "list"
    raise TypeError(f"{name}: expected a number, a text or a list of them, found {type(value).__name__}")


def _in_list(text: str) -> str:
    """A name with a comma is quoted where commas stand between names."""
    return f'"{text}"' if "," in text else text


def _from_one(value: Any) -> Any:
    """Positions from 0, as Python counts columns, as the engine counts them: from 1, and from the end below 0."""
    if isinstance(value, numbers.Integral):
        return int(value) + 1 if value >= 0 else int(value)
    if isinstance(value, (list, tuple, set, frozenset, range)) or hasattr(value, "tolist"):
        return [_from_one(item) for item in value]
    return value


def _is_default(value: Any, default: Any) -> bool:
    if isinstance(default, tuple):
        return isinstance(value, (list, tuple)) and tuple(value) == default
    same_kind = isinstance(value, bool) == isinstance(default, bool)
    return value is default or (same_kind and isinstance(value, (str, numbers.Number)) and value == default)


Setting = tuple[str, str, str]


def settings(given: dict[str, Any], table: dict[str, Option]) -> list[Setting]:
    """The keywords that differ from their defaults, for the engine: name, text and kind of each."""
    out = []
    for name, option in table.items():
        value = given[name]
        if _is_default(value, option["default"]):
            continue
        if value is None and option["default"] == "auto":  # left open
            continue
        if name == "keep":
            value = _from_one(value)
        out.append((name, *_text(name, "none" if value is None else value)))
    return out


def with_task(asked: list[Setting], task: str) -> list[Setting]:
    """The same for the task that follows from y."""
    return [setting for setting in asked if setting[0] != "task"] + [("task", task, "text")]


def parameters(table: dict[str, Option], first: Iterable[str] = ()) -> list[inspect.Parameter]:
    """A keyword for each option; those of `first` may also be given by position."""
    leading = list(first)
    names = leading + [name for name in table if name not in leading]
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD if name in leading else inspect.Parameter.KEYWORD_ONLY,
            default=table[name]["default"],
        )
        for name in names
    ]


def described(table: dict[str, Option]) -> str:
    """The part of a docstring that explains the options. Docstrings begin at the margin: Python 3.13 puts them there."""
    out = []
    for name, option in table.items():
        several = option["type"].removesuffix(", ...")
        kind = several if several == option["type"] else f"{several} or list of {several}"
        out.append(f"{name} : {kind}, default={option['default']!r}")
        body = f"{option['help'][0].upper()}{option['help'][1:]}. Takes {option['allowed']}."
        out += textwrap.wrap(body, 110, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(out)


def takes_options(table: dict[str, Option]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Gives a function `f(..., **options)` the options as keywords in its signature and its docstring."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        own = [p for p in inspect.signature(function).parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        function.__signature__ = inspect.Signature(own + parameters(table))  # type: ignore[attr-defined]
        function.__doc__ = inspect.cleandoc(function.__doc__ or "").replace("{options}", described(table))
        return function

    return decorate


def completed(function: Callable[..., Any], options: dict[str, Any], table: dict[str, Option]) -> dict[str, Any]:
    """The options with their defaults; a keyword that nobody knows is a TypeError as Python words it."""
    for name in options:
        if name not in table:
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}")
    return {name: options.get(name, option["default"]) for name, option in table.items()}
