"""What a test did with its agent, in a form that one process can give to another."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.experiments.experiment_run import RunStatus
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.model import AgentTrace

from ..otlp.signal import Signal

__all__ = ["ObservedRun", "ObservedTest"]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64")


class ObservedRun(_Value):
    """A run of the agent, and the scores that the test asserted.

    `is_captured`: the requests of the test have its spans.
    """

    run: AgentTrace
    scores: tuple[ScoreRecord, ...] = ()
    is_captured: bool


class ObservedTest(_Value):
    """A test that has ended, at this `position` in the collection.

    `item` is that of the dataset that it is parametrized with. With a failed assertion it is `completed`; `error` means
    any other failure, with its `cause`, or that there is no run. `requests` are the export requests with the spans of
    its runs, in protobuf.
    """

    node_id: str
    position: int
    item: DatasetItem | None
    status: RunStatus
    cause: str | None = None
    duration_ms: float
    runs: tuple[ObservedRun, ...]
    requests: tuple[tuple[Signal, bytes], ...] = ()
