"""Experiments in a store, their runs and the scores on these."""

from __future__ import annotations

from typing import Any

from tracegrade.collector.otlp.experiment_mark import EXPERIMENT_ID
from tracegrade.collector.records.arrow_batch import table
from tracegrade.collector.records.row_mapping import score_row
from tracegrade.collector.store.engines.arrow import registered
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import score_of_experiment, score_record
from tracegrade.evaluators.model import AgentTrace, Score

from . import agent_spans, otlp
from .store import Store

__all__ = ["EXPERIMENT", "add_experiment_runs", "insert_experiment", "mark", "score_in_experiment"]

EXPERIMENT = "5f0c"

_INSERT = """
insert into experiments by name
select $experiment_id as experiment_id, 'new prompt' as name, 2 as items, 1 as repeats, '[]' as evaluators,
    'agent.py' as task, '{}' as metadata, 'ada' as author, 'plan' as plan_hash, $now as started_at
"""


def insert_experiment(store: Store, experiment_id: str = EXPERIMENT) -> None:
    """An experiment that has begun."""
    with store.results.transaction() as connection:
        connection.execute(_INSERT, {"experiment_id": experiment_id, "now": store.now()})


def mark(experiment_id: str = EXPERIMENT) -> dict[str, Any]:
    """The resource of the spans of an experiment."""
    return {"service.name": "tests", EXPERIMENT_ID: experiment_id}


def add_experiment_runs(store: Store, *traces: int, experiment_id: str = EXPERIMENT, **trip: Any) -> None:
    """Commits and assembles a run of an experiment in each of these traces: a `trip`, with these options."""
    for number in traces:
        store.arrive(agent_spans.trip(number, **trip), resource=mark(experiment_id))
    store.revise(*traces)


def score_in_experiment(
    store: Store, evaluator: Configured, *, trace: int = 1, value: float = 1.0, experiment_id: str = EXPERIMENT
) -> None:
    """Stores the score that an experiment gave to the run of a trace."""
    agent_trace_id = otlp.run_id(trace)
    (started_at, span_id), *_ = store.rows(
        "select started_at, agent_span_id from agent_traces where agent_trace_id = $id", id=agent_trace_id
    ) or [(store.now(), otlp.span_id(1))]
    run = AgentTrace(
        agent_trace_id=agent_trace_id,
        trace_id=otlp.trace_id(trace),
        agent_span_id=span_id,
        started_at=started_at,
        experiment_id=experiment_id,
    )
    record = score_record(evaluator, run, Score(value=value), scored_at=store.now())
    row = score_row(score_of_experiment(record, experiment_id))
    scores = table([row], store.results.schemas["scores"])
    with store.results.transaction() as connection, registered(connection, "given_scores", scores):
        connection.execute("insert into scores by name select * from given_scores")
