"""Runs of several agents: workflows in which they take turns, hand-offs, and work that stands beside its agent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.recordings import RECORDINGS

from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Span
from tracegrade.evaluators.model import AgentTrace


def workflow(number: int, *, name: str = "booking", **more: Any) -> Span:
    attributes = {"gen_ai.operation.name": "invoke_workflow"}
    return agent_spans.span(number, name=f"invoke_workflow {name}", attributes=attributes, for_s=60, **more)


def turn(first: int, agent: str, tool: str, *, at_s: float, parent: int | None) -> list[Span]:
    """An agent's turn: it asks for one tool, which runs, and says its own name."""
    asks = agent_spans.tool_call_message((f"call_{first}", tool, {"by": agent}))
    turns = [agent_spans.text_message("user", f"For {agent}")]
    return [
        agent_spans.agent(first, name=agent, parent=parent, at_s=at_s, for_s=10),
        agent_spans.chat(first + 1, parent=first, at_s=at_s + 1, hears=turns, says=[asks]),
        agent_spans.tool(first + 2, tool, parent=first, at_s=at_s + 3, args={"by": agent}, result="done"),
        agent_spans.chat(
            first + 3,
            parent=first,
            at_s=at_s + 5,
            hears=turns,
            says=[agent_spans.text_message("assistant", f"{agent} says")],
        ),
    ]


def relay(*, over: Span | None) -> list[Span]:
    above = None if over is None else int(over.span_id, 16)
    spans = [
        *turn(11, "triage", "look_up", at_s=1, parent=above),
        *turn(21, "clerk", "book", at_s=20, parent=above),
    ]
    return spans if over is None else [over, *spans]


def names(trace: AgentTrace) -> list[str]:
    return [call.name for call in trace.tool_calls]


def test_workflow_in_which_agents_take_turns_is_a_run_with_the_trajectory_of_all() -> None:
    whole, triage, clerk = assemble(relay(over=workflow(1)))
    assert (whole.agent_name, triage.agent_name, clerk.agent_name) == ("booking", "triage", "clerk")
    assert names(whole) == ["look_up", "book"]
    assert [call.agent_name for call in whole.tool_calls] == ["triage", "clerk"]
    assert (names(triage), names(clerk)) == (["look_up"], ["book"])
    assert {triage.parent_agent_trace_id, clerk.parent_agent_trace_id} == {whole.agent_trace_id}


def test_call_in_the_trajectory_of_a_workflow_names_the_run_that_made_it() -> None:
    whole, triage, clerk = assemble(relay(over=workflow(1)))
    assert [call.child_agent_trace_id for call in whole.tool_calls] == [triage.agent_trace_id, clerk.agent_trace_id]
    assert {call.child_agent_trace_id for call in (*triage.tool_calls, *clerk.tool_calls)} == {None}


def test_workflow_was_asked_what_its_first_agent_was_asked_and_answers_what_its_last_one_does() -> None:
    whole, *_ = assemble(relay(over=workflow(1)))
    assert (whole.input, whole.final_response) == ("For triage", "clerk says")


def test_tokens_of_a_workflow_are_counted_in_its_agents_alone() -> None:
    spent = {"gen_ai.operation.name": "invoke_workflow", "gen_ai.usage.input_tokens": 400}
    runs = assemble(relay(over=agent_spans.span(1, attributes=spent, for_s=60)))
    assert [run.input_tokens for run in runs] == [None, 200, 200]


def test_inner_of_two_workflows_around_the_same_agents_is_the_run() -> None:
    inner = workflow(2, name="inner", parent=1)
    runs = assemble([workflow(1, name="outer"), *relay(over=inner)])
    assert [run.agent_name for run in runs] == ["inner", "triage", "clerk"]


@pytest.mark.parametrize(
    "spans",
    [
        pytest.param(relay(over=None), id="no-workflow"),
        pytest.param(relay(over=agent_spans.span(1, name="POST /chat", for_s=60)), id="web-request"),
        pytest.param(
            [
                workflow(1),
                *turn(11, "clerk", "book", at_s=1, parent=1),
                *turn(21, "clerk", "book", at_s=20, parent=1),
            ],
            id="same-agent-again",
        ),
    ],
)
def test_agents_that_do_not_take_turns_in_a_workflow_are_runs_of_their_own(spans: list[Span]) -> None:
    runs = assemble(spans)
    assert [names(run) for run in runs] in ([["look_up"], ["book"]], [["book"], ["book"]])
    assert {run.parent_agent_trace_id for run in runs} == {None}


def test_agent_that_calls_another_keeps_its_own_trajectory_and_has_also_what_the_other_did() -> None:
    outer = turn(11, "manager", "delegate", at_s=1, parent=None)
    inner = turn(21, "clerk", "book", at_s=4, parent=13)
    manager, clerk = assemble([*outer, agent_spans.tool(15, "notify", parent=11, at_s=9), *inner])
    assert (names(manager), names(clerk)) == (["delegate", "book", "notify"], ["book"])
    assert [call.name for call in manager.trajectory] == ["delegate", "notify"]
    assert [call.child_agent_trace_id for call in manager.tool_calls] == [None, clerk.agent_trace_id, None]
    assert manager.tool_calls[1].agent_name == "clerk"


def test_agents_within_agents_are_taken_over_by_the_outermost_few_of_them() -> None:
    spans = [
        span
        for number in range(1, 60, 2)
        for span in (
            agent_spans.agent(
                number, name=f"agent {number}", parent=number - 2 if number > 1 else None, for_s=100 - number
            ),
            agent_spans.tool(number + 1, f"tool {number}", parent=number, at_s=0.1),
        )
    ]
    counts = [len(run.tool_calls) for run in sorted(assemble(spans), key=lambda run: int(run.agent_span_id, 16))]
    assert counts[0] == 9
    assert counts[-1] == 1
    assert sum(counts) < 3 * len(spans)


def test_call_that_was_answered_by_an_agent_of_its_own_ran_though_no_span_is_its() -> None:
    question, asks = (
        agent_spans.text_message("user", "Book"),
        agent_spans.tool_call_message(("call_1", "hotel_agent", {}), ("call_2", "search", {})),
    )
    outer = [
        agent_spans.agent(1, name="travel", for_s=60),
        agent_spans.chat(2, parent=1, at_s=1, hears=[question], says=[asks]),
        agent_spans.tool(3, "search", parent=1, at_s=3, call_id="call_2", args={}, result="AF007"),
        agent_spans.chat(
            4,
            parent=1,
            at_s=30,
            hears=[
                question,
                asks,
                agent_spans.tool_response_message("call_1", "Booked"),
                agent_spans.tool_response_message("call_2", "AF007"),
            ],
            says=[agent_spans.text_message("assistant", "Done.")],
        ),
    ]
    runs = assemble([*outer, *turn(11, "Hotel agent", "book", at_s=5, parent=1)])
    [travel] = [run for run in runs if run.agent_name == "travel"]
    hotel, _ = travel.trajectory
    assert (hotel.name, hotel.status, hotel.duration_ms) == ("hotel_agent", "ok", None)


def test_work_beside_an_agent_without_spans_of_its_own_is_that_agents() -> None:
    spans = [
        agent_spans.agent(1, name="team", for_s=60),
        agent_spans.agent(2, name="clerk", parent=1, at_s=1, for_s=20),
        agent_spans.span(3, name="execute_task clerk", parent=1, at_s=2, for_s=18),
        agent_spans.chat(4, parent=3, at_s=3, says=[agent_spans.tool_call_message(("call_1", "book", {}))]),
        agent_spans.tool(5, "book", parent=3, at_s=5, call_id="call_1", args={}, result="done"),
    ]
    team, clerk = assemble(spans)
    assert names(clerk) == ["book"]
    assert [call.child_agent_trace_id for call in team.tool_calls] == [clerk.agent_trace_id]


@pytest.mark.parametrize(
    "beside",
    [
        pytest.param(agent_spans.span(3, parent=1, at_s=15, for_s=20), id="outlasts-it"),
        pytest.param(agent_spans.agent(3, name="other", parent=1, at_s=2, for_s=10), id="agent-itself"),
    ],
)
def test_what_is_not_done_within_the_agents_time_or_by_another_agent_is_not_its_work(beside: Span) -> None:
    spans = [
        agent_spans.agent(1, name="team", for_s=60),
        agent_spans.agent(2, name="clerk", parent=1, at_s=1, for_s=20),
        beside,
        agent_spans.chat(4, parent=3, at_s=16, for_s=1),
    ]
    [clerk] = [run for run in assemble(spans) if run.agent_name == "clerk"]
    assert clerk.llm_calls == ()


def test_agent_that_worked_within_a_tool_call_of_its_name_was_called_by_it_though_it_stands_beside() -> None:
    caller = turn(11, "manager", "hotel_agent", at_s=1, parent=1)
    caller[2] = agent_spans.tool(13, "hotel_agent", parent=11, at_s=4, for_s=12, args={"by": "manager"}, result="done")
    beside = turn(21, "Hotel Agent", "book", at_s=5, parent=1)
    manager, hotel = assemble([workflow(1), *caller, *beside])
    assert (manager.agent_name, hotel.parent_agent_trace_id) == ("manager", manager.agent_trace_id)
    assert (names(manager), names(hotel)) == (["hotel_agent", "book"], ["book"])


def test_agents_that_each_seem_to_have_called_the_other_are_told_all_the_same() -> None:
    def pair(first: int, name: str, other: str) -> list[Span]:
        return [
            agent_spans.agent(first, name=name, parent=1),
            agent_spans.tool(first + 1, other, parent=first, for_s=10),
        ]

    assert len(assemble([workflow(1), *pair(11, "left", "right"), *pair(21, "right", "left")])) >= 2


def test_model_and_tool_that_a_workflow_calls_beside_an_agent_are_its_own() -> None:
    router = agent_spans.chat(2, parent=1, at_s=1, says=[agent_spans.tool_call_message(("call_9", "route", {}))])
    routing = agent_spans.tool(3, "route", parent=1, at_s=3, call_id="call_9", args={}, result="clerk")
    whole, clerk = assemble([workflow(1), router, routing, *turn(11, "clerk", "book", at_s=6, parent=1)])
    assert (names(whole), names(clerk)) == (["route", "book"], ["book"])
    assert [call.name for call in whole.trajectory] == ["route"]
    assert clerk.parent_agent_trace_id == whole.agent_trace_id


def test_model_that_is_called_beside_an_agent_in_a_web_request_is_a_run_of_its_own() -> None:
    request = agent_spans.span(1, name="POST /chat", for_s=60)
    guard = agent_spans.chat(2, parent=1, at_s=1, says=[agent_spans.text_message("assistant", "safe")])
    runs = assemble([request, guard, *turn(11, "clerk", "book", at_s=6, parent=1)])
    assert [(run.final_response, run.parent_agent_trace_id) for run in runs] == [("safe", None), ("clerk says", None)]


def test_session_that_only_the_applications_own_span_names_is_that_of_the_run() -> None:
    request = agent_spans.span(1, name="POST /chat", for_s=60, attributes={"session.id": "s-1", "user.id": "u-1"})
    [run] = assemble([request, *turn(11, "clerk", "book", at_s=6, parent=1)])
    assert (run.session_id, run.user_id) == ("s-1", "u-1")


def test_agent_without_a_name_that_was_called_as_a_tool_is_called_as_the_tool_is() -> None:
    outer = turn(11, "manager", "hotel_agent", at_s=1, parent=None)
    inner = [agent_spans.agent(21, name=None, parent=13, at_s=4, for_s=1), agent_spans.chat(22, parent=21, at_s=4)]
    _, hotel = assemble([*outer, *inner])
    assert hotel.agent_name == "hotel_agent"


def test_answer_that_only_a_later_run_hears_is_the_result_of_the_call() -> None:
    first = [
        agent_spans.agent(11, name="triage", parent=1, at_s=1),
        agent_spans.chat(12, parent=11, at_s=2, says=[agent_spans.tool_call_message(("call_1", "look_up", {}))]),
    ]
    heard = [
        agent_spans.text_message("user", "Go on"),
        agent_spans.tool_call_message(("call_1", "look_up", {})),
        agent_spans.tool_response_message("call_1", "AF007"),
    ]
    later = [
        agent_spans.agent(21, name="clerk", parent=1, at_s=20),
        agent_spans.chat(22, parent=21, at_s=21, hears=heard, says=[agent_spans.text_message("assistant", "Done")]),
    ]
    triage = next(run for run in assemble([workflow(1), *first, *later]) if run.agent_name == "triage")
    assert [(call.name, call.status, call.result) for call in triage.tool_calls] == [("look_up", "ok", "AF007")]


@pytest.mark.parametrize(
    ("framework", "tool"),
    [
        ("openai-agents-genai", "transfer_to_booking_agent"),
        ("openai-agents-logfire", "transfer_to_hotel_agent"),
        ("openai-agents-openinference-old", "transfer_to_hotel_agent"),
        ("openai-agents-traceloop", "transfer_to_hotel_agent"),
        ("langgraph-traceloop", "transfer_to_booking_agent"),
    ],
)
def test_recorded_call_that_handed_over_was_executed(framework: str, tool: str) -> None:
    [recording] = [one for one in RECORDINGS if (one.framework, one.scenario) == (framework, "s8_handoff")]
    runs = [run for spans in recording.spans.values() for run in assemble(spans)]

    assert {call.status for run in runs for call in run.tool_calls if call.name == tool} == {"ok"}


@pytest.mark.parametrize(
    ("target", "tool", "status"),
    [
        pytest.param("Hotel agent", "ask_hotel_agent", "ok", id="to-the-agent-of-the-tool"),
        pytest.param("unknown", "transfer_to_hotel", "ok", id="to-nobody-knows-whom"),
        pytest.param("billing", "ask_hotel_agent", "not_executed", id="to-another"),
    ],
)
def test_hand_off_carries_out_the_call_that_asked_for_it(target: str, tool: str, status: str) -> None:
    handing = {"openinference.span.kind": "TOOL", "output.value": target}
    [run] = assemble(
        [
            agent_spans.agent(1),
            agent_spans.chat(
                2, parent=1, at_s=1, says=[agent_spans.tool_call_message(("a", "search", {}), ("b", tool, {}))]
            ),
            agent_spans.tool(3, parent=1, at_s=3, args={}, call_id="a", result="x"),
            agent_spans.span(4, parent=1, at_s=5, name="handoff to x", attributes=handing),
        ]
    )

    assert [(call.name, call.status) for call in run.tool_calls] == [("search", "ok"), (tool, status)]


def test_calls_of_a_sub_agent_in_the_history_of_a_node_are_not_made_again() -> None:
    history = [
        agent_spans.text_message("user", "Book"),
        agent_spans.tool_call_message(("call_11", "search", {"by": "triage"})),
    ]
    node = {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.output.messages": json.dumps([*history, agent_spans.text_message("assistant", "Booked.")]),
    }
    runs = assemble(
        [
            agent_spans.agent(1, name="desk", for_s=60),
            *turn(11, "triage", "search", at_s=1, parent=1),
            agent_spans.span(20, parent=1, at_s=20, for_s=20, attributes=node),
            agent_spans.chat(
                21, parent=20, at_s=21, hears=history, says=[agent_spans.tool_call_message(("call_21", "book", {}))]
            ),
            agent_spans.tool(22, "book", parent=20, at_s=23, call_id="call_21", args={}, result="done"),
        ]
    )

    assert [(call.name, call.status) for call in runs[0].tool_calls] == [("search", "ok"), ("book", "ok")]


def beside(tool: str, *, asked: str, args: dict[str, Any]) -> list[Span]:
    """A coordinator that calls a tool, and an expert beside it who works within the time of the call."""
    asks = agent_spans.tool_call_message(("call_1", tool, args))
    hears = [agent_spans.text_message("user", "Plan it")]
    return [
        workflow(1),
        agent_spans.agent(2, name="coordinator", parent=1, for_s=20),
        agent_spans.chat(3, parent=2, at_s=1, hears=hears, says=[asks]),
        agent_spans.tool(4, tool, parent=2, at_s=3, for_s=8, args=args, result="42"),
        agent_spans.agent(5, name="math_specialist", parent=1, at_s=4, for_s=6),
        agent_spans.chat(
            6,
            parent=5,
            at_s=5,
            hears=[agent_spans.text_message("user", asked)],
            says=[agent_spans.text_message("assistant", "42")],
        ),
        agent_spans.chat(
            7, parent=2, at_s=15, hears=hears, says=[agent_spans.text_message("assistant", "It costs 42.")]
        ),
    ]


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        pytest.param("ask_math_specialist", {}, id="the-agent-s-name-is-a-part-of-the-tool-s"),
        pytest.param("calculate", {"input": "6*7?"}, id="the-tool-was-given-what-the-agent-was-asked"),
    ],
)
def test_agent_beside_the_caller_of_its_tool_worked_for_it(tool: str, args: dict[str, Any]) -> None:
    run, expert = assemble(beside(tool, asked="6*7?", args=args))

    assert (run.agent_name, run.final_response) == ("coordinator", "It costs 42.")
    assert (expert.agent_name, expert.parent_agent_trace_id) == ("math_specialist", run.agent_trace_id)


def test_agent_that_only_worked_at_the_same_time_as_a_tool_was_not_called_by_it() -> None:
    whole, *_ = assemble(beside("calculate", asked="And what else?", args={"input": "6*7?"}))

    assert whole.agent_name == "booking"


def test_workflow_of_agents_names_the_model_of_the_first() -> None:
    whole, *_ = assemble(relay(over=workflow(1)))

    assert (whole.model, whole.provider_name) == ("gpt-4.1-mini", "openai")


SDK = "opentelemetry.instrumentation.genai.openai_agents"


@pytest.mark.parametrize(
    ("scope", "status"),
    [
        pytest.param(SDK, "ok", id="openai-agents"),
        pytest.param("another", "not_executed", id="another-framework"),
    ],
)
def test_hand_off_that_nobody_answered_is_known_by_the_agent_that_follows(scope: str, status: str) -> None:
    asks = agent_spans.tool_call_message(("call_1", "escalate", {}))
    spans = [
        workflow(1),
        agent_spans.agent(2, name="triage", parent=1, for_s=5, scope_name=scope),
        agent_spans.chat(3, parent=2, at_s=1, hears=[agent_spans.text_message("user", "Help")], says=[asks]),
        *turn(11, "clerk", "book", at_s=10, parent=1),
    ]
    _, triage, _ = assemble(spans)

    assert [(call.name, call.status) for call in triage.tool_calls] == [("escalate", status)]


def test_call_of_a_run_that_nobody_follows_was_not_carried_out() -> None:
    asks = agent_spans.tool_call_message(("call_1", "escalate", {}))
    spans = [
        agent_spans.agent(2, name="triage", for_s=5, scope_name=SDK),
        agent_spans.chat(3, parent=2, at_s=1, hears=[agent_spans.text_message("user", "Help")], says=[asks]),
    ]
    [triage] = assemble(spans)

    assert [call.status for call in triage.tool_calls] == ["not_executed"]


def test_agent_that_fills_most_of_the_time_of_a_team_is_not_the_team() -> None:
    spans = [
        agent_spans.agent(1, name=None, for_s=100),
        *(turn(11, "triage", "look_up", at_s=1, parent=1)),
        *(turn(21, "clerk", "book", at_s=20, parent=1)),
    ]
    spans[1] = agent_spans.agent(11, name="triage", parent=1, at_s=1, for_s=95)

    assert len(assemble(spans)) == 3


def test_agent_below_its_caller_carried_out_the_hand_off_and_stands_behind_it() -> None:
    question, search = agent_spans.text_message("user", "To Paris"), agent_spans.tool_call_message(("c1", "search", {}))
    handing = agent_spans.tool_call_message(("c2", "transfer_to_hotel_agent", {}))
    runs = assemble(
        [
            agent_spans.agent(1, for_s=20),
            agent_spans.chat(2, parent=1, at_s=1, hears=[question], says=[search]),
            agent_spans.tool(3, parent=1, at_s=2, call_id="c1", result="AF007"),
            agent_spans.chat(
                4,
                parent=1,
                at_s=3,
                hears=[question, search, agent_spans.tool_response_message("c1", "AF007")],
                says=[handing],
            ),
            agent_spans.agent(5, name="Hotel agent", parent=1, at_s=5, for_s=4),
            agent_spans.chat(
                6, parent=5, at_s=5, hears=[question], says=[agent_spans.tool_call_message(("c3", "book", {}))]
            ),
            agent_spans.tool(7, "book", parent=5, at_s=7, call_id="c3", result="HTL-1"),
        ]
    )
    assert [(call.name, call.status) for call in runs[0].tool_calls] == [
        ("search", "ok"),
        ("transfer_to_hotel_agent", "ok"),
        ("book", "ok"),
    ]


HANDOFF = {"gen_ai.operation.name": "handoff", "gen_ai.transfer.target.name": "travel"}


@pytest.mark.parametrize(
    ("spans", "callers"),
    [
        pytest.param(
            [agent_spans.agent(5, name="clerk", parent=1, at_s=2, for_s=9), agent_spans.agent(6, parent=5, at_s=3)],
            {"clerk": "desk", "travel": "clerk"},
            id="below-another-agent",
        ),
        pytest.param(
            [
                agent_spans.span(5, parent=1, at_s=2, name="handoff travel", attributes=HANDOFF),
                agent_spans.agent(6, parent=5, at_s=3),
            ],
            {"travel": "desk"},
            id="below-a-hand-off",
        ),
        pytest.param([agent_spans.agent(6, at_s=3)], {"travel": "helper"}, id="beside-all"),
    ],
)
def test_agent_within_the_time_of_a_tool_call_of_its_name_stays_below_its_caller(
    spans: list[Span], callers: Mapping[str, str]
) -> None:
    runs = assemble(
        [
            agent_spans.agent(1, name="desk", for_s=30),
            agent_spans.agent(2, name="helper", parent=1, at_s=1, for_s=20),
            agent_spans.tool(3, "travel", parent=2, at_s=1, for_s=20),
            *spans,
        ]
    )

    name_of = {run.agent_trace_id: run.agent_name for run in runs}
    found = {run.agent_name: name_of[run.parent_agent_trace_id or ""] for run in runs if run.parent_agent_trace_id}
    assert found == {"helper": "desk", **callers}
