"""Feedback: external scores of runs and calls, by people and other systems."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, TypeAlias

import orjson

from ..spans.values import as_text

__all__ = ["FEEDBACK", "PASSED_BY_LABEL", "Feedback", "Origin", "ScoreContent", "Subject", "score_id_of_key"]

FEEDBACK = "feedback"
"""The table that stores feedback as it arrived."""

Origin: TypeAlias = Literal["log_event", "span_event", "span_attributes", "annotation"]
"""The way by which feedback arrived: the evaluator's type in `scores`."""

_NO_FINITE = {"NaN", "Infinity", "-Infinity"}
"""Texts for numbers that JSON cannot represent."""
PASSED_BY_LABEL = {"pass": True, "passed": True, "fail": False, "failed": False}
"""Whether a score with this label, in lower case, is passed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The subject of feedback, as its sender names it.

    It is a span; a model call by its `response_id`, in any trace, if no run has the span; a tool call by its id or
    position in the run of an agent span; with a `trace_id` alone the trace; or with a `session_id` alone the
    conversation.
    """

    trace_id: str | None = None
    span_id: str | None = None
    response_id: str | None = None
    tool_call_id: str | None = None
    tool_call_position: int | None = None
    session_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreContent:
    """The columns of `scores` that a sender fills."""

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
    ) -> ScoreContent:
        """Build the content from a sender's values. `passed` is read from labels such as `pass` and `failed`.

        A score that is not a number from 0 to 1 has an unknown scale: it stays in `details`, as `score`.
        """
        value = _as_value(score)
        label_text, explanation_text = as_text(label) or None, as_text(explanation) or None
        passed = PASSED_BY_LABEL.get(label_text.lower()) if label_text else None
        reason = _find_reason(value, score, label_text or explanation_text)
        is_known = value is not None or label_text is not None or reason is None
        return cls(
            value=value,
            label=label_text,
            passed=passed,
            explanation=explanation_text,
            details={**(details or {}), **({} if value is not None or score is None else {"score": score})},
            status="error" if error else "scored" if is_known else "skipped",
            reason=as_text(error) if error else reason,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """One external score as its sender gave it; the store decides whether to trust `kind` and `author`.

    `given_at` is the sender's time, UTC without a zone. `key` is an id of the sender: feedback that arrives again with
    the same key is the same feedback. `named` is the subject as the sender wrote it; None if that is not stored.
    """

    subject: Subject
    evaluator: str
    origin: Origin
    author: str
    given_at: datetime
    content: ScoreContent
    kind: Literal["human", "external"] = "external"
    key: str | None = None
    named: str | None = None

    @property
    def score_id(self) -> str:
        """A hash that is the same for the same score, however often and over whichever way it is sent.

        It includes the sender, so that one sender cannot claim the id of a score that another is going to send.
        """
        if self.key is not None:
            return score_id_of_key(self.kind, self.author, self.key)
        content = self.content
        values = [
            content.value,
            content.label,
            content.passed,
            content.explanation,
            content.reason,
            content.details.get("score"),
        ]
        sender = [content.details[name] for name in ("service_name", "scope_name") if name in content.details][:1]
        source = [self.kind, self.author, self.evaluator]
        # A response id beside a span id is not part of it: earlier versions did not store that one.
        subject = self.subject if self.subject.span_id is None else replace(self.subject, response_id=None)
        return _hash([*source, *astuple(subject), *values, str(self.given_at), *sender])

    def row(self) -> dict[str, Any]:
        """Return a row of the table `feedback`."""
        content = {name: getattr(self.content, name) for name in ScoreContent.__slots__}
        return {
            "score_id": self.score_id,
            **asdict(self.subject),
            "named": self.named,
            "evaluator": self.evaluator,
            "evaluator_type": self.origin,
            "evaluator_kind": self.kind,
            "author": self.author,
            "scored_at": self.given_at,
            **content,
            "details": orjson.dumps(content["details"], option=orjson.OPT_NON_STR_KEYS, default=str).decode(),
        }


def score_id_of_key(kind: str, author: str, key: str) -> str:
    """Return the `score_id` of feedback with a `key`."""
    return _hash(["key", kind, author, key])


def _as_value(score: object) -> float | None:
    if isinstance(score, bool) or not isinstance(score, (int, float)):
        return None
    return float(score) if math.isfinite(score) and 0 <= score <= 1 else None


def _find_reason(value: float | None, score: object, words: str | None) -> str | None:
    """Return why there is no value; None if there is one, or a label or explanation instead."""
    if value is not None or (score is None and words is not None):
        return None
    if score is None:
        return "it came without a score, a label and an explanation"
    is_text = isinstance(score, str) and score not in _NO_FINITE
    text = repr(score) if is_text else str(score)
    return f"its score {text[:40]} is not a number from 0 to 1"


def _hash(parts: list[object]) -> str:
    text = orjson.dumps(parts, default=str)
    return hashlib.sha256(text).hexdigest()[:32]
