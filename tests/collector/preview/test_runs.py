"""A preview evaluates the newest runs that its evaluator would receive."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from tests.support.otlp import run_id, trace_id
from tests.support.store import Store, opened
from tests.support.stored_experiments import EXPERIMENT, add_experiment_runs, insert_experiment

from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.errors import Fault
from tracegrade.collector.preview.runs import Chosen, Selection, choose_runs
from tracegrade.evaluators.catalog.build import build

LONG_AGO = datetime(2020, 1, 1)  # noqa: DTZ001 - UTC without a zone, as the store has it


def add_runs_by_minute(store: Store, *traces: int) -> None:
    """Runs, each a minute after the one before."""
    store.add_runs(*traces)
    with store.results.transaction() as connection:
        connection.execute("update agent_traces set started_at = started_at + to_minutes(right(trace_id, 4)::int)")


def chosen(store: Store, *, when: str | None = None, **selection: object) -> Chosen:
    read = LocalSource(store.database, max_rows=1_000).read
    evaluator = build({"use": "tool_error", "when": when})
    return choose_runs(read, evaluator, Selection(**{"since": LONG_AGO, **selection}))  # type: ignore[arg-type]


def test_newest_runs_come_first_and_all_are_counted(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_runs_by_minute(store, 1, 2, 3)
        chosen_runs = chosen(store, limit=2)
        assert (chosen_runs.agent_trace_ids, chosen_runs.matching) == ([run_id(3), run_id(2)], 3)
        began = store.one("select max(started_at) from agent_traces")
        assert chosen(store, since=began).agent_trace_ids == [run_id(3)]


def test_runs_are_those_of_production_unless_an_experiment_is_named(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store)
        add_runs_by_minute(store, 1)
        add_experiment_runs(store, 2)
        assert chosen(store).agent_trace_ids == [run_id(1)]
        assert chosen(store, experiment_id=EXPERIMENT).agent_trace_ids == [run_id(2)]


def test_older_runs_are_looked_for_where_when_leaves_newer_ones_out(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_runs_by_minute(store, 1, 2, 3, 4)
        chosen_runs = chosen(store, when=f"trace_id in ('{trace_id(1)}', '{trace_id(3)}')", limit=2)
        assert (chosen_runs.agent_trace_ids, chosen_runs.matching, chosen_runs.examined) == (
            [run_id(3), run_id(1)],
            4,
            4,
        )


def test_when_that_fails_on_one_run_costs_the_others_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_runs_by_minute(store, 1, 2, 3)
        chosen_runs = chosen(store, when=f"if(trace_id = '{trace_id(2)}', error('odd'), true)")
        assert chosen_runs.agent_trace_ids == [run_id(3), run_id(1)]
        assert list(chosen_runs.undecided) == [run_id(2)]


def test_where_is_not_tried_on_runs_before_since(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_runs_by_minute(store, 1, 2)
        began = store.one("select max(started_at) from agent_traces")
        condition = f"if(trace_id = '{trace_id(1)}', error('odd'), true)"
        assert chosen(store, since=began, where=condition).agent_trace_ids == [run_id(2)]
        with pytest.raises(Fault, match="the condition --where cannot be used"):
            chosen(store, where=condition)
