from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans

from tracegrade.collector import dialects
from tracegrade.collector.assembly.assemble import assemble
from tracegrade.collector.spans.span import Span
from tracegrade.collector.spans.step import Step


def span(number: int, name: str, *, parent: int | None = None, **attributes: Any) -> Span:
    inputs = {
        key.replace("__", "."): value if isinstance(value, (str, int)) else json.dumps(value)
        for key, value in attributes.items()
    }
    return agent_spans.span(
        number, parent=parent, name=name, attributes=inputs, scope_name="@flue/opentelemetry", for_s=20 - number
    )


def read(name: str, **attributes: Any) -> Step | None:
    reading = dialects.read(span(1, name, **attributes))
    assert reading is None or reading[0] == "flue"
    return reading[1] if reading else None


@pytest.mark.parametrize(
    "attributes",
    [{"flue__operation__kind": "shell"}, {"flue__compaction__reason": "size"}, {"flue__coordinator__phase": "x"}],
    ids=["shell", "compaction", "coordinator"],
)
def test_other_operations_give_structure(attributes: dict[str, str]) -> None:
    assert read("flue.operation", **attributes) is None


def test_arguments_and_result_that_are_no_objects_are_read() -> None:
    call = read(
        "execute_tool echo",
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name="echo",
        flue__tool__call__arguments="hello",
        flue__tool__call__result="hello back",
    )

    assert call is not None
    assert (call.args, call.result) == ("hello", "hello back")


def test_delegated_task_ran_though_it_has_no_span_of_a_tool() -> None:
    request = [{"role": "assistant", "parts": [{"type": "tool_call", "id": "c2", "name": "task", "arguments": {}}]}]
    answer = [{"role": "assistant", "parts": [{"type": "text", "content": "Booked"}]}]
    runs = assemble(
        [
            span(1, "invoke_agent Travel", gen_ai__operation__name="invoke_agent", gen_ai__agent__name="Travel"),
            span(
                2,
                "chat m",
                parent=1,
                gen_ai__operation__name="chat",
                gen_ai__request__model="m",
                gen_ai__output__messages=request,
            ),
            span(3, "execute_tool x", parent=1, gen_ai__operation__name="execute_tool", gen_ai__tool__name="search"),
            span(
                4,
                "invoke_agent hotel-agent",
                parent=1,
                gen_ai__operation__name="invoke_agent",
                gen_ai__agent__name="hotel-agent",
                gen_ai__tool__call__id="c2",
                gen_ai__output__messages=answer,
            ),
        ]
    )

    calls = {call.name: call for call in runs[0].tool_calls}
    assert (calls["task"].status, calls["task"].result) == ("ok", "Booked")


def test_run_of_before_version_two() -> None:
    request = {
        "role": "assistant",
        "content": [{"type": "toolCall", "id": "c1", "name": "look", "arguments": {"a": 1}}],
    }
    answered = {
        "role": "toolResult",
        "toolCallId": "c1",
        "toolName": "look",
        "content": [{"type": "text", "text": "ok"}],
    }
    model = {"gen_ai__operation__name": "chat", "gen_ai__request__model": "m"}
    inputs = {"systemPrompt": "Be good", "messages": [{"role": "user", "content": "Look!"}]}
    (run,) = assemble(
        [
            span(1, "flue.operation prompt", flue__operation__kind="prompt", flue__operation__result={"text": "Done"}),
            span(2, "gen_ai.generate", parent=1, **model, flue__turn__input=inputs, flue__turn__output=request),
            span(3, "flue.tool look", parent=1, flue__tool__name="look", flue__tool__call_id="c1"),
            span(
                4,
                "gen_ai.generate",
                parent=1,
                **model,
                flue__turn__input={"messages": [*inputs["messages"], request, answered]},
                flue__turn__output={"role": "assistant", "content": [{"type": "text", "text": "Done"}]},
            ),
        ]
    )

    assert (run.input, run.final_response) == ("Look!", "Done")
    assert [(call.id, call.args, call.result) for call in run.tool_calls] == [("c1", {"a": 1}, "ok")]


@pytest.mark.parametrize("value", [7, [1], '{"messages": [{'], ids=["number", "list", "cut off"])
def test_odd_content_makes_no_exception(value: Any) -> None:
    assert read("gen_ai.generate", gen_ai__operation__name="chat", flue__turn__input=value) is not None
