"""Feedback: a score that somebody else gave, a person or a machine, on what we have traces of."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

import orjson

from ..spans.values import as_text

__all__ = ["FEEDBACK", "Feedback", "Opinion", "Origin", "Subject", "id_of_key"]

FEEDBACK = "feedback"
"""The table that keeps it as it was given."""

Origin: TypeAlias = Literal["log_event", "span_event", "span_attributes", "annotation"]
"""How it came. It stands in `scores` as the evaluator's type."""

_NO_FINITE = {"NaN", "Infinity", "-Infinity"}
"""How numbers stand in JSON for which it has no word."""
_PASSED = {"pass": True, "passed": True, "fail": False, "failed": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is judged, in the words of who judges it.

    A span; a model call by its `response_id`; a tool call by its id or position in the run of an agent span; with a
    `trace_id` alone the trace, with a `session_id` alone the conversation.
    """

    trace_id: str | None = None
    span_id: str | None = None
    response_id: str | None = None
    tool_call_id: str | None = None
    tool_call_position: int | None = None
    session_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What was said: the columns of `scores` that a judge fills."""

    value: float | None = None
    label: str | None = None
    passed: bool | None = None
    explanation: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    status: Literal["scored", "skipped", "error"] = "scored"
    reason: str | None = None

    @classmethod
    def of(
        cls,
        score: object,
        *,
        label: object = None,
        explanation: object = None,
        error: object = None,
        details: Mapping[str, Any] | None = None,
    ) -> Opinion:
        """What a sender's values say. It has passed or failed where the label is that word.

        A score that is no number from 0 to 1 has a scale that nobody told: it stays in `details`, as `score`.
        """
        value = _share(score)
        word, why = as_text(label) or None, as_text(explanation) or None
        passed = _PASSED.get(word.lower()) if word else None
        reason = _reason(value, score, word or why)
        is_known = value is not None or word is not None or reason is None
        return cls(
            value=value,
            label=word,
            passed=passed,
            explanation=why,
            details={**(details or {}), **({} if value is not None or score is None else {"score": score})},
            status="error" if error else "scored" if is_known else "skipped",
            reason=as_text(error) if error else reason,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """One score from elsewhere, in its sender's words: whether `kind` and `author` are believed is up to the store.
    `given_at` is its sender's time, UTC without a zone.

    `key` is an id of the sender's own: what comes again under it is the same feedback. `named` is the subject in the
    sender's words, where those are kept.
    """

    subject: Subject
    evaluator: str
    origin: Origin
    author: str
    given_at: datetime
    opinion: Opinion
    kind: Literal["human", "external"] = "external"
    key: str | None = None
    named: str | None = None

    @property
    def score_id(self) -> str:
        """The same for the same score, however often and by whichever way its sender sends it: nobody can come
        before another's with what that one is going to say."""
        if self.key is not None:
            return id_of_key(self.kind, self.author, self.key)
        said = self.opinion
        content = [said.value, said.label, said.passed, said.explanation, said.reason, said.details.get("score")]
        sender = [said.details[name] for name in ("service_name", "scope_name") if name in said.details][:1]
        who = [self.kind, self.author, self.evaluator]
        return _hash([*who, *astuple(self.subject), *content, str(self.given_at), *sender])

    def row(self) -> dict[str, Any]:
        """A row of the table `feedback`."""
        opinion = {name: getattr(self.opinion, name) for name in Opinion.__slots__}
        return {
            "score_id": self.score_id,
            **asdict(self.subject),
            "named": self.named,
            "evaluator": self.evaluator,
            "evaluator_type": self.origin,
            "evaluator_kind": self.kind,
            "author": self.author,
            "scored_at": self.given_at,
            **opinion,
            "details": orjson.dumps(opinion["details"], option=orjson.OPT_NON_STR_KEYS, default=str).decode(),
        }


def id_of_key(kind: str, author: str, key: str) -> str:
    """The `score_id` of what comes under a `key`."""
    return _hash(["key", kind, author, key])


def _share(score: object) -> float | None:
    if isinstance(score, bool) or not isinstance(score, (int, float)):
        return None
    return float(score) if math.isfinite(score) and 0 <= score <= 1 else None


def _reason(value: float | None, score: object, words: str | None) -> str | None:
    """Why there is no value, where one was to be expected."""
    if value is not None or (score is None and words is not None):
        return None
    if score is None:
        return "it came without a score, a label and an explanation"
    is_text = isinstance(score, str) and score not in _NO_FINITE
    shown = repr(score) if is_text else str(score)
    return f"its score {shown[:40]} is no number from 0 to 1"


def _hash(parts: list[object]) -> str:
    text = orjson.dumps(parts, default=str)
    return hashlib.sha256(text).hexdigest()[:32]
