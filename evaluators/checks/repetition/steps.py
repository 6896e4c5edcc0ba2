"""The calls of a run as steps that can be compared: caller, tool, arguments and outcome."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ...matching import MAX_PAIRS, ArgumentMatcher, TooLong, is_comparable
from ...model import ToolCall
from ..failure.tool_kind import ToolKind, may_write, name_kind, words
from .outcome import outcome_of
from .question import question_of

__all__ = ["Step", "read_steps"]

_CLOCKS: Final = (
    "get current what time date datetime now today utc local clock system the is fetch in timezone server world"
)
_CLOCK: Final = frozenset(_CLOCKS.split())
_TIMES: Final = frozenset({"time", "date", "datetime", "now", "today", "clock"})
_MEASURED: Final = "battery ecg gauge gps humidity measurement moisture pressure pulse telemetry temperature"
_SENSORS: Final = frozenset({"sensor", "sensors", *_MEASURED.split()})
_MOVERS: Final = (
    "scroll press key keys click tap swipe drag type hover screenshot snapshot observe next previous forward back "
    "backward navigate step advance random uuid roll dice sample shuffle draw pop dequeue receive move rotate "
    "turn listen record capture photo mouse cursor"
)
_MOVES: Final = frozenset(_MOVERS.split())
"""Words of tools that make progress, or whose results change by themselves, although the call is the same."""
_CHANCE: Final = frozenset({"coin", "dice", "die", "random", "uuid"})
"""Words of tools whose results are chance, however long."""
_TELLING_CHARACTERS: Final = 40
_PAUSES: Final = frozenset({"wait", "sleep", "pause", "delay", "think"})


@dataclass(frozen=True, slots=True)
class Step:
    """A call. `same` is a number that calls of the same agent, tool and arguments share; None: it cannot be compared.

    `outcome` is equal for calls with the same result; None if it was not recorded, or if no other call has the same
    `same`. `tells`: an equal outcome means that there is nothing new, unlike the "ok" of a click or the time of a
    clock. `changes`: later calls of any tool may have other results. `is_pause`: a wait or a thought, without a result.
    """

    position: int
    call: ToolCall
    same: int | None
    outcome: str | None
    tells: bool
    changes: bool
    is_pause: bool

    @property
    def has_failed(self) -> bool:
        return self.outcome is not None and not self.outcome.startswith("ok")


def read_steps(
    calls: Sequence[ToolCall],
    *,
    matcher_for: Callable[[str], ArgumentMatcher],
    tool_kinds: Mapping[str, ToolKind],
    moves: bool,
) -> list[Step]:
    """Return the calls as steps. If `moves`, `tells` is false for clocks and tools that make progress by themselves.

    Raises TooLong if there are too many different calls to compare.
    """
    groups = _Groups(matcher_for)
    same = [groups.find(call) for call in calls]
    counts = Counter(same)
    return [
        _read_step(at, call, number, tool_kinds, is_repeated=counts[number] > 1, moves=moves)
        for at, (call, number) in enumerate(zip(calls, same, strict=True))
    ]


def _read_step(
    position: int,
    call: ToolCall,
    same: int | None,
    tool_kinds: Mapping[str, ToolKind],
    *,
    is_repeated: bool,
    moves: bool,
) -> Step:
    parts, outcome = words(call.name), outcome_of(call) if is_repeated else None
    reads_sensor = any("sensor" in words(name) for name in call.args or ())
    return Step(
        position=position,
        call=call,
        same=same,
        outcome=outcome,
        tells=not (moves and (reads_sensor or _is_moving(parts, outcome))),
        changes=may_write(call, tool_kinds.get(call.name) or name_kind(call.name)),
        is_pause=not _PAUSES.isdisjoint(parts),
    )


def _is_moving(parts: tuple[str, ...], outcome: str | None) -> bool:
    """Return whether it is a clock, a sensor, chance, or a tool that makes progress by itself and returns no more than
    a short confirmation."""
    if (
        not (_SENSORS | _CHANCE).isdisjoint(parts)
        or any(map(_is_meter, parts))
        or (_CLOCK.issuperset(parts) and not _TIMES.isdisjoint(parts))
    ):
        return True
    return not _MOVES.isdisjoint(parts) and len(outcome or "") < _TELLING_CHARACTERS


def _is_meter(word: str) -> bool:
    return word.endswith("meter") and word not in {"parameter", "perimeter", "diameter"}


class _Groups:
    """Groups of calls that ask the same, found by their question or, if that is None, by comparing each call with the
    first of every group of its tool."""

    def __init__(self, matcher_for: Callable[[str], ArgumentMatcher]) -> None:
        self._matcher_for = matcher_for
        self._by_question: dict[Hashable, int] = {}
        self._firsts: defaultdict[tuple[str | None, str], list[tuple[int, ToolCall]]] = defaultdict(list)
        self._count = 0
        self._pairs = 0

    def find(self, call: ToolCall) -> int | None:
        matcher = self._matcher_for(call.name)
        if not is_comparable(call) and matcher.needs_arguments:
            return None
        tool, question = (call.child_agent_trace_id, call.name), question_of(call, matcher)
        if question is None:
            return self._compare(call, self._firsts[tool], matcher)
        number = self._by_question.setdefault((tool, question), self._count + 1)
        self._count = max(self._count, number)
        return number

    def _compare(self, call: ToolCall, firsts: list[tuple[int, ToolCall]], matcher: ArgumentMatcher) -> int:
        self._pairs += len(firsts)
        if self._pairs > MAX_PAIRS:  # many different calls; a loop, however long, has few
            raise TooLong(self._count, len(firsts))
        for number, first in firsts:
            if _asks_the_same(first, call, matcher):
                return number
        self._count += 1
        firsts.append((self._count, call))
        return self._count


def _asks_the_same(earlier: ToolCall, call: ToolCall, matcher: ArgumentMatcher) -> bool:
    if earlier.args is not None and call.args is not None:
        return matcher.accepts(earlier.args, call.args)
    if not matcher.needs_arguments:
        return True
    both_text = earlier.args is None and call.args is None
    return both_text and call.args_text is not None and earlier.args_text == call.args_text
