from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import require_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.span import Event
from tracegrade.collector.spans.step import Step


def read(subtype: str | None, *, given: Any = None, gave: Any = None, events: Any = (), **more: Any) -> Step | None:
    span_attributes = {
        "genkit:type": "action",
        "genkit:metadata:subtype": subtype,
        "genkit:name": "it",
        "genkit:input": json.dumps(given),
        "genkit:output": json.dumps(gave),
        **{f"genkit:{key}": value for key, value in more.items()},
    }
    attributes = {key: value for key, value in span_attributes.items() if value not in {None, "null"}}
    status = "error" if events else "unset"
    reading = dialects.read(
        agent_spans.span(1, attributes=attributes, scope_name="genkit-tracer", events=events, status_code=status)
    )
    assert reading is None or reading[0] == "genkit"
    return reading[1] if reading else None


def step(subtype: str | None, **told: Any) -> Step:
    return require_step(read(subtype, **told))


@pytest.mark.parametrize("subtype", ["embedder", "evaluator", "prompt", "util", None])
def test_other_actions_are_no_steps(subtype: str | None) -> None:
    assert read(subtype) is None


def test_generate_on_its_own_is_a_run_without_a_name() -> None:
    run = step(None, type="util", isRoot=True, given={"messages": [{"role": "user", "content": [{"text": "Hi"}]}]})

    assert (run.kind, run.agent_name) == ("agent", None)
    assert run.input is not None
    assert run.input[0].text == "Hi"


@pytest.mark.parametrize(
    ("given", "text"),
    [("Hi", "Hi"), ({"question": "Hi"}, "Hi"), ({"a": 1, "b": 2}, '{"a":1,"b":2}')],
    ids=["text", "only field", "object"],
)
def test_flow_is_given_anything(given: object, text: str) -> None:
    assert step("flow", given=given).input_text == text


@pytest.mark.parametrize(
    ("name", "provider", "model"),
    [("googleai/gemini-2.5-flash", "googleai", "gemini-2.5-flash"), ("echo", None, "echo")],
    ids=["of a plugin", "own"],
)
def test_model_is_named_behind_its_provider(name: str, provider: str | None, model: str) -> None:
    call = step("model", name=name)

    assert (call.provider_name, call.request_model) == (provider, model)


def test_thinking_and_media_are_parts() -> None:
    content = [{"reasoning": "Hm"}, {"media": {"url": "data:"}}, {"text": "Yes"}]
    call = step("model", gave={"message": {"role": "model", "content": content}, "usage": {"thoughtsTokens": 3}})

    assert call.output is not None
    assert [part.type for part in call.output[0].parts] == ["reasoning", "generic", "text"]
    assert call.usage.reasoning_tokens == 3


def test_answer_is_the_first_candidate_in_old_versions() -> None:
    call = step("model", gave={"candidates": [{"message": {"role": "model", "content": [{"text": "Yes"}]}}]})

    assert call.output is not None
    assert (call.output[0].role, call.output[0].text) == ("assistant", "Yes")


def test_result_of_a_tool_with_several_parts_is_its_output() -> None:
    assert step("tool.v2", gave={"output": "Sunny", "content": [{"text": "more"}]}).result == "Sunny"


def test_tool_that_asks_somebody_has_not_failed() -> None:
    events = (Event("exception", 1, {"exception.type": "ToolInterruptError"}),)

    assert step("tool", given={}, events=events).error is None


def test_agent_that_gives_up_says_why() -> None:
    run = step("agent", gave={"finishReason": "failed", "error": {"status": "INTERNAL", "message": "no hotel"}})

    assert (run.error, run.output_text) == ("no hotel", None)


def test_value_that_is_not_there_is_null_in_go() -> None:
    call = step("tool", input="null", output="null")

    assert (call.args, call.result) == (None, None)


def test_flow_of_old_go_versions_is_one_by_its_type() -> None:
    assert step(None, type="flow", given="Hi").kind == "agent"


def test_turn_within_a_turn_is_not_a_run_in_go() -> None:
    assert read("util", type="util") is None
    assert step("util", type="util", isRoot=True).kind == "agent"
