"""What evaluators find in the definition of a tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

__all__ = ["DefinitionScore", "read_definition_score"]

_FAILED: Final = "failed"


@dataclass(frozen=True, slots=True)
class DefinitionScore:
    """A score on a definition. `findings` are the checks that failed, each with what is wrong; without checks it is the
    explanation of a score that did not pass."""

    evaluator: str
    value: float | None
    passed: bool | None
    findings: Sequence[str]


def read_definition_score(row: Mapping[str, Any]) -> DefinitionScore:
    """Return the score of a row of `scores_of_definitions`."""
    return DefinitionScore(row["evaluator"], row["value"], row["passed"], _list_findings(row))


def _list_findings(row: Mapping[str, Any]) -> list[str]:
    details = orjson.loads(row["details"] or "{}")
    checks, faults = details.get("checks"), details.get("faults")
    if not isinstance(checks, dict):
        return [row["explanation"] or "did not pass"] if row["passed"] is False else []
    known = faults if isinstance(faults, dict) else {}
    return [_describe(name, known.get(name)) for name, result in checks.items() if result == _FAILED]


def _describe(check: str, fault: object) -> str:
    name = check.replace("_", " ")
    return f"{name}: {fault}" if fault else name
