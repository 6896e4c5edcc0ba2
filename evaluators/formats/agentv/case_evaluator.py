"""The evaluators of a case, each with what it expects itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ...model import JsonObject, Reference
from ..imported import make_expectation
from ..spelling import Unreadable, entries, record
from .evaluator import TRAJECTORY_TYPES, read_evaluator

__all__ = ["CaseEvaluator", "read_evaluators"]

_COMPARES_CALLS: Final = "agentv:tool_trajectory"
_JUDGE: Final = "llm_judge"


@dataclass(frozen=True, slots=True)
class CaseEvaluator:
    """An evaluator of a case; `block` is as in the file.

    One that compares tool calls has `options` and a `reference` of its own. A composite one has `members`.
    """

    name: str
    type: str
    block: JsonObject
    weight: float = 1.0
    options: JsonObject | None = None
    reference: Reference | None = None
    members: tuple[CaseEvaluator, ...] = ()

    @property
    def entry(self) -> JsonObject:
        """The entry of a configuration for this evaluator, with what it expects under `expected`.

        One that is not `agentv:tool_trajectory` has no `use`, but its `block`.
        """
        weight = {} if self.weight == 1 else {"weight": self.weight}
        if self.options is None:
            return {"name": self.name, "block": self.block, **weight}
        expectation = make_expectation(self.reference)
        expected = {} if expectation is None else expectation.model_dump(mode="json", exclude_none=True)
        return {"use": _COMPARES_CALLS, "name": self.name, "options": self.options, "expected": expected, **weight}


def read_evaluators(value: object, place: str) -> tuple[CaseEvaluator, ...]:
    """Return the evaluators of a list. Raises ValueError that names `place` and the index of one."""
    blocks = entries(value, place)
    return tuple(_read_block(block, f"{place}[{index}]", index) for index, block in enumerate(blocks))


def _read_block(value: object, place: str, index: int) -> CaseEvaluator:
    if isinstance(value, str):  # a criterion for a judge, in later versions
        return CaseEvaluator(f"criterion-{index + 1}", _JUDGE, {"type": _JUDGE, "prompt": value})
    block = record(value, place)
    sort = block.get("type")
    if not isinstance(sort, str) or not sort:
        raise Unreadable(f"{place} has no type; write one, such as tool_trajectory")
    name = block.get("name", sort)
    if not isinstance(name, str) or not name:
        raise Unreadable(f"{place}.name is not text; write the name of its score")
    weight = _read_weight(block.get("weight"), place)
    if sort in TRAJECTORY_TYPES:
        options, reference = _read_trajectory(block, place)
        return CaseEvaluator(name, sort, block, weight, options=options, reference=reference)
    members: Sequence[CaseEvaluator] = ()
    if sort == "composite":
        members = read_evaluators(block.get("evaluators", block.get("assertions")), f"{place}.evaluators")
    return CaseEvaluator(name, sort, block, weight, members=tuple(members))


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
