"""The judge of the history: a function that reads the evidence for a few words, so that no model is asked."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

__all__ = ["EVALUATORS", "JUDGES", "JUDGE_EVALUATOR", "answer"]

JUDGE_EVALUATOR: Final = "answers_question"
_THRESHOLD: Final = 0.7
_COMPLAINTS: Final = ("unavailable right now", "hotel backend unavailable", "could not complete", "not_executed")

JUDGES: Final[dict[str, Any]] = {
    "default": {
        "python": "tracegrade.collector.demo.judge:answer",
        "model": "scripted-judge",
        "requests_per_minute": None,
        "usd_per_day": None,
        "prices": {"input_usd_per_million": 0.4, "output_usd_per_million": 1.6},
    }
}
EVALUATORS: Final[list[dict[str, Any]]] = [
    {"use": "defaults"},
    {"use": "goal_achievement", "name": JUDGE_EVALUATOR, "threshold": _THRESHOLD, "sample": 0.5},
]
"""The evaluators of the history: the default ones, and a judge that is asked about half of the runs."""


def answer(prompt: str) -> str:
    """Answer a question of `goal_achievement`: the same evidence always gets the same score."""
    score, reasoning = _grade(prompt)
    return json.dumps({"reasoning": reasoning, "score": score})


def _grade(prompt: str) -> tuple[float, str]:
    draw = int.from_bytes(hashlib.blake2b(prompt.encode(), digest_size=4).digest()) / 2**32
    if any(complaint in prompt for complaint in _COMPLAINTS):
        return round(0.2 + 0.3 * draw, 2), "A part of the request was not fulfilled."
    if draw < 0.04:
        return 0.4, "The answer leaves out the price."
    if draw < 0.1:
        return 0.66, "The answer does not say whether anything can be cancelled."
    return round(0.75 + 0.25 * draw, 2), "The answer covers the request."
