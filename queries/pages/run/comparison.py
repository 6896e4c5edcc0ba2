"""Two runs side by side."""

from __future__ import annotations

from collections.abc import Sequence
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
from .reading import find_run_of, read_at

__all__ = ["CallPair", "Calls", "ScorePair", "compare_calls", "compare_scores", "show_comparison"]

_PARTS: Final[tuple[Part, ...]] = ("tool_calls", "scores")
_MOST_CALLS: Final = 200
"""The most calls of a run that are compared and shown, from a few before the first difference on."""

_MOST_BEFORE: Final = 20
_MOST_SCORES: Final = 200
_BAD_REQUEST: Final = 400
_TRACE: Final = "trace"


@dataclass(frozen=True, slots=True)
class CallPair:
    """Calls of both runs at the same place; None: only the other run made one. They are the same with all arguments."""

    a: ToolCall | None
    b: ToolCall | None
    is_same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """The calls of two runs side by side. `first_difference` is the number of the first pair that differs, from 1;
    None: they are all the same. `same_before` pairs before these are the same, and `later` calls of either run after
    these are not compared."""

    pairs: Sequence[CallPair]
    first_difference: int | None
    same_before: int
    later: tuple[int, int]


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


@page("GET", "/compare", parameters=("a", "a_at", "b", "b_at", "q", "sort"))
async def show_comparison(visit: Visit) -> Response:
    """Show what two runs share, and where they differ."""
    ids = [visit.query("a"), visit.query("b")]
    times = [read_at(visit, "a_at"), read_at(visit, "b_at")]
    if None in ids:
        raise PageError(
            _BAD_REQUEST,
            "Two runs are compared",
            "The link needs `a` and `b`, the ids of two runs: select two in the list.",
            link=(visit.links.to("runs", q=visit.query("q"), sort=visit.query("sort")), "Show the list"),
        )

    def read(own: Read) -> tuple[list[RunDetail], Calls]:
        runs = [
            read_found(own, find_run_of(own, str(id_), at), parts=_PARTS) for id_, at in zip(ids, times, strict=True)
        ]
        return runs, compare_calls(*(run.tool_calls or [] for run in runs))

    (a, b), calls = await answer_read(visit.site.api, visit.request, lambda sources: read(sources.own))
    scores = compare_scores(a.scores or [], b.scores or [])
    return visit.render(
        "run/comparison.html",
        runs=(a, b),
        calls=calls,
        are_calls_cut=any("tool_calls" in run.truncated for run in (a, b)),
        scores=scores[:_MOST_SCORES],
        scores_left_out=max(len(scores) - _MOST_SCORES, 0),
        brief=brief,
    )


def compare_calls(a: Sequence[ToolCall], b: Sequence[ToolCall]) -> Calls:
    """Return the calls of two runs in order, the same ones together.

    Time grows faster than the square of the number of calls, so that only those around the first difference are
    compared one with another.
    """
    of_a, of_b = [_identify(call) for call in a], [_identify(call) for call in b]
    same = next((n for n, (left, right) in enumerate(zip(of_a, of_b, strict=False)) if left != right), None)
    same = min(len(a), len(b)) if same is None else same
    is_same = same == len(a) == len(b)
    begin = 0 if is_same else max(same - _MOST_BEFORE, 0)
    end_a, end_b = min(len(a), begin + _MOST_CALLS), min(len(b), begin + _MOST_CALLS)
    matcher = SequenceMatcher(None, of_a[begin:end_a], of_b[begin:end_b], autojunk=False)
    pairs = [
        CallPair(left, right, is_same=tag == "equal")
        for tag, a_begin, a_end, b_begin, b_end in matcher.get_opcodes()
        for left, right in zip_longest(
            a[begin + a_begin : begin + a_end], b[begin + b_begin : begin + b_end], fillvalue=None
        )
    ]
    return Calls(
        pairs=pairs,
        first_difference=None if is_same else same + 1,
        same_before=begin,
        later=(len(a) - end_a, len(b) - end_b),
    )


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
