"""Evaluators that look at a run after others and use what those said: what an entry may ask for, and what not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Final, TypeAlias

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.text.suggestions import hint

__all__ = ["Wrong", "uses_scores", "wrongs"]

Wrong: TypeAlias = tuple[str, tuple[str | int, ...], str]
"""The evaluator's name, the keys below its entry, and what to do about it."""

_OF_RUNS: Final = {"trace", "tool_call"}
_TOKEN: Final = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/"
    r"|(?<![\w.])(?P<word>scores)\b(?P<taken>\s*\[\s*(?:'(?P<name>(?:[^']|'')*)'\s*\])?)?",
    re.IGNORECASE | re.DOTALL,
)


def uses_scores(condition: str) -> bool:
    """Whether the word `scores` stands in `condition` outside of texts and comments."""
    return any(found["word"] for found in _TOKEN.finditer(condition))


def wrongs(evaluators: Mapping[str, Configured]) -> Iterator[Wrong]:
    """What cannot be used of `after`, `else_sample`, and `scores[…]` in `when`."""
    for evaluator in evaluators.values():
        for keys, text in (*_own_wrongs(evaluator), *_unknown(evaluator, evaluators), *_untold(evaluator, evaluators)):
            yield evaluator.name, keys, text
    yield from _circle(evaluators)


def _own_wrongs(evaluator: Configured) -> Iterator[tuple[tuple[str | int, ...], str]]:
    name = evaluator.name
    if evaluator.else_sample and evaluator.when is None:
        yield ("else_sample",), f"{name!r} has no `when` that could leave runs out; say `sample`, or give it a `when`"
    if evaluator.after and evaluator.scope not in _OF_RUNS:
        yield ("after",), f"{name!r} judges each {evaluator.scope}, and `after` orders evaluators of runs; leave it out"


def _unknown(evaluator: Configured, known: Mapping[str, Configured]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    for at, name in enumerate(evaluator.after):
        if name == evaluator.name:
            yield ("after", at), f"{name!r} cannot come after itself; take it out of `after`"
        elif fault := _not_before(name, evaluator, known):
            yield ("after", at), fault


def _not_before(name: str, evaluator: Configured, known: Mapping[str, Configured]) -> str | None:
    """Why no other entry of that name can look at a run before `evaluator`; None where one can."""
    others = sorted(one.name for one in known.values() if one.scope in _OF_RUNS and one.name != evaluator.name)
    if name in others:
        return None
    if name in known:
        return f"{name!r} judges each {known[name].scope}; `after` can name evaluators of runs alone"
    return f"no other entry is called {name!r}" + (hint(name, others) if others else ", and there is none to wait for")


def _untold(evaluator: Configured, known: Mapping[str, Configured]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Scores that `when` uses and that need not be there yet."""
    found = [one for one in _TOKEN.finditer(evaluator.when or "") if one["taken"]]
    asked = dict.fromkeys(one["name"].replace("''", "'") for one in found if one["name"] is not None)
    missing = [name for name in asked if name not in evaluator.after]
    faults = [(name, fault) for name in missing if (fault := _not_before(name, evaluator, known))]
    if evaluator.name in missing:
        yield ("when",), f"it uses scores['{evaluator.name}'], which is its own score; use that of another"
    elif faults:
        name, fault = faults[0]
        yield ("when",), f"it uses scores['{name}'], and {fault}"
    elif missing:
        after = ", ".join((*evaluator.after, *missing))
        yield ("when",), f"it uses scores['{missing[0]}'], which may not be there yet; add `after: [{after}]`"
    elif found and not evaluator.after:
        yield ("when",), "it uses `scores`, which may not be there yet; name in `after` the evaluators that it is about"


def _circle(evaluators: Mapping[str, Configured]) -> Iterator[Wrong]:
    """The first circle of those that wait for each other."""
    order = {one.name: [name for name in one.after if name != one.name] for one in evaluators.values()}
    try:
        TopologicalSorter(order).prepare()
    except CycleError as error:
        *members, _ = reversed(error.args[1])
        first = min(members, key=list(evaluators).index)
        at = members.index(first)
        told = " after ".join([*members[at:], *members[:at], first])
        yield first, ("after",), f"they wait for each other: {told}; take one of them out of an `after`"
