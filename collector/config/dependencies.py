"""Validates `after`, `else_sample` and `scores[…]`: evaluators that follow others and use their scores."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Final, TypeAlias

from tracegrade.evaluators.catalog.source_names import name_hint
from tracegrade.evaluators.definition.registry import Configured

__all__ = ["Mistake", "find_mistakes", "uses_scores"]

Mistake: TypeAlias = tuple[str, tuple[str | int, ...], str]
"""The evaluator's name, the keys below its entry, and the remedy."""

_OF_RUNS: Final = {"trace", "tool_call"}
_TOKEN: Final = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/"
    r"|(?<![\w.])(?P<word>scores)\b(?P<taken>\s*\[\s*(?:'(?P<name>(?:[^']|'')*)'\s*\])?)?",
    re.IGNORECASE | re.DOTALL,
)


def uses_scores(condition: str) -> bool:
    """Return whether `condition` contains the word `scores` outside of strings and comments."""
    return any(match["word"] for match in _TOKEN.finditer(condition))


def find_mistakes(evaluators: Mapping[str, Configured]) -> Iterator[Mistake]:
    """Yield mistakes in `after`, `else_sample`, and `scores[…]` in `when`."""
    for evaluator in evaluators.values():
        mistakes = (
            *_find_misplaced_keys(evaluator),
            *_find_unknown_names(evaluator, evaluators),
            *_find_missing_scores(evaluator, evaluators),
        )
        for keys, text in mistakes:
            yield evaluator.name, keys, text
    yield from _find_cycle(evaluators)


def _find_misplaced_keys(evaluator: Configured) -> Iterator[tuple[tuple[str | int, ...], str]]:
    name = evaluator.name
    if evaluator.else_sample and evaluator.when is None:
        yield ("else_sample",), f"{name!r} has `else_sample` without a `when`; use `sample`, or add a `when`"
    if evaluator.after and evaluator.scope not in _OF_RUNS:
        yield (
            ("after",),
            f"{name!r} has the scope {evaluator.scope}, and `after` orders only evaluators of runs; leave it out",
        )


def _find_unknown_names(
    evaluator: Configured, evaluators: Mapping[str, Configured]
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    for at, name in enumerate(evaluator.after):
        if name == evaluator.name:
            yield ("after", at), f"{name!r} cannot come after itself; remove it from `after`"
        elif fault := _explain_order(name, evaluator, evaluators):
            yield ("after", at), fault


def _explain_order(name: str, evaluator: Configured, evaluators: Mapping[str, Configured]) -> str | None:
    """Explain why no other entry of that name can evaluate a run before `evaluator`; None if one can."""
    of_runs = (entry.name for entry in evaluators.values() if entry.scope in _OF_RUNS)
    candidates = sorted(candidate for candidate in of_runs if candidate != evaluator.name)
    if name in candidates:
        return None
    if name in evaluators:
        return f"{name!r} has the scope {evaluators[name].scope}; `after` can name only evaluators of runs"
    return f"no other entry is called {name!r}" + (
        name_hint(name, candidates) if candidates else ", and there are no others"
    )


def _find_missing_scores(
    evaluator: Configured, evaluators: Mapping[str, Configured]
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield a mistake for scores that `when` uses before they exist."""
    uses = [match for match in _TOKEN.finditer(evaluator.when or "") if match["taken"]]
    names = dict.fromkeys(use["name"].replace("''", "'") for use in uses if use["name"] is not None)
    missing = [name for name in names if name not in evaluator.after]
    faults = [(name, fault) for name in missing if (fault := _explain_order(name, evaluator, evaluators))]
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
    elif uses and not evaluator.after:
        yield ("when",), "it uses `scores`, which may not exist yet; name these evaluators in `after`"


def _find_cycle(evaluators: Mapping[str, Configured]) -> Iterator[Mistake]:
    """Yield the first cycle of evaluators that wait for each other."""
    order = {
        evaluator.name: [name for name in evaluator.after if name != evaluator.name]
        for evaluator in evaluators.values()
    }
    try:
        TopologicalSorter(order).prepare()
    except CycleError as error:
        *members, _ = reversed(error.args[1])
        first = min(members, key=list(evaluators).index)
        at = members.index(first)
        cycle = " after ".join([*members[at:], *members[:at], first])
        yield first, ("after",), f"they wait for each other: {cycle}; remove one of them from an `after`"
