"""Validates `after`, `else_sample` and `scores[…]`: evaluators that follow others and use their scores."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Final, TypeAlias

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.text.suggestions import hint

__all__ = ["Wrong", "uses_scores", "wrongs"]

Wrong: TypeAlias = tuple[str, tuple[str | int, ...], str]
"""The evaluator's name, the keys below its entry, and the remedy."""

_OF_RUNS: Final = {"trace", "tool_call"}
_TOKEN: Final = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/"
    r"|(?<![\w.])(?P<word>scores)\b(?P<taken>\s*\[\s*(?:'(?P<name>(?:[^']|'')*)'\s*\])?)?",
    re.IGNORECASE | re.DOTALL,
)


def uses_scores(condition: str) -> bool:
    """Whether `condition` contains the word `scores` outside of strings and comments."""
    return any(found["word"] for found in _TOKEN.finditer(condition))


def wrongs(evaluators: Mapping[str, Configured]) -> Iterator[Wrong]:
    """Find mistakes in `after`, `else_sample`, and `scores[…]` in `when`."""
    for evaluator in evaluators.values():
        for keys, text in (*_own_wrongs(evaluator), *_unknown(evaluator, evaluators), *_untold(evaluator, evaluators)):
            yield evaluator.name, keys, text
    yield from _circle(evaluators)


def _own_wrongs(evaluator: Configured) -> Iterator[tuple[tuple[str | int, ...], str]]:
    name = evaluator.name
    if evaluator.else_sample and evaluator.when is None:
        yield ("else_sample",), f"{name!r} has `else_sample` without a `when`; use `sample`, or add a `when`"
    if evaluator.after and evaluator.scope not in _OF_RUNS:
        yield (
            ("after",),
            f"{name!r} has the scope {evaluator.scope}, and `after` orders only evaluators of runs; leave it out",
        )


def _unknown(evaluator: Configured, known: Mapping[str, Configured]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    for at, name in enumerate(evaluator.after):
        if name == evaluator.name:
            yield ("after", at), f"{name!r} cannot come after itself; remove it from `after`"
        elif fault := _not_before(name, evaluator, known):
            yield ("after", at), fault


def _not_before(name: str, evaluator: Configured, known: Mapping[str, Configured]) -> str | None:
    """Explain why no other entry of that name can evaluate a run before `evaluator`; None if one can."""
    others = sorted(one.name for one in known.values() if one.scope in _OF_RUNS and one.name != evaluator.name)
    if name in others:
        return None
    if name in known:
        return f"{name!r} has the scope {known[name].scope}; `after` can name only evaluators of runs"
    return f"no other entry is called {name!r}" + (hint(name, others) if others else ", and there are no others")


def _untold(evaluator: Configured, known: Mapping[str, Configured]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Find scores that `when` uses before they exist."""
    found = [one for one in _TOKEN.finditer(evaluator.when or "") if one["taken"]]
    asked = dict.fromkeys(one["name"].replace("''", "'") for one in found if one["name"] is not None)
    missing = [name for name in asked if name not in evaluator.after]
    faults = [(name, fault) for name in missing if (fault := _not_before(name, evaluator, known))]
    if evaluator.name in missing:
        yield (
            ("when",),
            f"it uses scores['{evaluator.name}'], which is its own score; use the score of another evaluator",
        )
    elif faults:
        name, fault = faults[0]
        yield ("when",), f"it uses scores['{name}'], and {fault}"
    elif missing:
        after = ", ".join((*evaluator.after, *missing))
        yield ("when",), f"it uses scores['{missing[0]}'], which may not exist yet; add `after: [{after}]`"
    elif found and not evaluator.after:
        yield ("when",), "it uses `scores`, which may not exist yet; name these evaluators in `after`"


def _circle(evaluators: Mapping[str, Configured]) -> Iterator[Wrong]:
    """Find the first cycle of evaluators that wait for each other."""
    order = {one.name: [name for name in one.after if name != one.name] for one in evaluators.values()}
    try:
        TopologicalSorter(order).prepare()
    except CycleError as error:
        *members, _ = reversed(error.args[1])
        first = min(members, key=list(evaluators).index)
        at = members.index(first)
        told = " after ".join([*members[at:], *members[:at], first])
        yield first, ("after",), f"they wait for each other: {told}; remove one of them from an `after`"
