"""Runs are read in portions that the source can answer."""

from __future__ import annotations

from pathlib import Path

from tests.support import agent_spans
from tests.support.otlp import run_id
from tests.support.store import Store, opened

from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.client.targets import Targets
from tracegrade.collector.references.rules import References
from tracegrade.evaluators.model import AgentTrace


def add_runs(store: Store, *traces: int, talkative: int | None = None) -> None:
    """Runs; of `talkative` many model calls are recorded."""
    for trace in traces:
        store.arrive(agent_spans.trip(trace))
        if trace == talkative:
            store.arrive(agent_spans.chat(number, parent=1, trace=trace) for number in range(20, 40))
    store.revise(*traces)


def loaded(store: Store, *traces: int, max_rows: int) -> tuple[list[str], list[int], list[str]]:
    """The runs that were loaded, how many at a time, and those that were too large."""
    targets = Targets(LocalSource(store.database, max_rows=max_rows).read, References())
    batches = list(targets.load("trace", [run_id(trace) for trace in traces]))
    runs = [trace for batch in batches for trace in batch]
    assert all(isinstance(trace, AgentTrace) and trace.tool_calls for trace in runs)
    return [trace.agent_trace_id for trace in runs], [len(batch) for batch in batches], targets.unread


def test_runs_are_loaded_whole(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_runs(store, 1, 2, 3)
        assert loaded(store, 3, 2, 1, max_rows=1_000) == ([run_id(1), run_id(2), run_id(3)], [3], [])


def test_portion_that_does_not_fit_into_an_answer_is_divided(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_runs(store, 1, 2, 3, 4)
        runs, sizes, unread = loaded(store, 1, 2, 3, 4, max_rows=8)
        assert (sorted(runs), unread) == ([run_id(1), run_id(2), run_id(3), run_id(4)], [])
        assert max(sizes) < 4


def test_run_that_is_too_large_by_itself_is_left_out_and_named(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_runs(store, 1, 2, 3, talkative=2)
        runs, _, unread = loaded(store, 1, 2, 3, max_rows=10)
        assert (sorted(runs), unread) == ([run_id(1), run_id(3)], [run_id(2)])
