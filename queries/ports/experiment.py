"""Experiments: how one begins, and the runs that it has evaluated."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from typing import Annotated, Final, TypeAlias, get_args

import orjson
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun, RunStatus
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.model import JsonObject
from tracegrade.evaluators.model.score import ScoreStatus
from tracegrade.evaluators.ports import JudgeCall

from .dataset import check_item
from .refusal import CommandRefused
from .words import DatasetName, Name, Text, check_shown_whole, check_year

__all__ = [
    "EvaluatorForm",
    "ExperimentEnded",
    "ExperimentJudgeCalls",
    "ExperimentProgress",
    "ExperimentRuns",
    "ExperimentStart",
    "NoSuchExperiment",
    "RecordedJudgeCalls",
    "RecordedRun",
    "RecordedRuns",
    "RunKey",
    "WrongRun",
]

_STATUSES: Final = get_args(ScoreStatus)
_KINDS: Final = ("code", "llm", "sql")
_LARGEST: Final = 2**63

_ExperimentName: TypeAlias = Annotated[
    str, StringConstraints(strip_whitespace=True, pattern=r"^[A-Za-z0-9][A-Za-z0-9._ -]{0,99}$")
]


def _make_encodable(text: object) -> object:
    """Return a text with lone surrogates spelt out, so that UTF-8 can encode it; any other value as it is."""
    return text.encode("utf-8", "backslashreplace").decode() if isinstance(text, str) else text


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class EvaluatorForm(_Value):
    """An evaluator of an experiment, with its version and configuration."""

    name: Annotated[Name, AfterValidator(check_shown_whole)]
    version: int = Field(ge=0, lt=_LARGEST, strict=True)
    config_hash: str


class ExperimentStart(_Value):
    """An experiment that is about to run: `repeats` runs of each of `items` items.

    `dataset` and `dataset_version` are those of a stored dataset; None if the items are from elsewhere. Two starts with
    the same `plan_hash` would run the same. `is_new`: do not continue an interrupted experiment.
    """

    name: _ExperimentName
    dataset: DatasetName | None = None
    dataset_version: int | None = Field(default=None, ge=1, lt=_LARGEST, strict=True)
    items: int = Field(ge=1, lt=_LARGEST, strict=True)
    repeats: int = Field(default=1, ge=1, lt=_LARGEST, strict=True)
    evaluators: Annotated[tuple[EvaluatorForm, ...], FailFast()] = Field(min_length=1)
    task: Text = Field(description="what is run, in words")
    metadata: JsonObject = Field(default={}, description="for users")
    author: Name = "anonymous"
    plan_hash: Name
    is_new: bool = Field(default=False, strict=True)

    @model_validator(mode="after")
    def _check_dataset(self) -> ExperimentStart:
        if (self.dataset is None) != (self.dataset_version is None):
            raise ValueError("give dataset and dataset_version, or neither")
        return self


class RunKey(_Value):
    """A run of an experiment: the item, and which of its repeats, counted from 0."""

    item_id: str
    repeat: int


class ExperimentProgress(_Value):
    """An experiment that has begun, or that is continued; `done` are the runs that are stored."""

    experiment_id: str
    name: str
    is_continued: bool
    done: tuple[RunKey, ...]


class RecordedRun(_Value):
    """A run of an experiment that was evaluated: one repeat, counted from 0, of the item at `position` in the dataset.

    `agent_trace_id` names the run of the agent; None if there is none. One of status `error` has a `cause` and no
    scores. The scores are those that evaluators gave on this run, without an experiment_id: the store adds it.
    """

    item: Annotated[DatasetItem, AfterValidator(check_item)]
    position: int = Field(ge=0, strict=True)
    repeat: int = Field(default=0, ge=0, strict=True)
    status: RunStatus = "completed"
    cause: Annotated[str | None, BeforeValidator(_make_encodable)] = None
    agent_trace_id: Name | None = None
    duration_ms: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    scores: tuple[ScoreRecord, ...] = ()

    @classmethod
    def of(cls, run: ExperimentRun, position: int) -> RecordedRun:
        """Return the run of the item at this position as it is recorded."""
        return cls(
            item=run.item,
            position=position,
            repeat=run.repeat,
            status=run.status,
            cause=run.cause,
            agent_trace_id=run.agent_trace_id,
            duration_ms=run.duration_ms,
            scores=run.scores,
        )

    @property
    def key(self) -> RunKey:
        return RunKey(item_id=self.item.id, repeat=self.repeat)

    @field_validator("scores")
    @classmethod
    def _check_scores(cls, scores: tuple[ScoreRecord, ...]) -> tuple[ScoreRecord, ...]:
        repeated = [score_id for score_id, count in Counter(score.score_id for score in scores).items() if count > 1]
        if repeated:
            raise ValueError(f"two scores have the score_id {repeated[0]}")
        return tuple(map(_check_score, scores))

    @model_validator(mode="after")
    def _check_status(self) -> RecordedRun:
        if self.status == "error" and (self.cause is None or self.scores):
            raise ValueError("a run of status error has a cause and no scores")
        if self.status == "completed" and (self.cause is not None or self.agent_trace_id is None):
            raise ValueError("a run of status completed has an agent_trace_id and no cause")
        for score in self.scores:
            if score.agent_trace_id != (None if score.scope == "tool" else self.agent_trace_id):
                raise ValueError(f"the score of {score.evaluator} is not about the run {self.agent_trace_id}")
        return self


class RecordedRuns(_Value):
    """Runs of an experiment that were evaluated. `is_last`: no other runs are missing, so that the experiment ends."""

    runs: Annotated[tuple[RecordedRun, ...], FailFast()] = ()
    is_last: bool = Field(default=False, strict=True)

    @field_validator("runs")
    @classmethod
    def _refuse_repeated(cls, runs: tuple[RecordedRun, ...]) -> tuple[RecordedRun, ...]:
        for key, count in Counter(run.key for run in runs).items():
            if count > 1:
                raise ValueError(f"repeat {key.repeat} of the item {key.item_id!r} is in it {count} times")
        return runs


class ExperimentRuns(RecordedRuns):
    """Runs of this experiment."""

    experiment_id: str


class RecordedJudgeCalls(_Value):
    """Calls of judges, of evaluators of an experiment, as they ended."""

    calls: Annotated[tuple[JudgeCall, ...], FailFast()]

    @field_validator("calls")
    @classmethod
    def _check_calls(cls, calls: tuple[JudgeCall, ...]) -> tuple[JudgeCall, ...]:
        for call in calls:
            if call.status == "pending":
                raise ValueError("a call is pending; the judges of experiments are asked live")
            if not (call.judge_call_id.isprintable() and call.request_hash.isprintable()):
                raise ValueError("judge_call_id and request_hash are printable text")
            check_year(call.started_at)
        return calls


class ExperimentJudgeCalls(RecordedJudgeCalls):
    """Calls of judges for this experiment."""

    experiment_id: str


class NoSuchExperiment(CommandRefused):
    """The store has no experiment with this id."""

    kind = "not_found"


class ExperimentEnded(CommandRefused):
    """The experiment has ended, so that it takes no further runs."""

    kind = "conflict"


class WrongRun(CommandRefused):
    """A run does not belong to the plan of its experiment, or contradicts one that is stored."""


def _check_score(score: ScoreRecord) -> ScoreRecord:
    """Return the score with its details as JSON. Raises ValueError if the store cannot hold it."""
    name = score.evaluator
    if score.experiment_id is not None:
        raise ValueError(f"the score of {name} has an experiment_id; leave it out, the store adds it")
    if score.status not in _STATUSES:
        raise ValueError(f"the status of the score of {name} is {score.status!r}; it is {' or '.join(_STATUSES)}")
    if score.evaluator_kind not in _KINDS:
        raise ValueError(f"the score of {name} is of the kind {score.evaluator_kind!r}; people score by annotations")
    if score.value is not None and not 0 <= score.value <= 1:
        raise ValueError(f"the value of the score of {name} is {score.value}; it is from 0 to 1")
    try:
        for time in filter(None, (score.target_time, score.scored_at)):
            check_year(time)
    except ValueError as error:
        raise ValueError(f"a time of the score of {name} {error}") from error
    numbers = (value for field in fields(score) if isinstance(value := getattr(score, field.name), int))
    if any(abs(number) >= _LARGEST for number in numbers):
        raise ValueError(f"the score of {name} has an integer of more than 64 bits")
    details = orjson.loads(orjson.dumps(score.details, option=orjson.OPT_NON_STR_KEYS, default=str))
    return replace(score, details=details)
