"""Finds loops: repeated calls without new results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ...model import ToolCall
from ..failure.tool_kind import name_kind
from .ahead import Ahead
from .outcome import finds_nothing, is_passing_failure
from .steps import Step

__all__ = ["LOOP_RULES", "CallLoop", "find_loops"]

SAME_CALLS: Final = 3  # in a row, with the same result
ROUNDS: Final = 3  # of a cycle
RETRIES: Final = 12  # of calls that fail for a reason that passes, such as a limit of requests
LONGEST_CYCLE: Final = 6
SEARCHES: Final = 10  # near-identical ones that find nothing
_WAIT_S: Final = 60.0  # longer than models take to answer
_ALIKE: Final = 0.4  # share of the words that two searches have in common


@dataclass(frozen=True, slots=True)
class CallLoop:
    """A loop, and the rule that found it. After the first `length` of its `steps` there is nothing new."""

    rule: str
    steps: Sequence[Step]
    length: int = 1

    @property
    def tools(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(step.call.name for step in self.steps))

    @property
    def wasted(self) -> Sequence[Step]:
        return self.steps[self.length :]

    def __str__(self) -> str:
        names, count = ", ".join(self.tools), len(self.steps)
        match self.rule:
            case "same_call":
                return f"{names} was called {count} times in a row with the same result (same_call)"
            case "cycle":
                return f"{names} took turns for {count} calls with the same results (cycle)"
        return f"{count} near-identical calls of {names} found nothing (fruitless_search)"


def find_loops(steps: Sequence[Step], rules: Sequence[str]) -> list[CallLoop]:
    """Return the loops that `rules` find, in the order of the rules."""
    working = [step for step in steps if not step.is_pause]
    return [loop for rule in rules for loop in LOOP_RULES[rule](working)]


def _same_call(steps: Sequence[Step]) -> Iterator[CallLoop]:
    ahead = Ahead(steps)
    for start, end in _repetitions(steps, 1):
        least = RETRIES if _are_retries(steps[start : start + 1]) else SAME_CALLS
        if end - start < least or not steps[start].tells or _are_far_apart(steps[start:end]):
            continue
        if not _was_polling(steps, end - 1, end, ahead):
            yield CallLoop("same_call", steps[start:end])


def _cycle(steps: Sequence[Step]) -> Iterator[CallLoop]:
    covered = 0
    ahead = Ahead(steps)
    for length in range(2, LONGEST_CYCLE + 1):
        for start, end in _repetitions(steps, length):
            one_round = steps[start : start + length]
            if end - start < ROUNDS * length or end <= covered or not _is_cycle(one_round):
                continue
            if end - start < RETRIES * length and _are_retries(one_round):
                continue
            if _was_polling(steps, end - length, end, ahead):
                continue
            covered = end
            yield CallLoop("cycle", steps[start:end], length)


def _are_far_apart(steps: Sequence[Step]) -> bool:
    """Return whether between any two of these calls there was a wait: somebody looks again and again, on purpose."""
    gaps = [_gap_s(earlier.call, later.call) for earlier, later in pairwise(steps)]
    return all(gap is not None and gap >= _WAIT_S for gap in gaps)


def _gap_s(earlier: ToolCall, later: ToolCall) -> float | None:
    if earlier.started_at is None or later.started_at is None:
        return None
    return (later.started_at - earlier.started_at).total_seconds() - (earlier.duration_ms or 0) / 1000


def _are_retries(steps: Sequence[Step]) -> bool:
    """Return whether one of these calls failed for a reason that passes, so that they are repeated until it works."""
    return any(step.has_failed and is_passing_failure(step.call) for step in steps)


def _is_cycle(steps: Sequence[Step]) -> bool:
    """Return whether these are different calls, at least one of them with an outcome that shows whether it is new."""
    return len({step.same for step in steps}) > 1 and any(step.tells for step in steps)


def _repetitions(steps: Sequence[Step], length: int) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each longest sequence in which every step is the same as the one `length` before it."""
    start = 0
    for at in range(length, len(steps) + 1):
        if at < len(steps) and _has_same_outcome(steps[at - length], steps[at]):
            continue
        if at - start > length:
            yield start, at
        start = at - length + 1


def _has_same_outcome(earlier: Step, step: Step) -> bool:
    return (
        step.same is not None
        and earlier.same == step.same
        and step.outcome is not None
        and earlier.outcome == step.outcome
    )


def _was_polling(steps: Sequence[Step], start: int, end: int, ahead: Ahead) -> bool:
    """Return whether the loop was polling: the next call that equals one of these, its last round, had another outcome,
    and nothing had been changed in between."""
    last = {step.same: step for step in steps[start:end]}
    places = [place for same in last if (place := ahead.find_question(same, end)) is not None]
    if not places or ahead.changes_between(end, min(places)):
        return False
    step = steps[min(places)]
    return step.outcome is not None and step.outcome != last[step.same].outcome


_WIDE: Final = "\u3040-\u30ff\u3400-\u9fff"
_WORD: Final = re.compile(rf"[{_WIDE}]|[^\W{_WIDE}]+")
"""A word, or one character of a script without spaces."""
_ENDING: Final = re.compile(r"(?<=\w{3})(?:ies|es|s|e|y)\Z")
_STEM: Final = 6


def _fruitless_search(steps: Sequence[Step]) -> Iterator[CallLoop]:
    by_name: dict[str, list[Step]] = {}
    for step in steps:
        by_name.setdefault(step.call.name, []).append(step)
    for name, calls in by_name.items():
        if len(calls) < SEARCHES or name_kind(name) not in {"reader", "probe", "runner"}:
            continue
        after_success = next((at for at in range(len(calls), 0, -1) if not finds_nothing(calls[at - 1].call)), 0)
        alike = _longest_alike(calls[after_success:])
        if len(alike) >= SEARCHES:
            yield CallLoop("fruitless_search", alike)


def _longest_alike(steps: Sequence[Step]) -> Sequence[Step]:
    """Return the longest sequence of calls of which each has much in common with the one before it."""
    longest = range(0)
    start = 0
    before: frozenset[str] | None = None
    for at, step in enumerate(steps):
        words = frozenset(map(_stem, _WORD.findall(str(step.call.args or step.call.args_text).lower())))
        if before is not None and not _are_alike(before, words):
            start = at
        if at + 1 - start > len(longest):
            longest = range(start, at + 1)
        before = words
    return steps[longest.start : longest.stop]


def _stem(word: str) -> str:
    """Return what the forms of a word have in common: lichen for "lichens", accumu for "accumulation"."""
    return _ENDING.sub("", word)[:_STEM] if word.isalpha() else word


def _are_alike(left: frozenset[str], right: frozenset[str]) -> bool:
    left, right = _split_as(left, right), _split_as(right, left)
    union = left | right
    return not union or len(left & right) / len(union) >= _ALIKE


_PART: Final = re.compile(r"\d+|\D+")


def _split_as(words: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """Return the words, and the parts of those that the others have with a gap: "brewmaster300" of "brewmaster 300"."""
    mixed = {
        word: frozenset(map(_stem, _PART.findall(word))) for word in words if not (word.isalpha() or word.isdigit())
    }
    split = {word: parts for word, parts in mixed.items() if parts <= others}
    return (words - split.keys()).union(*split.values())


LOOP_RULES: Final[dict[str, Callable[[Sequence[Step]], Iterator[CallLoop]]]] = {
    "same_call": _same_call,
    "cycle": _cycle,
    "fruitless_search": _fruitless_search,
}
