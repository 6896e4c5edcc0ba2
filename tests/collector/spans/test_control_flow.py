from __future__ import annotations

import json

import pytest
from tests.support import agent_spans

from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.control_flow import Signal, is_command, question_of_graph, signal_in
from tracegrade.collector.spans.span import Event

ACTIONS = "{'action_requests': [{'name': 'book_hotel', 'args': {'city': 'Paris'}, 'description': 'ok?'}]}"


@pytest.mark.parametrize(
    ("type_name", "message", "signal"),
    [
        pytest.param("langgraph.errors.ParentCommand", "Command(graph='x')", Signal(waits=False), id="parent-command"),
        pytest.param(None, "Command(graph='x', update={})", Signal(waits=False), id="command-in-the-status"),
        pytest.param("GeneratorExit", "", Signal(waits=False), id="reader-stopped-reading"),
        pytest.param("GraphBubbleUp", None, Signal(waits=False), id="bubble-up"),
        pytest.param("pydantic_ai.exceptions.CallDeferred", "", Signal(waits=True), id="deferred"),
        pytest.param("ApprovalRequired", None, Signal(waits=True), id="approval"),
        pytest.param("ToolInterruptError", "", Signal(waits=True), id="genkit"),
        pytest.param("-32042", "open the page", Signal(waits=True), id="url-elicitation"),
        pytest.param(
            "langgraph.errors.GraphInterrupt",
            "(Interrupt(value='Book, for 900?', id='9a'),)",
            Signal(waits=True, question="Book, for 900?"),
            id="interrupt",
        ),
        pytest.param(
            None,
            f"GraphInterrupt((Interrupt(value={ACTIONS}, id='9a'),))Traceback (most recent call last):\n  x",
            Signal(waits=True, question="book_hotel"),
            id="interrupt-of-middleware-with-stack",
        ),
        pytest.param(
            "Exception",
            "GraphInterrupt((Interrupt(value='Book it?', id='9a', response_schema=None),))Traceback (most recent call",
            Signal(waits=True, question="Book it?"),
            id="interrupt-under-the-type-that-langsmith-writes",
        ),
        pytest.param("Exception", "HotelError('no room')", None, id="failure-under-that-type"),
        pytest.param(
            None,
            "(Interrupt(value={'question': 'Which hotel?'}, resumable=True, ns=['a:1'], when='during'),)",
            Signal(waits=True, question="Which hotel?"),
            id="interrupt-of-older-versions",
        ),
        pytest.param(
            "GraphInterrupt",
            "(Interrupt(value=Plan(days=3), id='9a'),)",
            Signal(waits=True, question="Plan(days=3)"),
            id="any-object",
        ),
        pytest.param(
            "GraphInterrupt",
            "(Interrupt(value='A?', id='1'), Interrupt(value='B?', id='2'))",
            Signal(waits=True, question="A?, B?"),
            id="several",
        ),
        pytest.param("GraphInterrupt", "(Interrupt(value='A?'),)", Signal(waits=True, question="A?"), id="bare"),
        pytest.param("GraphInterrupt", "()", Signal(waits=True), id="interrupt-that-says-nothing"),
        pytest.param(
            None,
            '[{"id": "9a", "value": {"actionRequests": [{"name": "book"}]}}]\n\nGraphInterrupt: [{}]\n  at a (a.js:1)',
            Signal(waits=True, question="book"),
            id="interrupt-of-langgraph-js",
        ),
        pytest.param(None, "\n\nParentCommand\n    at a.js:1", Signal(waits=False), id="command-of-langgraph-js"),
        pytest.param(None, "We log each GraphInterrupt: it is rare", None, id="sentence-that-mentions-it"),
        pytest.param(
            "InterruptError", "Interrupt raised: refund", Signal(waits=True, question="refund"), id="strands-js"
        ),
        pytest.param("ValueError", "GraphInterrupt(", None, id="failure-that-mentions-it"),
        pytest.param("GraphRecursionError", "Recursion limit of 25 reached", None, id="recursion-limit"),
        pytest.param(None, "Commander(x) is out", None, id="other-word"),
        pytest.param(None, None, None, id="nothing"),
    ],
)
def test_exceptions_that_steer_a_run_are_told_from_failures(
    type_name: str | None, message: str | None, signal: Signal | None
) -> None:
    assert signal_in(type_name, message) == signal


@pytest.mark.parametrize(
    ("output", "question"),
    [
        pytest.param({"__interrupt__": [{"value": "Go?", "id": "1"}]}, "Go?", id="object"),
        pytest.param({"messages": [], "__interrupt__": ["Interrupt(value='Go?', id='1')"]}, "Go?", id="repr"),
        pytest.param({"__interrupt__": [{"value": {"n": 1}}]}, "", id="without-words"),
        pytest.param({"__interrupt__": []}, None, id="none"),
        pytest.param({"text": "__interrupt__"}, None, id="only-mentioned"),
        pytest.param({"messages": []}, None, id="finished"),
    ],
)
def test_output_of_a_graph_tells_what_it_was_interrupted_for(output: object, question: str | None) -> None:
    assert question_of_graph(json.dumps(output)) == question


@pytest.mark.parametrize(
    ("exception", "status"),
    [
        pytest.param("langgraph.errors.GraphInterrupt", "not_executed", id="waits"),
        pytest.param("langgraph.errors.ParentCommand", "ok", id="hands-over"),
        pytest.param("RuntimeError", "error", id="fails"),
    ],
)
def test_tool_call_that_was_interrupted_is_not_executed(exception: str, status: str) -> None:
    event = Event("exception", 1, {"exception.type": exception, "exception.message": "x"})
    tool = agent_spans.tool(2, parent=1, at_s=1, args={}, status_code="error", events=(event,))

    [run] = assemble([agent_spans.agent(1), tool])

    assert [(call.status, call.error) for call in run.tool_calls] == [
        (status, "RuntimeError: x" if status == "error" else None)
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"graph": null, "update": null, "resume": "yes", "goto": []}', id="plain"),
        pytest.param('{"input": {"graph": null, "update": null, "resume": "yes", "goto": []}}', id="as-input"),
    ],
)
def test_command_is_recognised_also_where_it_is_wrapped_as_input(text: str) -> None:
    assert is_command(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"input": {"resume": "my letter"}}', id="other-object"),
        pytest.param('{"input": "resume"}', id="text"),
    ],
)
def test_other_input_is_not_taken_for_a_command(text: str) -> None:
    assert not is_command(text)
