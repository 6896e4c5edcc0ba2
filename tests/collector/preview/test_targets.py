"""Runs are read in portions that the source can answer, and the newest that an evaluator would be given are chosen."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from tests.support import agent_spans
from tests.support.otlp import run_id, trace_id
from tests.support.store import Store, opened

from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.errors import Fault
from tracegrade.collector.preview.runs import Chosen, Selection, choose_runs
from tracegrade.collector.preview.targets import Targets
from tracegrade.collector.references.rules import References
from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.model import AgentTrace

LONG_AGO = datetime(2020, 1, 1)  # noqa: DTZ001 - UTC without a zone, as the store has it


def add_runs_by_minute(store: Store, *traces: int, talkative: int | None = None) -> None:
    """Runs, each a minute after the one before; of `talkative` many model calls are recorded."""
    for trace in traces:
        store.arrive(agent_spans.trip(trace))
        if trace == talkative:
            store.arrive(agent_spans.chat(number, parent=1, trace=trace) for number in range(20, 40))
    store.revise(*traces)
    with store.results.transaction() as connection:
        connection.execute("update agent_traces set started_at = started_at + to_minutes(right(trace_id, 4)::int)")


def loaded(store: Store, *traces: int, max_rows: int) -> tuple[list[str], list[int], list[str]]:
    """The runs that were loaded, how many at a time, and those that were too large."""
    targets = Targets(LocalSource(store.database, max_rows=max_rows).read, References())
    batches = list(targets.load(build({"use": "tool_error"}), [run_id(trace) for trace in traces]))
    runs = [trace for batch in batches for trace in batch]
    assert all(isinstance(trace, AgentTrace) and trace.tool_calls for trace in runs)
    return [trace.agent_trace_id for trace in runs], [len(batch) for batch in batches], targets.unread


def test_runs_are_loaded_whole(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_runs_by_minute(store, 1, 2, 3)
        assert loaded(store, 3, 2, 1, max_rows=1_000) == ([run_id(1), run_id(2), run_id(3)], [3], [])


def test_portion_that_does_not_fit_into_an_answer_is_divided(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_runs_by_minute(store, 1, 2, 3, 4)
        runs, sizes, unread = loaded(store, 1, 2, 3, 4, max_rows=8)
        assert (sorted(runs), unread) == ([run_id(1), run_id(2), run_id(3), run_id(4)], [])
        assert max(sizes) < 4


def test_run_that_is_too_large_by_itself_is_left_out_and_named(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_runs_by_minute(store, 1, 2, 3, talkative=2)
        runs, _, unread = loaded(store, 1, 2, 3, max_rows=10)
        assert (sorted(runs), unread) == ([run_id(1), run_id(3)], [run_id(2)])


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
