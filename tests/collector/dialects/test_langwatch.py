from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector import dialects
from tracegrade.collector.assembly.assemble import assemble
from tracegrade.collector.spans.span import Span
from tracegrade.collector.spans.step import Step


def typed(value: Any, kind: str = "json") -> str:
    return json.dumps({"type": kind, "value": value})


def span(number: int, kind: str | None, *, parent: int | None = None, **attributes: Any) -> Span:
    span_attributes = {} if kind is None else {"langwatch.span.type": kind}
    span_attributes |= {key.replace("__", "."): value for key, value in attributes.items()}
    return agent_spans.span(
        number, parent=parent, name=f"{kind} {number}", attributes=span_attributes, for_s=20 - number
    )


def step(kind: str | None, **attributes: Any) -> Step:
    return read_step(span(1, kind, **attributes), "langwatch")


@pytest.mark.parametrize("kind", ["evaluation", "server", "new_kind"])
def test_other_types_give_structure(kind: str) -> None:
    assert dialects.read(span(1, kind)) is None


def test_arguments_of_a_tool_are_those_of_the_function() -> None:
    call = step("tool", langwatch__input=typed({"city": "Paris"}), langwatch__output=typed({"sky": "sunny"}))

    assert (call.args, call.result) == ({"city": "Paris"}, '{"sky":"sunny"}')


def test_question_is_the_input_of_the_only_argument() -> None:
    (run,) = assemble([span(1, "agent", langwatch__input=typed({"question": "Weather?"}))])

    assert (run.agent_name, run.input) == ("agent 1", "Weather?")


def test_list_of_typed_values_is_read() -> None:
    values = [{"type": "chat_messages", "value": [{"role": "user", "content": "Hi"}]}]
    call = step("llm", langwatch__input=typed(values, "list"), langwatch__output=typed("Hello", "text"))

    assert call.output is not None
    assert [message.text for message in call.output] == ["Hello"]


def test_metrics_hold_tokens_and_cost() -> None:
    call = step("llm", langwatch__metrics=typed({"promptTokens": 100, "completionTokens": 50, "cost": 0.005}))

    assert (call.usage.input_tokens, call.usage.output_tokens, call.usage.cost_usd) == (100, 50, 0.005)


@pytest.mark.parametrize(
    "attributes",
    [
        {"metadata": '{"thread_id": "t-1", "user_id": "u-1"}'},
        {"metadata": '{"threadId": "t-1", "userId": "u-1"}'},
        {"langwatch__thread__id": "t-1", "langwatch__user__id": "u-1"},
    ],
    ids=["metadata", "metadata in camel case", "keys"],
)
def test_session_and_user_of_the_trace_are_those_of_the_run(attributes: dict[str, Any]) -> None:
    (run,) = assemble([span(1, "span", **attributes), span(2, "agent", parent=1)])

    assert (run.session_id, run.user_id) == ("t-1", "u-1")


def test_trace_without_an_agent_is_a_run_of_its_outermost_span() -> None:
    (run,) = assemble(
        [
            span(1, "span", langwatch__input=typed({"q": "Hi"}), langwatch__output=typed("Hello", "text")),
            span(2, "llm", parent=1, gen_ai__request__model="gpt-4.1-mini"),
        ]
    )

    assert (run.input, run.final_response, run.model) == ("Hi", "Hello", "gpt-4.1-mini")


@pytest.mark.parametrize("value", [7, ["x"], '{"type": "text"'], ids=["number", "list", "cut off"])
def test_odd_content_makes_no_exception(value: Any) -> None:
    assert step("llm", langwatch__input=value, langwatch__metrics=value, metadata=value).kind == "model"


def test_result_that_is_one_message_is_its_content() -> None:
    said = json.dumps({"type": "chat_messages", "value": [{"role": "unknown", "content": "sunny"}]})
    spans = [
        agent_spans.agent(1),
        agent_spans.span(
            2, parent=1, name="look", attributes={"langwatch.span.type": "tool", "langwatch.output": said}
        ),
    ]
    (run,) = assemble(spans)
    assert [call.result for call in run.tool_calls] == ["sunny"]
