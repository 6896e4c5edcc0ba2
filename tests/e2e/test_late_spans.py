"""Spans that come late, or again."""

from __future__ import annotations

from tests.support import agent_spans
from tests.support.otlp import run_id, trace_id
from tests.support.server import JUDGES, Server, new_trace


def test_late_child_raises_the_revision_and_supersedes_the_scores(server: Server) -> None:
    trace = new_trace()
    parent, *_, child = agent_spans.trip(trace)[:3]
    server.export([parent])
    assert server.scores(trace_id(trace))["tool_error"] is None

    server.export([child])
    assert server.scores(trace_id(trace), revision=2)["tool_error"] == 1

    of_run = f"from scores where trace_id = '{trace_id(trace)}'"
    active = server.rows(f"select evaluator, count(*) {of_run} and superseded_at is null group by evaluator")
    assert {evaluator: count for evaluator, count in active if evaluator in JUDGES} == dict.fromkeys(JUDGES, 1)
    superseded = server.rows(f"select evaluator {of_run} and superseded_at is not null and revision = 1")
    assert {evaluator for (evaluator,) in superseded} >= JUDGES
    run = f"select agent_trace_id, revision, tool_call_count from agent_traces where trace_id = '{trace_id(trace)}'"
    assert server.rows(run) == [[run_id(trace), 2, 1]]


def test_repeated_export_changes_nothing(server: Server) -> None:
    trace, later = new_trace(), new_trace()
    server.add_run(trace)
    repeated = server.figure('tracegrade_repeated_records_total{signal="traces"}')
    state = f"""select
        (select list(spans order by span_id)::varchar from spans where trace_id = '{trace_id(trace)}'),
        (select list(agent_traces)::varchar from agent_traces where trace_id = '{trace_id(trace)}'),
        (select list(scores order by score_id)::varchar from scores where trace_id = '{trace_id(trace)}')"""
    before = server.rows(state)

    server.export(agent_spans.trip(trace))
    server.add_run(later)

    assert server.rows(state) == before
    assert server.figure('tracegrade_repeated_records_total{signal="traces"}') == repeated + 4
