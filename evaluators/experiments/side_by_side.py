"""Shows the calls of a run beside the expected ones, for people who read why a test failed."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import orjson

from ..matching import ArgumentOptions, TooLong, longest_common_subsequence, maximum_matching, same
from ..model import ExpectedCall, JsonObject, ToolCall
from ..text.messages import shortened

__all__ = ["LEGEND", "show_calls"]

LEGEND: Final = "= as expected, ↕ in another order, ≠ other arguments, + not expected, - not made"
_WIDEST: Final = 60
_WIDEST_DIFFERENCE: Final = 200
_BEFORE: Final = 10
_AFTER: Final = 40
_ABSENT: Final = object()

Accepts: TypeAlias = Callable[[ToolCall, ExpectedCall], bool]
_Row: TypeAlias = tuple[str, ToolCall | None, ExpectedCall | None]


def show_calls(
    made: Sequence[ToolCall], expected: Sequence[ExpectedCall], options: Sequence[ArgumentOptions] = ()
) -> list[str]:
    """Return a line per call, which begins with one of the signs in LEGEND; a long pair takes two.

    A call is as expected if all `options` accept it, by default those of an expected call itself. Of a long call with
    other arguments only these are shown, each from where it differs.
    """
    every = options or (ArgumentOptions(),)

    def accepts(call: ToolCall, wanted: ExpectedCall) -> bool:
        return all(each.accepts(wanted, call) for each in every)

    texts = [(sign, *_show_both(sign, call, wanted)) for sign, call, wanted in _align(made, expected, accepts)]
    width = max((len(left) for _, left, _ in texts if len(left) <= _WIDEST), default=0)
    return [line for sign, left, right in texts for line in _layout(sign, left, right, width)]


def _layout(sign: str, left: str, right: str, width: int) -> Iterator[str]:
    if right and len(left) > _WIDEST:
        yield f"{sign} {left}"
        yield f"  expected: {right}"
    else:
        yield f"{sign} {left:<{width}}  {right}".rstrip()


def _align(made: Sequence[ToolCall], expected: Sequence[ExpectedCall], accepts: Accepts) -> Iterator[_Row]:
    """Yield the calls in their order, each with its expected call; and those that were not made where they should be.

    Between calls that are as expected, calls are aligned by their names.
    """
    in_order, moved = _pair(made, expected, accepts)
    elsewhere = set(moved.values())
    begin = other_begin = 0
    for end, other_end in [*in_order, (len(made), len(expected))]:
        missing = defaultdict[str, deque[int]](deque)
        for at in range(other_begin, other_end):
            if at not in elsewhere:
                missing[expected[at].name].append(at)
        for at in range(begin, end):
            if at in moved:
                yield "↕", made[at], expected[moved[at]]
            elif missing[made[at].name]:
                wanted = expected[missing[made[at].name].popleft()]
                yield "=" if accepts(made[at], wanted) else "≠", made[at], wanted
            else:
                yield "+", made[at], None
        yield from (("-", None, expected[at]) for at in sorted(at for names in missing.values() for at in names))
        if end < len(made):
            yield "=", made[end], expected[other_end]
        begin, other_begin = end + 1, other_end + 1


def _pair(
    made: Sequence[ToolCall], expected: Sequence[ExpectedCall], accepts: Accepts
) -> tuple[list[tuple[int, int]], Mapping[int, int]]:
    """Return the positions of calls that are as expected, first those in order, then the others; none of too many."""
    try:
        in_order = longest_common_subsequence(made, expected, accepts)
        left = sorted(set(range(len(made))) - {at for at, _ in in_order})
        right = sorted(set(range(len(expected))) - {at for _, at in in_order})
        others = maximum_matching(left, right, lambda at, other: accepts(made[at], expected[other]))
    except TooLong:
        return [], {}
    return in_order, {left[at]: right[other] for at, other in others.items()}


def _show_both(sign: str, call: ToolCall | None, wanted: ExpectedCall | None) -> tuple[str, str]:
    left = _show(call.name, call.args) if call else ""
    right = _show(wanted.name, wanted.args) if wanted else ""
    is_long = max(len(left), len(right)) > _WIDEST
    if is_long and sign == "≠" and call and wanted and call.args is not None and wanted.args is not None:
        left, right = _show_differences(call.name, call.args, wanted.args)
    else:
        left, right = shortened(left, _WIDEST), shortened(right, _WIDEST)
    return (f"{left} failed" if call and call.error is not None else left), right


def _show(name: str, args: JsonObject | None) -> str:
    """Show a call as Python writes it; arguments that are not recorded, or that may be any, as `…`."""
    inner = "…" if args is None else ", ".join(f"{key}={_show_value(value)}" for key, value in args.items())
    return f"{name}({inner})"


def _show_differences(name: str, made: JsonObject, expected: JsonObject) -> tuple[str, str]:
    """Show both calls with the arguments that differ; `…` stands for the others."""
    differing = [key for key in {**made, **expected} if not same(made.get(key, _ABSENT), expected.get(key, _ABSENT))]
    parts: tuple[list[str], list[str]] = ([], [])
    for key in differing:
        values = _show_from_difference(made.get(key, _ABSENT), expected.get(key, _ABSENT))
        for side, value in zip(parts, values, strict=True):
            side.extend([] if value is None else [f"{key}={value}"])
    rest = ["…"] if len(differing) < len({**made, **expected}) else []
    left, right = (f"{name}({', '.join([*side, *rest])})" for side in parts)
    return shortened(left, _WIDEST_DIFFERENCE), shortened(right, _WIDEST_DIFFERENCE)


def _show_from_difference(*values: object) -> Iterator[str | None]:
    """Yield the two values, None for one that is absent, each cut to what is around their first difference."""
    texts = [None if value is _ABSENT else _show_value(value, sorts=True) for value in values]
    known = [text for text in texts if text is not None]
    both = enumerate(zip(*known, strict=False)) if len(known) > 1 else iter(())
    begin = max(next((at for at, (one, other) in both if one != other), 0) - _BEFORE, 0)
    for text in texts:
        yield None if text is None else shortened(f"{'…' if begin else ''}{text[begin:]}", _BEFORE + _AFTER)


def _show_value(value: Any, *, sorts: bool = False) -> str:
    return orjson.dumps(value, default=str, option=orjson.OPT_SORT_KEYS if sorts else None).decode()
