"""A run of an experiment: what a task did with an item of a dataset, and the scores on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..definition.score_record import ScoreRecord
from ..model import AgentTrace
from ..ports import Deferred
from .item import DatasetItem

__all__ = ["ExperimentRun", "RunStatus"]

RunStatus: TypeAlias = Literal["completed", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentRun:
    """One repeat, counted from 0, of one item. Of status `error` it has a `cause` and no scores, and a run only if the
    task recorded one before it failed. `agent_trace_id` is that of `run`, which a run that was read from a store lacks.
    `deferred` are the evaluators that could not ask their judge when the run was evaluated: they have no scores yet.
    """

    item: DatasetItem
    repeat: int = 0
    status: RunStatus = "completed"
    cause: str | None = None
    duration_ms: float | None = None
    run: AgentTrace | None = None
    agent_trace_id: str | None = None
    scores: tuple[ScoreRecord, ...] = ()
    deferred: tuple[Deferred, ...] = ()

    def __post_init__(self) -> None:
        if self.run is not None and self.agent_trace_id is None:
            object.__setattr__(self, "agent_trace_id", self.run.agent_trace_id or None)
