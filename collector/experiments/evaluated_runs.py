"""Keeps runs that were evaluated elsewhere, such as in tests, as an experiment."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import orjson

from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.queries.ports import EvaluatorForm, ExperimentRuns, ExperimentStart, RecordedRun

from ..clock import utc_now
from ..otlp.experiment_mark import EXPERIMENT_ID
from ..otlp.resource_attribute import with_resource_attributes
from ..otlp.signal import Signal
from ..run_spans import write_runs
from .keeper import Kept, keeping
from .store import Body, ExperimentStore
from .stored_runs import find_stored_runs

__all__ = ["EvaluatedRun", "keep_experiment"]


@dataclass(frozen=True, slots=True)
class EvaluatedRun:
    """A run with its scores, and the export requests with its spans.

    `requests` is None if no spans were captured: the run is then written as spans, unless the store has it. It is empty
    if those of an earlier run contain its spans.
    """

    run: ExperimentRun
    requests: Sequence[Body] | None


async def keep_experiment(
    store: ExperimentStore, name: str, runs: Sequence[EvaluatedRun], *, task: str, author: str = "anonymous"
) -> str:
    """Keep the runs as a new experiment, which ends with them; return its id. `task` says what was run, in words.

    Items are in the order in which they first occur. Raises ValueError if there is no run, or none with a score, or if
    the store cannot hold one, and Fault if it does not take them.
    """
    positions = _number_items(run.run for run in runs)
    recorded = [RecordedRun.of(run.run, positions[run.run.item.id]) for run in runs]
    begun = await store.begin(_make_start(name, recorded, task=task, author=author))
    ids = [run.run.agent_trace_id for run in runs if run.requests is None and run.run.agent_trace_id is not None]
    known = await asyncio.to_thread(find_stored_runs, store.read, ids)
    async with keeping(store, begun.experiment_id) as keeper:
        for run, record in zip(runs, recorded, strict=True):
            await keeper.keep(Kept(record, _collect_requests(run, begun.experiment_id, known)))
    await store.record(ExperimentRuns(experiment_id=begun.experiment_id, is_last=True))
    return begun.experiment_id


def _number_items(runs: Iterable[ExperimentRun]) -> dict[str, int]:
    ids = dict.fromkeys(run.item.id for run in runs)
    return {item_id: position for position, item_id in enumerate(ids)}


def _make_start(name: str, runs: Sequence[RecordedRun], *, task: str, author: str) -> ExperimentStart:
    forms = {
        (score.evaluator, score.evaluator_version, score.config_hash): EvaluatorForm(
            name=score.evaluator, version=score.evaluator_version, config_hash=score.config_hash
        )
        for run in runs
        for score in run.scores
    }
    plan = [[run.item.id, run.item.hash, run.repeat] for run in runs], sorted(forms)
    return ExperimentStart(
        name=name,
        items=len({run.item.id for run in runs}),
        repeats=max((run.repeat + 1 for run in runs), default=1),
        evaluators=tuple(forms.values()),
        task=task,
        author=author,
        plan_hash=hashlib.sha256(orjson.dumps(plan)).hexdigest()[:16],
        is_new=True,
    )


def _collect_requests(run: EvaluatedRun, experiment_id: str, known: Collection[str]) -> list[Body]:
    """Return the export requests with the spans of a run, as those of the experiment."""
    marks = {EXPERIMENT_ID: experiment_id}
    if run.requests is not None:
        return [(signal, with_resource_attributes(body, marks)) for signal, body in run.requests]
    if run.run.run is None or run.run.agent_trace_id in known:
        return []
    seed = f"{experiment_id} {run.run.item.id} {run.run.repeat}"
    return [(Signal.TRACES, write_runs([run.run.run], at=utc_now(), seed=seed, resource=marks))]
