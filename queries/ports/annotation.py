"""Scores that people give."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from .refusal import CommandRefused
from .words import Name, RunId, SpanId, Text, TraceId, check_shown_whole, check_year

__all__ = [
    "Annotation",
    "AnnotationRefused",
    "AnnotationReplaced",
    "AnnotationTarget",
    "IdTaken",
    "NoSuchAnnotation",
    "NoSuchTarget",
    "VagueTarget",
]


class AnnotationTarget(BaseModel):
    """The target of a score: a trace (its outermost run), run, span, tool call of a run or trace, or session."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    trace_id: TraceId | None = None
    agent_trace_id: RunId | None = None
    span_id: SpanId | None = None
    tool_call_id: str | None = Field(default=None, min_length=1)
    position: int | None = Field(default=None, ge=0, description="of the tool call, from 0")
    session_id: str | None = Field(default=None, min_length=1)

    @model_validator(mode="after")
    def _check_names_one_thing(self) -> AnnotationTarget:
        names = frozenset(name for name in self.model_fields_set if getattr(self, name) is not None)
        if names not in _TARGETS:
            raise ValueError(
                "name one thing: trace_id; agent_trace_id; span_id (and trace_id, if others have that span id); "
                "trace_id or agent_trace_id with position or tool_call_id; or session_id"
            )
        return self


_TARGETS = frozenset(
    frozenset(names.split())
    for names in (
        "trace_id",
        "agent_trace_id",
        "span_id",
        "trace_id span_id",
        "trace_id position",
        "trace_id tool_call_id",
        "agent_trace_id position",
        "agent_trace_id tool_call_id",
        "session_id",
    )
)


class Annotation(BaseModel):
    """A score by a person, or by a program on behalf of one, on a target in the store."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    target: AnnotationTarget
    name: Annotated[Name, AfterValidator(check_shown_whole)]
    value: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    label: Name | None = None
    passed: bool | None = None
    explanation: Text | None = None
    author: Name = "anonymous"
    kind: Literal["human", "external"] = "human"
    id: Name | None = None
    time: Annotated[datetime, AfterValidator(check_year)] | None = Field(
        default=None, description="of the score; UTC if it names no zone; absent: now"
    )

    @model_validator(mode="after")
    def _check_has_content(self) -> Annotation:
        contents: tuple[Any, ...] = (self.value, self.label, self.passed, self.explanation)
        if all(content is None for content in contents):
            raise ValueError("give at least one of value, label, passed and explanation")
        return self


class AnnotationRefused(Exception):
    """The annotation at `index` cannot be stored because of its `field`. None of the annotations is stored."""

    kind: ClassVar[str]

    def __init__(self, index: int, field: str, message: str) -> None:
        super().__init__(message)
        self.index = index
        self.field = field


class NoSuchTarget(AnnotationRefused):
    """The target is not in the store, or not yet."""

    kind = "not_found"


class VagueTarget(AnnotationRefused):
    """The target is ambiguous; the message says how to name one."""

    kind = "malformed"


class IdTaken(AnnotationRefused):
    """The id has been used for another score."""

    kind = "conflict"


class NoSuchAnnotation(CommandRefused):
    """The score to remove is not stored, or is one of an evaluator."""

    kind = "not_found"


class AnnotationReplaced(CommandRefused):
    """The score to remove is not active, since its author gave a later one; the message names that."""

    kind = "conflict"
