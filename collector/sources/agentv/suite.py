"""Runs the cases of an eval file: on recorded runs, or on those of a task."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.formats.agentv.eval_case import EvalCase
from tracegrade.evaluators.formats.agentv.eval_file import EvalFile
from tracegrade.evaluators.formats.agentv.writing import write_run
from tracegrade.evaluators.formats.imported import Imported
from tracegrade.evaluators.judges.backends.in_process import JudgeFunction
from tracegrade.evaluators.model import AgentTrace, JsonObject

from ...capture import capture
from ...experiments.captured_run import NoRun, find_run
from ...experiments.task_call import Task, TaskFailed, call_task
from .evaluators import EvaluatorResult, describe, evaluate_case, weigh

__all__ = ["CaseResult", "evaluate_suite", "find_runs"]

_TIMEOUT_S: Final = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """The result of a case. `run` is None if there is none, for the `cause`."""

    case: EvalCase
    run: AgentTrace | None
    cause: str | None = None
    results: tuple[EvaluatorResult, ...] = ()

    @property
    def score(self) -> float | None:
        """The mean of the scores by their weights; None without a score."""
        return weigh(self.results)

    def write_row(self, suite: EvalFile, *, has_trace: bool) -> JsonObject:
        """Return the row of a results file; with its messages if it `has_trace`."""
        row: JsonObject = {
            "timestamp": datetime.now(UTC).isoformat(),
            "eval_id": self.case.id,
            "dataset": suite.dataset,
            "conversation_id": self.case.conversation_id,
            "score": self.score,
            "hits": [hit for result in self.results for hit in result.hits],
            "misses": [miss for result in self.results for miss in result.misses],
            "candidate_answer": self.run.final_response if self.run else None,
            "target": self.case.target or suite.target,
            "evaluator_results": [describe(result) for result in self.results],
            "trace_summary": None if self.run is None else _summarize(self.run),
            "error": self.cause,
        }
        if has_trace and self.run is not None:
            row["output_messages"] = write_run(self.run)["output_messages"]
        return {key: value for key, value in row.items() if value is not None or key == "score"}


def find_runs(cases: Iterable[EvalCase], recorded: Iterable[Imported]) -> Mapping[str, AgentTrace]:
    """Return the recorded run of each case: the one with its id, else with its input."""
    by_id: dict[str, AgentTrace] = {}
    by_input: dict[str, AgentTrace] = {}
    for entry in recorded:
        if entry.run is None:
            continue
        if entry.id is not None:
            by_id[entry.id] = entry.run
        if entry.run.input is not None:
            by_input.setdefault(entry.run.input.strip(), entry.run)
    found = {case.id: by_id.get(case.id) or by_input.get(case.question) for case in cases}
    return {case_id: run for case_id, run in found.items() if run is not None}


async def evaluate_suite(
    suite: EvalFile,
    *,
    folder: Path,
    runs: Mapping[str, AgentTrace],
    task: Task | None = None,
    judge: JudgeFunction | None = None,
    concurrency: int = 4,
) -> Sequence[CaseResult]:
    """Evaluate the cases, in their order. A case without a recorded run is run by `task`."""
    slots = asyncio.Semaphore(concurrency)

    async def complete(case: EvalCase) -> CaseResult:
        async with slots:
            return await _complete(case, runs.get(case.id), folder=folder, task=task, judge=judge)

    return await asyncio.gather(*map(complete, suite.cases))


async def _complete(
    case: EvalCase, run: AgentTrace | None, *, folder: Path, task: Task | None, judge: JudgeFunction | None
) -> CaseResult:
    if run is None and task is None:
        return CaseResult(case=case, run=None, cause="no recorded run has its id or its input, and no task runs it")
    try:
        run = run if run is not None else await _run(case, task)
    except (TaskFailed, NoRun) as error:
        return CaseResult(case=case, run=None, cause=str(error))
    results = await asyncio.to_thread(evaluate_case, case, run, folder=folder, judge=judge)
    return CaseResult(case=case, run=run, results=results)


async def _run(case: EvalCase, task: Task | None) -> AgentTrace:
    """Run the task on the input of a case. Raises TaskFailed and NoRun."""
    assert task is not None  # noqa: S101 - the caller has checked it
    began = time.perf_counter()
    with capture() as captured:
        returned = await call_task(task, case.input, timeout_s=_TIMEOUT_S)
    took_ms = (time.perf_counter() - began) * 1000
    run = find_run(DatasetItem(id=case.id, input=case.input), returned, captured)
    return run if run.duration_ms is not None else run.model_copy(update={"duration_ms": took_ms})


def _summarize(run: AgentTrace) -> JsonObject:
    """Return AgentV's summary of a run."""
    counts = Counter(call.name for call in run.trajectory)
    summary = {
        "event_count": len(run.trajectory),
        "tool_names": sorted(counts),
        "tool_calls_by_name": dict(counts),
        "error_count": sum(call.status == "error" for call in run.trajectory),
        "duration_ms": run.duration_ms,
    }
    return {key: value for key, value in summary.items() if value is not None}
