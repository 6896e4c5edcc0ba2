"""What a run and its sub-agents took together, each counted once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.otlp import trace_id
from tests.support.recordings import RECORDINGS
from tests.support.store import opened

from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Span
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.pricing.price_table import PriceTable
from tracegrade.evaluators.pricing.prices import Prices

PRICES = PriceTable({"gpt-4.1-mini": Prices(input_usd_per_million=10_000, output_usd_per_million=0)}, has_list=False)
"""A model call of 100 tokens costs one US dollar."""


def recording(span: Span, attributes: Mapping[str, Any]) -> Span:
    return replace(span, attributes={**span.attributes, **attributes})


def agent(
    first: int,
    name: str,
    *,
    parent: int | None,
    at_s: float,
    calls: int = 1,
    recorded: Mapping[str, Any] | None = None,
) -> list[Span]:
    """An agent that asks its model, and then its tool, `calls` times; its span has `recorded` these attributes."""
    top = recording(agent_spans.agent(first, name=name, parent=parent, at_s=at_s, for_s=100 - at_s), recorded or {})
    models = [agent_spans.chat(first + 1 + at, parent=first, at_s=at_s + at) for at in range(calls)]
    tools = [agent_spans.tool(first + 50 + at, "search", parent=first, at_s=at_s + at + 0.5) for at in range(calls)]
    return [top, *models, *tools]


def totals(run: AgentTrace) -> tuple[int | None, int | None, float | None, int | None]:
    return run.total_input_tokens, run.total_output_tokens, run.total_cost_usd, run.total_tool_call_count


def by_name(spans: list[Span]) -> dict[str | None, AgentTrace]:
    return {run.agent_name: run for run in assemble(spans, prices=PRICES)}


def test_totals_of_a_run_include_its_sub_agents_at_any_depth() -> None:
    runs = by_name(
        [
            *agent(100, "manager", parent=None, at_s=0, calls=2),
            *agent(200, "clerk", parent=150, at_s=1),
            *agent(300, "helper", parent=250, at_s=2, calls=3),
        ]
    )
    assert totals(runs["helper"]) == (300, 30, 3, 3)
    assert totals(runs["clerk"]) == (400, 40, 4, 4)
    assert totals(runs["manager"]) == (600, 60, 6, 6)
    assert (runs["manager"].input_tokens, runs["manager"].cost_usd) == (200, 2)


def test_totals_of_a_chain_deeper_than_trajectories_reach_count_every_call() -> None:
    chain = [
        span
        for depth in range(12)
        for span in agent(
            100 * (depth + 1), f"agent {depth}", parent=100 * depth + 50 if depth else None, at_s=float(depth)
        )
    ]
    assert totals(by_name(chain)["agent 0"]) == (1200, 120, 12, 12)


def test_totals_of_a_run_that_only_hands_over_are_those_of_its_agents() -> None:
    workflow = agent_spans.span(
        1, name="invoke_workflow desk", attributes={"gen_ai.operation.name": "invoke_workflow"}, for_s=99
    )
    runs = by_name(
        [workflow, *agent(100, "triage", parent=1, at_s=1), *agent(200, "clerk", parent=1, at_s=50, calls=2)]
    )
    assert runs["desk"].input_tokens is None
    assert totals(runs["desk"]) == (300, 30, 3, 3)


def test_total_that_an_agent_span_records_with_its_sub_agents_is_not_added_to_theirs() -> None:
    spent = {"gen_ai.usage.input_tokens": 500, "gen_ai.usage.output_tokens": 50}
    outer = recording(agent_spans.agent(100, name="manager", for_s=99), spent)
    runs = by_name([outer, *agent(200, "clerk", parent=100, at_s=1, calls=3)])
    assert runs["manager"].input_tokens is None
    assert totals(runs["manager"])[:2] == (500, 50)


def test_total_that_an_agent_span_records_beside_its_own_model_calls_is_not_added() -> None:
    spent = {"gen_ai.usage.input_tokens": 500, "gen_ai.usage.output_tokens": 50}
    runs = by_name(
        [*agent(100, "manager", parent=None, at_s=0, recorded=spent), *agent(200, "clerk", parent=100, at_s=1)]
    )
    assert totals(runs["manager"])[:2] == (200, 20)


def test_sub_agent_within_a_model_call_that_was_left_open_is_counted() -> None:
    runs = by_name([*agent(100, "manager", parent=None, at_s=0), *agent(200, "clerk", parent=101, at_s=0.1)])
    assert totals(runs["manager"]) == (200, 20, 2, 2)


def test_totals_are_the_sum_of_what_is_known() -> None:
    silent = [
        agent_spans.agent(300, name="silent", parent=100, at_s=60),
        agent_spans.tool(301, "book", parent=300, at_s=61),
    ]
    runs = by_name([*agent(100, "manager", parent=None, at_s=0), *silent])
    assert totals(runs["silent"]) == (None, None, None, 1)
    assert totals(runs["manager"]) == (100, 10, 1, 2)


def test_totals_of_every_recorded_run_without_sub_agents_are_its_own() -> None:
    runs = [
        run
        for recording in RECORDINGS
        for trace_id, spans in recording.spans.items()
        for run in assemble(spans, recording.logs_of(trace_id))
    ]
    parents = {run.parent_agent_trace_id for run in runs}
    alone = [run for run in runs if run.agent_trace_id not in parents]
    assert [totals(run) for run in alone] == [
        (run.input_tokens, run.output_tokens, run.cost_usd, len(run.tool_calls)) for run in alone
    ]


def test_sessions_with_turns_count_a_sub_agent_once_in_the_session_of_its_outermost_run(tmp_path: Path) -> None:
    first, second = {"gen_ai.conversation.id": "s1"}, {"gen_ai.conversation.id": "s2"}
    delegated = [
        *agent(100, "manager", parent=None, at_s=0, recorded=first),
        *agent(200, "clerk", parent=150, at_s=1, recorded=second),
        *agent(300, "helper", parent=250, at_s=2, recorded=first),
    ]
    later = [*agent(400, "clerk", parent=None, at_s=0, recorded=second)]
    with opened(tmp_path) as store:
        store.arrive(delegated)
        store.revise(1)
        query = "select session_id, turns, tool_call_count, tokens from sessions order by all"
        assert store.rows(query) == [("s1", 1, 3, 330), ("s2", 0, 2, 220)]
        store.arrive([replace(span, trace_id=trace_id(2)) for span in later])
        store.revise(2)
        assert store.rows(query) == [("s1", 1, 3, 330), ("s2", 1, 1, 110)]


def test_session_counts_calls_tokens_and_failures_of_all_its_runs_once(tmp_path: Path) -> None:
    of_session = {"gen_ai.conversation.id": "s1"}
    workflow = agent_spans.span(
        1, name="invoke_workflow desk", attributes={"gen_ai.operation.name": "invoke_workflow", **of_session}, for_s=99
    )
    failed = agent_spans.tool(90, "book", parent=100, at_s=5, status_code="error", status_message="no room")
    spans = [
        workflow,
        *agent(100, "triage", parent=1, at_s=1, recorded=of_session),
        *agent(200, "clerk", parent=1, at_s=50, calls=2, recorded=of_session),
        failed,
    ]
    with opened(tmp_path) as store:
        store.arrive(spans)
        store.revise(1)
        [row] = store.rows("select turns, tool_call_count, error_count, tokens, cost_usd from sessions")
        [(total,)] = store.rows("select total_cost_usd from agent_traces where parent_agent_trace_id is null")
    assert row == (1, 4, 1, 330, pytest.approx(total))


def test_tokens_of_a_session_that_records_none_are_not_known(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive([recording(agent_spans.agent(1), {"gen_ai.conversation.id": "s1"}), agent_spans.tool(2, parent=1)])
        store.revise(1)
        assert store.rows("select tool_call_count, tokens, cost_usd from sessions") == [(1, None, None)]
