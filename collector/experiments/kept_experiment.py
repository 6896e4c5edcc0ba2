"""Runs what is missing of an experiment that is kept in a store, and keeps it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.experiments.result import ExperimentResult
from tracegrade.evaluators.model import AgentTrace
from tracegrade.queries.catalog import statement
from tracegrade.queries.ports import ExperimentRuns, RecordedRun

from ..client.experiments import read_experiment
from ..client.query import Read, all_rows, split
from ..client.settings import load_settings
from ..clock import utc_now
from ..otlp.experiment_mark import EXPERIMENT_ID
from ..otlp.signal import Signal
from ..run_spans import write_runs
from ..store.engines.arrow import listed
from ..worker.client import JudgeCalls
from .deferred_evaluations import complete_runs, find_missing
from .execution import Finished, OnFinished
from .keeper import Kept, keeping
from .plan import Pair, Plan
from .start import make_start
from .store import Body, ExperimentStore, open_experiment_store

__all__ = ["Execute", "opening", "run_kept"]

Execute: TypeAlias = Callable[[Sequence[Pair], OnFinished, JudgeCalls], Awaitable[Sequence[ExperimentRun]]]
"""Runs pairs, and gives each run that is evaluated to the function; the calls keep the answers of judges."""

_PORTION: Final = 1_000


@asynccontextmanager
async def opening(url: str | Path | None, opened: ExperimentStore | None) -> AsyncIterator[ExperimentStore]:
    """Yield the `opened` store; without one, that at `url`."""
    if opened is not None:
        yield opened
        return
    async with open_experiment_store(load_settings(None, store=str(url))) as store:
        yield store


async def run_kept(plan: Plan, store: ExperimentStore, execute: Execute) -> ExperimentResult:
    """Run what the store does not have of an experiment, and keep it; return the whole result.

    Evaluations that were deferred when a run was stored are repeated. The experiment ends once none is deferred.
    Raises what the store raises. What was kept until then stays, and the same experiment continues with the rest.
    """
    begun = await store.begin(make_start(plan))
    experiment_id = begun.experiment_id
    done = {(key.item_id, key.repeat) for key in begun.done}
    stored = await asyncio.to_thread(read_experiment, store.read, experiment_id)
    known = await asyncio.to_thread(_find_stored, store.read, plan.recorded.values())
    calls = store.judge_calls(experiment_id)
    async with keeping(store, experiment_id) as keeper:

        async def keep(finished: Finished) -> None:
            bodies = await asyncio.to_thread(_collect_spans, finished, experiment_id, known)
            await keeper.keep(Kept(RecordedRun.of(finished.run, finished.pair.position), bodies))

        earlier = await complete_runs(plan, stored.runs, store.read, calls, keeper)
        new = await execute([pair for pair in plan.pairs if pair.key not in done], keep, calls)
    runs = {(run.item.id, run.repeat): run for run in (*earlier, *new)}
    order = sorted(plan.pairs, key=lambda pair: (pair.position, pair.repeat))
    result = replace(stored, runs=tuple(runs[pair.key] for pair in order), ended_at=utc_now())
    if any(find_missing(plan, run) for run in result.runs):
        return replace(result, ended_at=None)
    await store.record(ExperimentRuns(experiment_id=experiment_id, is_last=True))
    return result


def _find_stored(read: Read, runs: Collection[AgentTrace]) -> frozenset[str]:
    """Return the ids of those of these runs that the store has."""
    ids = [run.agent_trace_id for run in runs if run.agent_trace_id]
    return frozenset(
        row["agent_trace_id"]
        for part in split(ids, _PORTION)
        for row in all_rows(read, statement("runs_without_content"), agent_trace_ids=listed(part))
    )


def _collect_spans(finished: Finished, experiment_id: str, known: Collection[str]) -> list[Body]:
    """Return the export requests with the spans of a run: those that were captured, else the run written as spans."""
    marks = {EXPERIMENT_ID: experiment_id}
    recorded = {run.agent_trace_id for run in finished.captured.runs}
    bodies = list(finished.captured.export_requests(marks)) if recorded else []
    run = finished.run.run
    if run is not None and run.agent_trace_id not in {*recorded, *known}:
        seed = f"{experiment_id} {finished.pair.item.id} {finished.pair.repeat}"
        bodies.append((Signal.TRACES, write_runs([run], at=utc_now(), seed=seed, resource=marks)))
    return bodies
