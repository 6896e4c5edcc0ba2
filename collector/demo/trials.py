"""The experiments of the history: two versions of an agent on questions that users had asked the earlier one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from ..otlp.experiment_mark import EXPERIMENT_ID
from .agents import FAULT_ERROR, FAULTY_AGENT, FAULTY_VERSION, REFUSED, WEATHER
from .history import History, derive_trace_id, write_run
from .schedule import Fault, PlannedRun

__all__ = ["DATASET", "Trial", "collected_at", "find_questions", "plan_trials"]

DATASET: Final = "travel-questions"

_MOST: Final = 8
"""The most questions about the weather, and about trips."""

_BETWEEN: Final = timedelta(minutes=1)
_SLOWER_S: Final = 6.0
_FAULTY_BEFORE: Final = (1,)
_FAULTY_AFTER: Final = (0, 2, 5)
"""The questions about the weather on which the tool of the earlier and of the later version fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """An experiment: a version of the agent on each question, which are asked one after the other."""

    name: str
    version: str
    began: datetime
    runs: Sequence[PlannedRun]
    id_seed: str

    def trace_id(self, number: int) -> str:
        """Return the trace id, in hex, of the run on the question with this position."""
        return derive_trace_id(self.runs[number], id_seed=f"{self.id_seed}{number}:")

    def request(self, experiment_id: str) -> bytes:
        """Return the spans of the runs as those of this experiment, as an ExportTraceServiceRequest."""
        return b"".join(
            write_run(
                run,
                id_seed=f"{self.id_seed}{number}:",
                began=self.began + number * _BETWEEN,
                marks={EXPERIMENT_ID: experiment_id},
            ).SerializeToString()
            for number, run in enumerate(self.runs)
        )


def collected_at(history: History) -> datetime:
    """Return when the dataset was made of runs that were stored by then."""
    return history.released_at - timedelta(days=1, hours=2)


def find_questions(history: History) -> list[int]:
    """Return the positions of the runs whose questions are asked again: each is another one, and was answered well."""
    found: dict[tuple[str, str, str], int] = {}
    for number, run in enumerate(history.runs):
        is_known_good = run.turn.is_good and run.fault is None and "loop" not in run.turn.recording
        is_stored = history.began(run) < collected_at(history) - _BETWEEN
        if run.agent.name == FAULTY_AGENT and is_stored and is_known_good:
            found.setdefault((run.turn.recording, run.texts["Paris"], run.texts["visa"]), number)
    weather = [number for number in found.values() if (history.runs[number].turn,) == WEATHER]
    trips = [number for number in found.values() if number not in weather]
    return [*weather[:_MOST], *trips[:_MOST]]


def plan_trials(history: History) -> list[Trial]:
    """Plan the experiments: of the earlier version before the later one was released, and of that after its fault
    began."""
    questions = [history.runs[number] for number in find_questions(history)]
    earlier = questions[0].version
    return [
        _plan(history, questions, earlier, history.released_at - timedelta(days=1), faulty=_FAULTY_BEFORE),
        _plan(history, questions, FAULTY_VERSION, history.fault_at + timedelta(days=1), faulty=_FAULTY_AFTER),
    ]


def _plan(
    history: History, questions: Sequence[PlannedRun], version: str, began: datetime, *, faulty: Collection[int]
) -> Trial:
    runs = [
        replace(
            run,
            turn=REFUSED[0] if number in faulty else run.turn,
            version=version,
            environment="staging",
            session_id=f"{version} on question {number + 1}",
            user_id="experiment",
            fault=Fault(_SLOWER_S, FAULT_ERROR) if number in faulty else None,
        )
        for number, run in enumerate(questions)
    ]
    id_seed = f"{history.seed}:{history.days}:{version}:"
    return Trial(name=f"{FAULTY_AGENT} {version}", version=version, began=began, runs=runs, id_seed=id_seed)
