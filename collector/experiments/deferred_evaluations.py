"""Repeats the evaluations of stored runs that were deferred, because a judge could not be asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.experiments.expected_run import expect
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.model import AgentTrace
from tracegrade.queries.ports import RecordedRun

from ..client.query import Read
from ..client.targets import Targets
from ..references.rules import References
from ..worker.client import JudgeCalls
from .evaluation import evaluating
from .keeper import Keeper, Kept
from .plan import Plan

__all__ = ["complete_runs", "find_missing"]


async def complete_runs(
    plan: Plan, runs: Sequence[ExperimentRun], read: Read, calls: JudgeCalls, keeper: Keeper
) -> Sequence[ExperimentRun]:
    """Evaluate stored runs with the evaluators that ask a judge and have no score on them; return all runs.

    The new scores are kept. A run that is not assembled yet stays as it is.
    """
    lacking = {run.agent_trace_id: missing for run in runs if (missing := find_missing(plan, run))}
    if not lacking:
        return runs
    positions = {item.id: position for position, item in enumerate(plan.dataset)}
    traces = await asyncio.to_thread(_load_runs, read, [key for key in lacking if key is not None])
    completed = []
    async with evaluating(plan, calls) as evaluation:
        for run in runs:
            trace = traces.get(run.agent_trace_id or "")
            missing = lacking.get(run.agent_trace_id, ())
            if trace is None or not missing:
                completed.append(run)
                continue
            evaluated = await evaluation.evaluate(expect(trace, run.item.defined, "dataset"), missing)
            scores = (*run.scores, *evaluated.scores)
            of_item = replace(run, run=trace, scores=scores, deferred=tuple(evaluated.deferred))
            completed.append(of_item)
            await keeper.keep(Kept(RecordedRun.of(of_item, positions[run.item.id])))
    return completed


def find_missing(plan: Plan, run: ExperimentRun) -> Sequence[Configured]:
    """Return the evaluators that ask a judge and have no score on a completed run."""
    if run.status == "error" or not plan.judges:
        return ()
    scored = {score.evaluator for score in run.scores}
    asking = [each for each in plan.evaluators if each.kind == "llm" and not each.only_with_reference]
    return [each for each in asking if each.name not in scored]


def _load_runs(read: Read, agent_trace_ids: Iterable[str]) -> Mapping[str, AgentTrace]:
    batches = Targets(read, References()).load("trace", list(agent_trace_ids))
    return {run.agent_trace_id: run for batch in batches for run in batch}
