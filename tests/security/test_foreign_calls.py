"""A service that knows the id of a trace writes tool calls into somebody else's run: they are kept, and are not its."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans, otlp
from tests.support.assembled_runs import assemble_outermost
from tests.support.modules import working_in
from tests.support.simulation import Simulation

from tracegrade.collector.otlp.decode import decode_spans
from tracegrade.collector.spans.span import Span
from tracegrade.collector.spans.values import GAPS
from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.conversation import ConversationTrajectory
from tracegrade.evaluators.definition.function_path import import_function
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.model import AgentTrace, ToolCall

INTRUDER = {"service_name": "intruder"}
WRITTEN = agent_spans.tool(
    8, "transfer_money", parent=1, at_s=7, status_code="error", status_message="denied", **INTRUDER
)
ASKED = agent_spans.tool_call_message(("call_1", "search", {"to": "Paris"}))
ANSWERED = agent_spans.tool_response_message("call_1", "AF007")


def foreign(run: AgentTrace) -> list[str]:
    return [call.name for call in run.tool_calls if call.is_foreign]


def agents_own(*spans: Span) -> dict[str, Any]:
    """What is known of a run but for what others wrote into it."""
    told = assemble_outermost(*spans).model_dump(exclude={"gaps", "fingerprint"})
    return told | {"tool_calls": [call for call in told["tool_calls"] if not call["is_foreign"]]}


def requests(spans: Iterable[Span]) -> Iterable[bytes]:
    """An export from each service."""
    for service, sent in groupby(spans, key=lambda span: span.service_name):
        yield otlp.traces_request(map(otlp.from_plain, sent), resource={"service.name": service} if service else {})


def test_call_of_another_service_that_nobody_asked_for_is_kept_and_marked() -> None:
    run = assemble_outermost(*agent_spans.trip(), WRITTEN)
    assert [(call.name, call.is_foreign) for call in run.tool_calls] == [("search", False), ("transfer_money", True)]
    assert [call.name for call in run.trajectory] == ["search"]
    assert run.gaps == ("foreign_calls:intruder",)


@pytest.mark.parametrize("service", [None, ""], ids=["no-service", "empty-service"])
def test_span_that_names_no_service_is_not_the_agents(service: str | None) -> None:
    run = assemble_outermost(
        *agent_spans.trip(), agent_spans.tool(8, "transfer_money", parent=1, at_s=7, service_name=service)
    )
    assert foreign(run) == ["transfer_money"]
    assert run.gaps == ("foreign_calls",)


def test_gaps_name_few_services_by_short_names() -> None:
    written = [agent_spans.tool(10 + each, parent=1, at_s=7, service_name=f"{each}" * 10_000) for each in range(100)]
    run = assemble_outermost(*agent_spans.trip(), *written)
    assert len(foreign(run)) == 100
    assert sum(map(len, run.gaps)) < 2_000


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(WRITTEN, id="failed-and-last"),
        pytest.param(agent_spans.tool(8, "wait", parent=1, at_s=60, **INTRUDER), id="after-its-end"),
        pytest.param(
            agent_spans.tool(8, "ask", parent=1, attributes={GAPS: ["truncated"]}, **INTRUDER), id="with-a-gap"
        ),
    ],
)
@pytest.mark.parametrize(
    "spans",
    [
        pytest.param(agent_spans.trip(), id="with-spans-of-tools"),
        pytest.param(
            [
                agent_spans.agent(1),
                agent_spans.chat(2, parent=1, at_s=1, hears=[agent_spans.text_message("user", "Where?")], says=[ASKED]),
                agent_spans.chat(
                    4,
                    parent=1,
                    at_s=5,
                    hears=[ASKED, ANSWERED],
                    says=[agent_spans.text_message("assistant", "Take AF007.")],
                ),
            ],
            id="messages-alone",
        ),
        pytest.param(
            [agent_spans.agent(1), *agent_spans.trip(first=2, parent=1, name="flights")], id="only-sub-agents"
        ),
        pytest.param(
            [agent_spans.agent(1, status_code="unset"), agent_spans.chat(2, parent=1, status_code="error")], id="failed"
        ),
    ],
)
def test_what_another_service_writes_changes_nothing_else_of_a_run(spans: list[Span], written: Span) -> None:
    assert agents_own(*spans, written) == agents_own(*spans)


@pytest.mark.parametrize("at_s", [1.5, 2.5], ids=["before", "at-the-same-time"])
def test_agents_own_span_is_believed_before_that_of_another_service(at_s: float) -> None:
    copy = agent_spans.tool(
        8, parent=1, at_s=at_s, args={"to": "Paris"}, result="nothing", call_id="call_1", **INTRUDER
    )
    [call] = assemble_outermost(*agent_spans.trip(), copy).trajectory
    assert (call.result, call.source) == ("AF007", "both")


def test_call_that_the_model_asked_for_counts_when_only_the_tool_server_recorded_it() -> None:
    spans = [
        agent_spans.agent(1),
        agent_spans.chat(2, parent=1, at_s=1, says=[ASKED]),
        agent_spans.tool(3, parent=1, at_s=3, args={"to": "Paris"}, result="AF007", service_name="flights-mcp"),
    ]
    [call] = assemble_outermost(*spans).tool_calls
    assert (call.source, call.result, call.is_foreign) == ("both", "AF007", False)


def test_call_of_a_sub_agent_in_another_service_counts() -> None:
    below = [span_in("flights", span) for span in agent_spans.trip(first=11, parent=1, name="flights")]
    run = assemble_outermost(agent_spans.agent(1), *below)
    assert [(call.name, call.is_foreign) for call in run.tool_calls] == [("search", False)]
    assert run.gaps == ()


def test_calls_of_a_remote_agent_count_where_its_caller_does_nothing_else() -> None:
    remote = [
        agent_spans.agent(2, parent=1, at_s=0.1, for_s=9),
        agent_spans.tool(3, parent=2, at_s=3, args={}, result="AF007"),
    ]
    run = assemble_outermost(agent_spans.agent(1, service_name="front"), *(span_in("back", span) for span in remote))
    assert foreign(run) == []


def span_in(service: str, span: Span) -> Span:
    return Span(**{**vars(span), "service_name": service})


RUN = AgentTrace(
    agent_trace_id="t-1",
    tool_calls=(
        ToolCall(name="transfer_money", error="denied", status="error", is_foreign=True),
        ToolCall(name="search", args={}, result="AF007"),
    ),
)


def test_evaluator_of_runs_does_not_see_foreign_calls() -> None:
    [score] = evaluate(build({"use": "tool_error"}), RUN)
    assert score.value == 1.0


def test_evaluator_of_sessions_does_not_see_foreign_calls() -> None:
    [score] = evaluate(build({"use": "tool_error", "scope": "session"}), ConversationTrajectory.of([RUN]))
    assert score.value == 1.0


def test_evaluator_sees_foreign_calls_that_it_asks_for() -> None:
    asks = build({"use": "tool_error", "include_foreign_calls": True})
    [score] = evaluate(asks, RUN)
    assert (score.value, asks.config_hash != build({"use": "tool_error"}).config_hash) == (0.5, True)


def test_score_of_a_call_stands_at_its_place_among_all_of_them(tmp_path: Path) -> None:
    with working_in(tmp_path, rules="def by_call(run): return [call.error is None for call in run.tool_calls]"):
        scores = evaluate(build({"python": "rules:by_call", "scope": "tool_call"}, resolve=import_function), RUN)
    assert [(score.target_id, score.value) for score in scores] == [("t-1#1", 1.0)]


def test_foreign_calls_do_not_count_in_the_store(tmp_path: Path) -> None:
    simulation = Simulation(tmp_path, build({"use": "tool_error"}))
    try:
        for request in requests([*agent_spans.trip(), WRITTEN]):
            simulation.arrive(decode_spans(request).rows)
        simulation.wait(120)
        store = simulation.store
        assert store.rows("select name, is_foreign from tool_calls order by position") == [
            ("search", False),
            ("transfer_money", True),
        ]
        assert store.rows("select tool_call_count, total_tool_call_count, error_count, gaps from agent_traces") == [
            (1, 1, 0, '["foreign_calls:intruder"]')
        ]
        assert store.rows("select value from latest_scores") == [(1.0,)]
    finally:
        simulation.close()
