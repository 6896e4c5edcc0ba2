"""Reads the criteria of eval sets, `test_config.json`, as entries of a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...model import JsonObject
from ..spelling import Unreadable, record
from .spelling import get

__all__ = ["read_criteria"]

_TRAJECTORY: Final = "tool_trajectory_avg_score"
_EVALUATORS: Final = {_TRAJECTORY: "adk:tool_trajectory", "response_match_score": "adk:response_match_score"}


def read_criteria(config: object) -> tuple[JsonObject, ...]:
    """Return an entry with `use`, `threshold` and `options` for each criterion.

    Raises Unreadable for what is not a criterion, and for criteria without an evaluator here.
    """
    criteria = record(record(config, "the configuration").get("criteria"), "criteria")
    return tuple(_read_criterion(name, value) for name, value in criteria.items())


def _read_criterion(name: str, value: object) -> JsonObject:
    if name not in _EVALUATORS:
        raise Unreadable(f"criteria.{name}: there is no evaluator for it; there are those of {', '.join(_EVALUATORS)}")
    criterion: Mapping[str, Any] = {"threshold": value} if _is_number(value) else record(value, f"criteria.{name}")
    threshold, match_type = get(criterion, "threshold"), get(criterion, "match_type")
    if not _is_number(threshold):
        raise Unreadable(f"criteria.{name}.threshold is not a number")
    options = {} if match_type is None or name != _TRAJECTORY else {"options": {"match_type": match_type}}
    return {"use": _EVALUATORS[name], "threshold": threshold, **options}


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
