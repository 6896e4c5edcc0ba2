"""The interface that the reading side requires of the writing side. `collector.server.commands` implements it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, Protocol

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator

from tracegrade.evaluators.experiments.item import DatasetItem

from .foreign_text import is_shown_whole

__all__ = [
    "Annotation",
    "AnnotationRefused",
    "AnnotationTarget",
    "Backfill",
    "BackfillSummary",
    "CommandRefused",
    "Commands",
    "DatasetChange",
    "DatasetVersion",
    "IdTaken",
    "NoSuchEvaluator",
    "NoSuchItem",
    "NoSuchTarget",
    "OutdatedVersion",
    "Rebuild",
    "RebuildUnderWay",
    "Rebuilding",
    "Snapshot",
    "Unavailable",
    "VagueTarget",
]

_Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
_Text = Annotated[str, StringConstraints(max_length=20_000)]
_TraceId = Annotated[str, StringConstraints(pattern=r"^[0-9a-fA-F]{32}$", to_lower=True)]
_SpanId = Annotated[str, StringConstraints(pattern=r"^[0-9a-fA-F]{16}$", to_lower=True)]
_RunId = Annotated[str, StringConstraints(pattern=r"^[0-9a-fA-F]{32}-[0-9a-fA-F]{16}$", to_lower=True)]


def _check_shown_whole(name: str) -> str:
    if not is_shown_whole(name):
        raise ValueError("contains control, bidirectional or zero-width characters; remove them")
    return name


def _check_year(time: datetime) -> datetime:
    if not 1970 <= time.year <= 2262:
        raise ValueError("is not between 1970 and 2262")
    return time


class AnnotationTarget(BaseModel):
    """The target of a score: a trace (its outermost run), run, span, tool call of a run or trace, or session."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    trace_id: _TraceId | None = None
    agent_trace_id: _RunId | None = None
    span_id: _SpanId | None = None
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
    name: Annotated[_Name, AfterValidator(_check_shown_whole)]
    value: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    label: _Name | None = None
    passed: bool | None = None
    explanation: _Text | None = None
    author: _Name = "anonymous"
    kind: Literal["human", "external"] = "human"
    id: _Name | None = None
    time: Annotated[datetime, AfterValidator(_check_year)] | None = Field(
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


class Backfill(BaseModel):
    """A request for scores of past runs. Times are UTC and are compared with the start of a run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    since: datetime
    until: datetime | None = None
    evaluators: tuple[str, ...] = Field(default=(), description="names; none: all of the configuration")
    where: str | None = Field(default=None, description="SQL condition over the columns of agent_traces")
    again: bool = Field(default=False, description="also runs that have a score")


class BackfillSummary(BaseModel):
    """What a backfill requested.

    It selects `runs` runs. Numbers of scores by evaluator: those `requested` now, those `requested_before` that do not
    exist yet, and those that were `deferred`. `paused` evaluators begin when they are resumed, `scheduled` ones at the
    time of their schedule.
    """

    model_config = ConfigDict(frozen=True)

    runs: int
    requested: Mapping[str, int]
    requested_before: Mapping[str, int]
    deferred: Mapping[str, int]
    paused: tuple[str, ...] = ()
    scheduled: Mapping[str, str] = {}


class Rebuild(BaseModel):
    """A request to assemble stored traces again: those with a span that began at `since` or later (UTC), or all."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    since: Annotated[datetime, AfterValidator(_check_year)] | None = None


class Rebuilding(BaseModel):
    """A rebuild in progress: `done` of `traces` are assembled again. `is_joined`: it was in progress before."""

    model_config = ConfigDict(frozen=True)

    rebuild_id: int
    since: datetime | None
    traces: int
    done: int
    is_joined: bool


class DatasetChange(BaseModel):
    """A change of a dataset: items to add or to replace, by their ids, and ids of items to remove.

    `removes_all` removes every item that is not among `items`. `continues` names the version that an earlier part of
    the same change has made: this part belongs to it too.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    dataset: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
    items: tuple[DatasetItem, ...] = ()
    removed: tuple[str, ...] = ()
    removes_all: bool = False
    continues: int | None = Field(default=None, ge=1)
    author: _Name = "anonymous"

    @field_validator("items")
    @classmethod
    def _check_shown_whole(cls, items: tuple[DatasetItem, ...]) -> tuple[DatasetItem, ...]:
        for item in items:
            for name in filter(None, (item.id, item.split, *item.tags)):
                _check_shown_whole(name)
        return items


class DatasetVersion(BaseModel):
    """The version that a change of a dataset made, or the newest one if nothing changed.

    It has `items` items. The other numbers are those of the change; `unchanged` items were there already.
    """

    model_config = ConfigDict(frozen=True)

    dataset: str
    version: int
    items: int
    added: int
    changed: int
    removed: int
    unchanged: int


class CommandRefused(Exception):
    """A command names an unknown evaluator, or a condition or configuration that cannot be used."""

    kind: ClassVar[str] = "malformed"


class NoSuchEvaluator(CommandRefused):
    """The configuration has no evaluator of that name."""

    kind = "not_found"


class RebuildUnderWay(CommandRefused):
    """Another rebuild is in progress, which does not reach as far back."""

    kind = "conflict"


class NoSuchItem(CommandRefused):
    """The dataset has no item with one of these ids."""

    kind = "not_found"


class OutdatedVersion(CommandRefused):
    """The version that a change continues is not the newest one."""

    kind = "conflict"


class Unavailable(Exception):
    """The store cannot be read or written now. The message says why, and who must act."""


class Snapshot(Protocol):
    """The file of the store as it was at one moment, read in pieces. It does not change until it is closed."""

    size_bytes: int

    def read(self, offset: int, size_bytes: int) -> bytes:
        """Return a piece; blocks. Raises Unavailable if it can no longer be read; earlier pieces are then useless."""
        ...

    def close(self) -> None:
        """Release the file. MUST be called: until then the write-ahead log grows."""
        ...


class Commands(Protocol):
    """All writes that the API, the pages or the command line request. Each blocks, and is thread-safe."""

    def annotate(self, annotations: Sequence[Annotation]) -> Sequence[str]:
        """Store scores, all or none, and return their score_ids in order.

        The same annotation with the same `id` MUST be stored once. A later one of the same author, name and kind on the
        same target supersedes the earlier one. Raises AnnotationRefused.
        """
        ...

    def change_dataset(self, change: DatasetChange) -> DatasetVersion:
        """Add, replace and remove items of a dataset, all or none. Raises NoSuchItem and OutdatedVersion."""
        ...

    def pause(self, evaluator: str) -> None:
        """Pause an evaluator, by its configured name; targets are queued until `resume`. Raises NoSuchEvaluator."""
        ...

    def resume(self, evaluator: str) -> None:
        """Let an evaluator continue. Raises NoSuchEvaluator."""
        ...

    def backfill(self, request: Backfill) -> BackfillSummary:
        """Request scores of past runs. Raises CommandRefused."""
        ...

    def rebuild(self, request: Rebuild) -> Rebuilding:
        """Assemble stored traces again, after new ones. If a rebuild in progress covers the request, return that one.

        Raises RebuildUnderWay.
        """
        ...

    def reload(self) -> Sequence[str]:
        """Apply the present configuration, and return the settings that need a restart.

        Raises CommandRefused if it cannot be used; the active one then stays.
        """
        ...

    def snapshot(self) -> Snapshot:
        """Return the file as it is now; writing continues. A second call waits for the end of the first snapshot.

        Raises Unavailable.
        """
        ...
