"""The evaluators of a case, each with what it expects itself."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ...model import JsonObject, Reference
from ..imported import make_expectation
from ..spelling import Unreadable, entries, record
from .evaluator import TRAJECTORY_TYPES, read_evaluator

__all__ = ["CODE_TYPES", "FACT_TYPES", "JUDGE_TYPES", "CaseEvaluator", "WrongEvaluator", "read_evaluators"]

_COMPARES_CALLS: Final = "agentv:tool_trajectory"
_JUDGE: Final = "llm_judge"
_COMPOSITE: Final = "composite"
CODE_TYPES: Final = ("code", "code_judge")
JUDGE_TYPES: Final = (_JUDGE, "llm-judge", "agent_judge")
FACT_TYPES: Final = ("latency", "cost", "token_usage")
"""The types of the evaluators that run a script, ask a judge, and look at figures of the run alone."""
_ASSERTIONS: Final = {
    "trajectory:tool-used": "agentv:tool_used",
    "trajectory:tool-sequence": "agentv:tool_sequence",
    "trajectory:tool-args-match": "agentv:tool_args_match",
    "trajectory:step-count": "agentv:step_count",
}
"""The assertions of version 5, whose `value` is their expectation; with `not-` before the type they are inverted."""
_TYPES: Final = (*TRAJECTORY_TYPES, *_ASSERTIONS, *CODE_TYPES, *JUDGE_TYPES, *FACT_TYPES, _COMPOSITE)
_TYPES_OF_AGENTV: Final = frozenset(
    {"code-judge", "code-grader", "llm-grader", "token-usage", "trajectory:goal-success"}
)
"""Types with names similar to those, which are no misspelt ones."""


class WrongEvaluator(Unreadable):
    """An evaluator cannot be read; `keys` lead to it, from the case or the file that its list belongs to."""

    def __init__(self, text: str, place: str) -> None:
        super().__init__(text)
        self.keys = tuple(int(key) if key.isdigit() else key for key in re.findall(r"[^.\[\]]+", place))


@dataclass(frozen=True, slots=True)
class CaseEvaluator:
    """An evaluator of a case; `block` is as in the file.

    One that compares tool calls has the evaluator `use` with `options`, and may have a `reference` of its own. A
    composite one has `members`.
    """

    name: str
    type: str
    block: JsonObject
    weight: float = 1.0
    options: JsonObject | None = None
    reference: Reference | None = None
    use: str = _COMPARES_CALLS
    members: tuple[CaseEvaluator, ...] = ()

    @property
    def entry(self) -> JsonObject:
        """The entry of a configuration for this evaluator, with what it expects under `expected`.

        One that compares no tool calls has no `use`, but its `block`.
        """
        weight = {} if self.weight == 1 else {"weight": self.weight}
        if self.options is None:
            return {"name": self.name, "block": self.block, **weight}
        expectation = make_expectation(self.reference)
        expected = {} if expectation is None else expectation.model_dump(mode="json", exclude_none=True)
        return {"use": self.use, "name": self.name, "options": self.options, "expected": expected, **weight}


def read_evaluators(value: object, place: str) -> tuple[CaseEvaluator, ...]:
    """Return the evaluators of a list. Raises WrongEvaluator, or Unreadable if it is no list."""
    blocks = entries(value, place)
    return tuple(_read_at(block, f"{place}[{index}]", index) for index, block in enumerate(blocks))


def _read_at(value: object, place: str, index: int) -> CaseEvaluator:
    try:
        return _read_block(value, place, index)
    except WrongEvaluator:
        raise
    except Unreadable as error:
        raise WrongEvaluator(str(error), place) from error


def _read_block(value: object, place: str, index: int) -> CaseEvaluator:
    if isinstance(value, str):  # a criterion for a judge, in later versions
        return CaseEvaluator(f"criterion-{index + 1}", _JUDGE, {"type": _JUDGE, "prompt": value})
    block = record(value, place)
    sort = block.get("type")
    if not isinstance(sort, str) or not sort:
        raise Unreadable(f"{place} has no type; write one, such as tool_trajectory")
    if (meant := _find_meant_type(sort.removeprefix("not-"))) is not None:
        raise Unreadable(f"{place}.type: there is no type {sort!r} (did you mean {meant!r}?)")
    name = block.get("name", sort)
    if not isinstance(name, str) or not name:
        raise Unreadable(f"{place}.name is not text; write the name of its score")
    weight = _read_weight(block.get("weight"), place)
    if (use := _ASSERTIONS.get(sort.removeprefix("not-"))) is not None:
        inverse = {"inverse": True} if sort.startswith("not-") or block.get("inverse") is True else {}
        options = {"value": block.get("value"), **inverse}
        return CaseEvaluator(name, sort, block, weight, options=options, use=use)
    if sort in TRAJECTORY_TYPES:
        options, reference = _read_trajectory(block, place)
        return CaseEvaluator(name, sort, block, weight, options=options, reference=reference)
    members: Sequence[CaseEvaluator] = ()
    if sort == _COMPOSITE:
        members = read_evaluators(block.get("evaluators", block.get("assertions")), f"{place}.evaluators")
    return CaseEvaluator(name, sort, block, weight, members=tuple(members))


def _find_meant_type(sort: str) -> str | None:
    """Return the type that a misspelt one is near to; None for a type of AgentV, and if no type is near."""
    if sort in _TYPES or sort in _TYPES_OF_AGENTV:
        return None
    return next(iter(difflib.get_close_matches(sort, _TYPES, n=1, cutoff=0.8)), None)


def _read_trajectory(block: JsonObject, place: str) -> tuple[JsonObject, Reference]:
    try:
        return read_evaluator(block)
    except ValueError as error:
        raise Unreadable(f"{place}: {error}") from error


def _read_weight(value: object, place: str) -> float:
    if value is None:
        return 1.0
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise Unreadable(f"{place}.weight is not a number from 0; write one, such as 2")
    return float(value)
