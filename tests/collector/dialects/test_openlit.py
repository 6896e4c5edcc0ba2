from __future__ import annotations

from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import ToolCallPart


def step(attributes: dict[str, Any], *, scope: str = "openlit.instrumentation.openai") -> Step:
    return read_step(agent_spans.span(1, scope_name=scope, attributes=attributes), "openlit")


def read_requested_calls(**told: Any) -> tuple[ToolCallPart, ...]:
    recorded_step = step(
        {"gen_ai.operation.name": "chat", **{key.replace("__", "."): value for key, value in told.items()}}
    )
    return recorded_step.output[0].tool_calls if recorded_step.output else ()


def test_calls_told_without_their_message_have_arguments_only_where_there_is_one() -> None:
    both = read_requested_calls(
        gen_ai__tool__name="search, weather",
        gen_ai__tool__call__id="c1, c2",
        gen_ai__tool__args='{"q": 1}, {"city": 2}',
    )

    assert read_requested_calls(gen_ai__tool__name="search", gen_ai__tool__args='{"q": 1}') == (
        ToolCallPart(id=None, name="search", arguments={"q": 1}),
    )
    assert both == (ToolCallPart(id="c1", name="search"), ToolCallPart(id="c2", name="weather"))


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        pytest.param('{"city": "Par', '{"city": "Par', id="cut off"),
        pytest.param("hello", {"raw": "hello"}, id="an argument that is called raw"),
        pytest.param('{"a": 1}', {"raw": '{"a": 1}'}, id="an argument that holds JSON"),
    ],
)
def test_arguments_that_are_no_json_are_taken_out_of_their_object(raw: str, arguments: Any) -> None:
    part = {"type": "tool_call", "id": "c1", "name": "search", "arguments": {"raw": raw}}
    recorded_step = step(
        {"gen_ai.operation.name": "chat", "gen_ai.output.messages": [{"role": "assistant", "parts": [part]}]}
    )

    assert recorded_step.output is not None
    assert recorded_step.output[0].tool_calls[0].arguments == arguments


@pytest.mark.parametrize(
    ("args", "kwargs", "given"),
    [
        pytest.param("('Hello',)", "{}", "Hello", id="one argument"),
        pytest.param("()", "{'question': 'Hello'}", "Hello", id="one by name"),
        pytest.param("('Hello', 3)", "{}", None, id="several"),
        pytest.param("(<Agent at 0x7f>, 'Hello')", "{}", None, id="an object"),
    ],
)
def test_function_was_asked_what_its_only_argument_says(args: str, kwargs: str, given: str | None) -> None:
    recorded_step = step(
        {"function.args": args, "function.kwargs": kwargs, "gen_ai.output.messages": "Hi"}, scope="openlit"
    )

    assert (recorded_step.kind, recorded_step.input_text, recorded_step.output_text) == ("workflow", given, "Hi")


def test_function_of_versions_before_messages_returned_its_completion() -> None:
    run = step({"function.args": "('Hi',)", "function.kwargs": "{}", "gen_ai.completion": "Hello"}, scope="openlit")

    assert (run.input_text, run.output_text) == ("Hi", "Hello")


def test_cost_of_nothing_says_that_the_price_was_not_known() -> None:
    assert step({"gen_ai.operation.name": "chat", "gen_ai.usage.cost": 0}).usage.cost_usd is None


def test_agent_was_asked_and_answered_what_its_own_keys_hold() -> None:
    run = step(
        {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.human_input": "To Paris?",
            "gen_ai.agent.actual_output": "AF007",
        }
    )

    assert (run.input_text, run.output_text) == ("To Paris?", "AF007")


def tool(result: str) -> Step:
    span_attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.result": result,
    }
    return step(span_attributes, scope="openlit.instrumentation.langchain")


def test_result_that_langchain_printed_gives_its_content_its_call_and_its_failure() -> None:
    printed = tool("content='AF007' name='search' tool_call_id='c1'")
    failed = tool("content='No flights' name='search' tool_call_id='c2' status='error'")

    assert (printed.result, printed.call_id, printed.error) == ("AF007", "c1", None)
    assert (failed.result, failed.call_id, failed.error) == ("No flights", "c2", "No flights")
    assert tool("content is king").result == "content is king"


@pytest.mark.parametrize(
    ("scope", "name", "kind"),
    [
        pytest.param("langgraph", "travel", None, id="node of a graph"),
        pytest.param("langchain", "agent", None, id="node that calls the model"),
        pytest.param("langchain", "travel", "agent", id="agent"),
    ],
)
def test_nodes_of_a_graph_are_no_agents(scope: str, name: str, kind: str | None) -> None:
    span_attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
    reading = dialects.read(
        agent_spans.span(2, parent=1, scope_name=f"openlit.instrumentation.{scope}", attributes=span_attributes)
    )

    assert (reading[1].kind if reading else None) == kind
