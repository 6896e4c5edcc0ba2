"""When is one tool call the other, and how do two lists of calls line up? Pure, and bounded in its work.

Argument matching follows Dokimos (`TolerantArgumentMatcher`), with Unicode's own rules for `trim` and `ignore_case`.
"""

from __future__ import annotations

import math
from array import array
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, TypeVar

import orjson
from pydantic import ConfigDict, Field, ImportString, model_validator

from .definition.function_path import NamesFunctions
from .definition.registry import Options
from .model import ArgumentMode, ExpectedCall, JsonObject, ToolCall

__all__ = [
    "MAX_PAIRS",
    "OTHER_WAY_ROUND",
    "ArgumentMatcher",
    "ArgumentOptions",
    "TooLong",
    "fits",
    "is_comparable",
    "longest_common_subsequence",
    "maximum_matching",
    "same",
]

MAX_PAIRS: Final = 1_000_000  # 1,000 calls against 1,000: about three seconds and 2 MB at worst

OTHER_WAY_ROUND: Final[Mapping[ArgumentMode, ArgumentMode]] = {
    "exact": "exact",
    "subset": "superset",
    "superset": "subset",
    "ignore": "ignore",
}
"""What `matcher` calls a mode by what `args_match` calls it, and the other way round."""

_MISSING: Final = object()

L = TypeVar("L")
R = TypeVar("R")


class TooLong(ValueError):
    """Two lists are too long to be compared pair by pair."""

    def __init__(self, left: int, right: int, limit: str = f"{MAX_PAIRS:,} pairs") -> None:
        super().__init__(f"{left:,} calls against {right:,} are too many to compare (the limit is {limit})")


class ArgumentMatcher(NamesFunctions):
    """Whether a call's arguments are the expected ones. Written as a mode alone, or with its options.

    `subset`: every expected argument is there, others may be. `superset`: nothing is there that was not expected.
    The mode is about the arguments themselves; objects inside them need equal keys, lists equal length and order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    mode: ArgumentMode = Field(default="exact", description="exact, subset, superset or ignore")
    trim: bool = Field(default=False, description="strings are equal without the white space around them (Unicode's)")
    ignore_case: bool = Field(default=False, description="strings are equal after Unicode case folding; keys never")
    custom: ImportString[Callable[[JsonObject, JsonObject], bool]] | None = Field(
        default=None, description="`module:function` that answers (expected, actual) instead of all the above"
    )

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, value: object) -> object:
        if isinstance(value, str):
            return {"mode": value}
        return {"custom": value} if callable(value) else value

    @property
    def needs_arguments(self) -> bool:
        return self.mode != "ignore" or self.custom is not None

    def accepts(self, expected: JsonObject, actual: JsonObject) -> bool:
        """Whether `actual` will do where `expected` was asked for."""
        if self.custom is not None:
            return bool(self.custom(expected, actual))
        return fits(self.mode, expected, actual, fold=self.folding)

    def accepts_at(self, paths: Sequence[str], expected: JsonObject, actual: JsonObject) -> bool:
        """Whether both have the same at each dotted path that `expected` has; `items.0.name` leads into a list."""
        pairs = ((_at(path, expected), _at(path, actual)) for path in paths)
        return all(wanted is _MISSING or same(wanted, made, fold=self.folding) for wanted, made in pairs)

    @property
    def folding(self) -> Callable[[str], str] | None:
        """What strings are compared after, where they are not compared as they are."""
        return self._fold if self.trim or self.ignore_case else None

    def _fold(self, text: str) -> str:
        if self.trim:
            text = text.strip()
        return text.casefold() if self.ignore_case else text


class ArgumentOptions(Options):
    """The options that every evaluator shares which compares arguments."""

    argument_matcher: ArgumentMatcher = Field(
        default=ArgumentMatcher(),
        description="how arguments are compared: a mode, or {mode, trim, ignore_case, custom}",
    )
    argument_matchers: Mapping[str, ArgumentMatcher] = Field(
        default_factory=dict, description="other matchers by tool; the expected call's name selects"
    )

    def matcher_for(self, tool: str) -> ArgumentMatcher:
        return self.argument_matchers.get(tool, self.argument_matcher)

    def accepts(self, expected: ExpectedCall, actual: ToolCall) -> bool:
        """Whether `actual` is the call that was expected. Arguments that are no object are never the expected ones."""
        if expected.name != actual.name:
            return False
        if expected.args is None:
            return True
        matcher = self._expected_matcher(expected)
        if actual.args is None:
            return not matcher.needs_arguments
        if isinstance(expected.args_match, tuple):
            return matcher.accepts_at(expected.args_match, expected.args, actual.args)
        return matcher.accepts(expected.args, actual.args)

    def altered(
        self, expected: Sequence[ExpectedCall], actual: Sequence[ToolCall], pairs: Mapping[int, int]
    ) -> dict[int, int]:
        """The expected calls without a partner whose tool was called with other arguments instead, each with that call.

        Both by position; calls that would do, and merely stand elsewhere, are none.
        """
        paired, left = set(pairs.values()), defaultdict[str, deque[int]](deque)
        for at, call in enumerate(actual):
            if at not in paired:
                left[call.name].append(at)
        instead = {
            at: left[call.name].popleft() for at, call in enumerate(expected) if at not in pairs and left.get(call.name)
        }
        return {at: other for at, other in instead.items() if not self.accepts(expected[at], actual[other])}

    def undecidable(self, expected: Sequence[ExpectedCall], actual: Sequence[ToolCall]) -> str | None:
        """Why the two lists cannot be compared: arguments that count were not recorded. None when they can be."""
        if len(actual) * sum(map(_steps, expected)) > MAX_PAIRS:
            return f"too many dotted paths to compare {len(actual):,} calls at (the limit is {MAX_PAIRS:,} steps)"
        if all(call.args is not None for call in actual):
            return None
        wanted = {
            call.name for call in expected if call.args is not None and self._expected_matcher(call).needs_arguments
        }
        for position, call in enumerate(actual):
            if call.name in wanted and not is_comparable(call):
                return f"the arguments of {call.name} (call {position}) were not recorded"
        return None

    def _expected_matcher(self, expected: ExpectedCall) -> ArgumentMatcher:
        matcher, mode = self.matcher_for(expected.name), expected.matcher
        if mode is None and expected.args_match is not None:
            mode = "exact" if isinstance(expected.args_match, tuple) else OTHER_WAY_ROUND[expected.args_match]
        return matcher if mode is None else _in_mode(matcher, mode)


@lru_cache(maxsize=256)
def _in_mode(matcher: ArgumentMatcher, mode: ArgumentMode) -> ArgumentMatcher:
    return matcher.model_copy(update={"mode": mode, "custom": None})


def _steps(expected: ExpectedCall) -> int:
    """How many keys are looked up to compare one call with this one at its dotted paths."""
    paths = expected.args_match if isinstance(expected.args_match, tuple) else ()
    return sum(path.count(".") + 1 for path in paths)


def _at(path: str, value: Any) -> Any:
    for key in path.split("."):
        if isinstance(value, dict):
            value = value.get(key, _MISSING)
        else:
            value = _entry(value, key) if isinstance(value, (list, tuple)) else _MISSING
    return value


def _entry(values: Sequence[Any], key: str) -> Any:
    is_index = key.isdecimal() and len(key) <= len(str(len(values)))
    return values[int(key)] if is_index and int(key) < len(values) else _MISSING


def fits(
    mode: ArgumentMode, expected: JsonObject, actual: JsonObject, *, fold: Callable[[str], str] | None = None
) -> bool:
    """Whether `actual` will do in this mode, with strings compared also after `fold`."""
    if mode == "ignore":
        return True
    if mode == "subset":
        actual = {key: value for key, value in actual.items() if key in expected}
    elif mode == "superset":
        expected = {key: value for key, value in expected.items() if key in actual}
    return same(expected, actual, fold=fold)


def is_comparable(call: ToolCall) -> bool:
    """Whether anything of the call's arguments was recorded."""
    return call.args is not None or call.args_text is not None


def same(left: object, right: object, *, fold: Callable[[str], str] | None = None) -> bool:
    """Whether two JSON values are equal: numbers by their decimal value, strings also after `fold`, NaN to itself.

    A boolean is no number, null is equal to null alone. Nesting costs no stack.
    """
    if type(left) not in _CONTAINERS:
        return left is right or _same_scalar(left, right, fold)
    waiting = _below(left, right, fold)
    if waiting:
        waiting = [pair for pair in waiting if not _is_written_alike(*pair)]
    while waiting:
        below = _below(*waiting.pop(), fold)
        if below is None:
            return False
        waiting += below
    return waiting is not None


_CONTAINERS = frozenset({dict, list, tuple})


def _below(one: Any, other: Any, fold: Callable[[str], str] | None) -> list[tuple[Any, Any]] | None:
    """The pairs of containers in both that are still to be compared; None when the two differ already."""
    if isinstance(one, dict):
        if not isinstance(other, dict) or one.keys() != other.keys():
            return None
        pairs: Iterable[tuple[Any, Any]] = zip(one.values(), map(other.__getitem__, one), strict=True)
    else:
        if not isinstance(other, (list, tuple)) or len(one) != len(other):
            return None
        pairs = zip(one, other, strict=True)
    later = []
    for value, counterpart in pairs:
        if type(value) in _CONTAINERS:
            later.append((value, counterpart))
        elif value is not counterpart and not _same_scalar(value, counterpart, fold):
            return None
    return later


def _is_written_alike(one: object, other: object) -> bool:
    """A fast yes. JSON tells true from 1, Python tells NaN from null; where both see no difference there is none."""
    try:
        return orjson.dumps(one) == orjson.dumps(other) and one == other
    except TypeError:  # nested too deeply, or integers beyond 64 bits
        return False


def _same_scalar(one: object, other: object, fold: Callable[[str], str] | None) -> bool:
    if isinstance(one, str):
        return one == other or (fold is not None and isinstance(other, str) and fold(one) == fold(other))
    if isinstance(one, bool) or isinstance(other, bool):
        return False
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (math.isnan(one) and math.isnan(other))
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return _decimal(one) == _decimal(other)
    return type(one) is type(other) and one == other


def _decimal(number: float) -> Decimal | int:
    """The number that its shortest text names: 1e23 is 10**23, which the binary value next to it is not."""
    return Decimal(repr(number)) if isinstance(number, float) else number


def longest_common_subsequence(
    left: Sequence[L], right: Sequence[R], equal: Callable[[L, R], bool]
) -> list[tuple[int, int]]:
    """The longest run of pairs (position in left, position in right) in which both positions rise.

    `equal` may be any relation. Equal ends are free; raises TooLong when what lies between is beyond MAX_PAIRS.
    """
    start = _agreeing(zip(left, right, strict=False), equal)
    left_rest, right_rest = left[start:], right[start:]
    end = _agreeing(zip(reversed(left_rest), reversed(right_rest), strict=False), equal)
    rows, columns = len(left_rest) - end, len(right_rest) - end
    pairs = [(at, at) for at in range(start)]
    pairs += [(start + row, start + at) for row, at in _subsequence(left_rest[:rows], right_rest[:columns], equal)]
    return pairs + [(start + rows + at, start + columns + at) for at in range(end)]


def _agreeing(pairs: Iterator[tuple[L, R]], equal: Callable[[L, R], bool]) -> int:
    """How many pairs agree before one does not. Pairing equal ends is never worse: their other partners would cross."""
    count = 0
    for one, other in pairs:
        if not equal(one, other):
            break
        count += 1
    return count


def _subsequence(left: Sequence[L], right: Sequence[R], equal: Callable[[L, R], bool]) -> list[tuple[int, int]]:
    if not left or not right:
        return []
    _bound(left, right)
    below = array("H", bytes(2 * (len(right) + 1)))
    lengths = [below]  # from the last row to the first; the last column is 0
    for one in reversed(left):
        row = [0]
        beside = after = 0  # the lengths to the right and below that
        for other, under in zip(reversed(right), below[-2::-1], strict=True):
            longest = max(beside, under)
            beside = after + 1 if after >= longest and equal(one, other) else longest
            after = under
            row.append(beside)
        below = array("H", reversed(row))
        lengths.append(below)
    return _trace_back(lengths[::-1], len(right))


def _trace_back(lengths: Sequence[array[int]], width: int) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    row = column = 0
    while row < len(lengths) - 1 and column < width:
        here = lengths[row][column]
        if here == lengths[row + 1][column]:
            row += 1
        elif here == lengths[row][column + 1]:
            column += 1
        else:
            pairs.append((row, column))
            row, column = row + 1, column + 1
    return pairs


def maximum_matching(left: Sequence[L], right: Sequence[R], accepts: Callable[[L, R], bool]) -> dict[int, int]:
    """The most pairs {position in left: position in right} in which nobody stands twice.

    Kuhn's augmenting paths, searched breadth first over bit sets: no recursion, and at most
    len(left) * len(right) steps however dense the relation is. Raises TooLong beyond MAX_PAIRS.
    """
    _bound(left, right)
    open_to = [sum(1 << at for at, other in enumerate(right) if accepts(one, other)) for one in left]
    partner: dict[int, int] = {}
    holder: dict[int, int] = {}
    for start in range(len(left)):
        _augment(start, open_to, partner, holder)
    return dict(sorted(partner.items()))


def _augment(start: int, open_to: Sequence[int], partner: dict[int, int], holder: dict[int, int]) -> None:
    """Find `start` a partner, moving others to their next choice where that helps."""
    asked_by: dict[int, int] = {}
    seen = 0
    queue = [start]
    for one in queue:
        fresh = open_to[one] & ~seen
        seen |= fresh
        while fresh:
            other = (fresh & -fresh).bit_length() - 1
            fresh &= fresh - 1
            asked_by[other] = one
            if other not in holder:
                _flip(other, asked_by, partner, holder)
                return
            queue.append(holder[other])


def _flip(free: int, asked_by: Mapping[int, int], partner: dict[int, int], holder: dict[int, int]) -> None:
    other: int | None = free
    while other is not None:
        one = asked_by[other]
        released = partner.get(one)
        partner[one], holder[other] = other, one
        other = released


def _bound(left: Sequence[object], right: Sequence[object]) -> None:
    if len(left) * len(right) > MAX_PAIRS:
        raise TooLong(len(left), len(right))
