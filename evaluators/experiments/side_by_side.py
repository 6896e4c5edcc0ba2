"""Shows the calls of a run beside the expected ones, for people who read why a test failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Final

import orjson

from ..matching import same
from ..model import ExpectedCall, JsonObject, ToolCall
from ..text.messages import shortened

__all__ = ["show_calls"]

_WIDEST: Final = 60


def show_calls(made: Sequence[ToolCall], expected: Sequence[ExpectedCall]) -> list[str]:
    """Return a line per call: `=` as expected, `≠` with other arguments, `+` not expected, `-` not made.

    Calls are aligned by their names.
    """
    rows = [
        (_sign(call, wanted), _show_made(call) if call else "", _show(wanted.name, wanted.args) if wanted else "")
        for call, wanted in _align(made, expected)
    ]
    width = max((len(left) for _, left, _ in rows), default=0)
    return [f"{sign} {left:<{width}}  {right}".rstrip() for sign, left, right in rows]


def _align(
    made: Sequence[ToolCall], expected: Sequence[ExpectedCall]
) -> Iterator[tuple[ToolCall | None, ExpectedCall | None]]:
    names = [call.name for call in made], [call.name for call in expected]
    for kind, begin, end, other_begin, other_end in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        left, right = made[begin:end], expected[other_begin:other_end]
        if kind == "equal":
            yield from zip(left, right, strict=True)
        else:
            yield from zip_longest(left, (), fillvalue=None)
            yield from ((None, wanted) for wanted in right)


def _sign(call: ToolCall | None, wanted: ExpectedCall | None) -> str:
    if call is None:
        return "-"
    if wanted is None:
        return "+"
    return "=" if wanted.args is None or same(call.args, wanted.args) else "≠"


def _show_made(call: ToolCall) -> str:
    text = _show(call.name, call.args)
    return f"{text} failed" if call.error is not None else text


def _show(name: str, args: JsonObject | None) -> str:
    """Show a call as Python writes it; arguments that are not recorded, or that may be any, as `…`."""
    inner = "…" if args is None else ", ".join(f"{key}={_show_value(value)}" for key, value in args.items())
    return shortened(f"{name}({inner})", _WIDEST)


def _show_value(value: object) -> str:
    return orjson.dumps(value, default=str).decode()
