"""What is different between an answer and what the peer really said."""

from __future__ import annotations

import math
from typing import Any

from .cases import Answer, Case

__all__ = ["differences"]

_TOLERANCE = 1e-9


def differences(case: Case, answered: Answer) -> list[str]:
    """A line a difference; none when both say the same. The wording of an error is the peer's own."""
    expected = case["expected"]
    if "crashed" in answered:
        return [f"crashed: {answered['crashed']}"]
    if _is_refusal(expected):
        return [] if "error" in answered else [f"answered {_short(answered)}, where the peer refuses"]
    if "error" in answered:
        return [f"refused ({answered['error']}), where the peer answers {_short(expected)}"]
    return [
        f"{key}: {_short(answered[key])}, expected {_short(expected[key])}"
        for key in expected
        if key in answered and not _is_same(answered[key], expected[key])
    ] + [f"no {key}" for key in ("score", "output") if key in expected and key not in answered]


def _is_refusal(expected: Answer) -> bool:
    return "error" in expected and expected.get("score") is None


def _is_same(ours: Any, theirs: Any) -> bool:
    """Details that we do not tell are not compared; what both tell must agree to the digit."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return all(_is_same(ours[key], theirs[key]) for key in ours.keys() & theirs.keys())
    if isinstance(ours, (list, tuple)) and isinstance(theirs, (list, tuple)):
        return len(ours) == len(theirs) and all(map(_is_same, ours, theirs))
    if _is_number(ours) and _is_number(theirs):
        return math.isclose(ours, theirs, rel_tol=0, abs_tol=_TOLERANCE)
    return type(ours) is type(theirs) and bool(ours == theirs)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."
