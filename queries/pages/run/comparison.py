"""Two runs side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Final

import orjson
from starlette.responses import Response

from ...answers.run import RunDetail, ToolCall
from ...answers.score import Score
from ...http.reads import answer_read
from ...read.run import read_found
from ...read.run_parts import Part
from ...read.source import Read
from ..errors import PageError
from ..page import page
from ..visit import Visit
from .content import brief
from .reading import find_run_of

__all__ = ["CallPair", "ScorePair", "compare_calls", "compare_scores", "show_comparison"]

_PARTS: Final[tuple[Part, ...]] = ("tool_calls", "scores")
_MOST_CALLS: Final = 200
_BAD_REQUEST: Final = 400
_TRACE: Final = "trace"


@dataclass(frozen=True, slots=True)
class CallPair:
    """Calls of both runs at the same place; None: only the other run made one. They are the same with all arguments."""

    a: ToolCall | None
    b: ToolCall | None
    is_same: bool


@dataclass(frozen=True, slots=True)
class ScorePair:
    """The scores of an evaluator on both runs; None: it gave none."""

    evaluator: str
    a: Score | None
    b: Score | None

    @property
    def change(self) -> float | None:
        """By how much the value of the second run is higher."""
        if self.a is None or self.b is None or self.a.value is None or self.b.value is None:
            return None
        return self.b.value - self.a.value


@page("GET", "/compare", parameters=("a", "b"))
async def show_comparison(visit: Visit) -> Response:
    """Show what two runs share, and where they differ."""
    ids = [visit.query("a"), visit.query("b")]
    if None in ids:
        raise PageError(
            _BAD_REQUEST,
            "Two runs are compared",
            "The link needs `a` and `b`, the ids of two runs: select two in the list.",
            link=("/runs", "Show the list"),
        )

    def read(own: Read) -> list[RunDetail]:
        return [read_found(own, find_run_of(own, str(id_), None), parts=_PARTS) for id_ in ids]

    a, b = await answer_read(visit.site.api, visit.request, lambda sources: read(sources.own))
    calls = list(compare_calls(a.tool_calls or [], b.tool_calls or []))
    return visit.render(
        "run/comparison.html",
        runs=(a, b),
        calls=calls[:_MOST_CALLS],
        calls_left_out=max(len(calls) - _MOST_CALLS, 0),
        first_difference=next((number for number, pair in enumerate(calls, 1) if not pair.is_same), None),
        scores=compare_scores(a.scores or [], b.scores or []),
        brief=brief,
    )


def compare_calls(a: Sequence[ToolCall], b: Sequence[ToolCall]) -> Iterator[CallPair]:
    """Yield the calls of two runs in order, the same ones together."""
    matcher = SequenceMatcher(None, [_identify(call) for call in a], [_identify(call) for call in b], autojunk=False)
    for tag, a_begin, a_end, b_begin, b_end in matcher.get_opcodes():
        for of_a, of_b in zip_longest(a[a_begin:a_end], b[b_begin:b_end]):
            yield CallPair(of_a, of_b, is_same=tag == "equal")


def compare_scores(a: Sequence[Score], b: Sequence[Score]) -> list[ScorePair]:
    """Return the scores on two runs by evaluator: those that differ first."""
    of_a, of_b = _by_evaluator(a), _by_evaluator(b)
    pairs = [ScorePair(name, of_a.get(name), of_b.get(name)) for name in sorted({*of_a, *of_b})]
    return sorted(pairs, key=lambda pair: (not _differs(pair), pair.evaluator))


def _differs(pair: ScorePair) -> bool:
    return pair.a is None or pair.b is None or (pair.a.passed, pair.a.value) != (pair.b.passed, pair.b.value)


def _by_evaluator(scores: Sequence[Score]) -> dict[str, Score]:
    given = [each for each in scores if each.scope == _TRACE and each.status != "skipped"]
    return {each.evaluator: each for each in given if each.evaluator_kind in {"code", "llm", "sql"}}


def _identify(call: ToolCall) -> tuple[str, bytes]:
    arguments: Any = call.args if call.args is not None else call.args_text
    return call.name, orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS, default=str)
