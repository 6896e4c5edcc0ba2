from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import require_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step


def read(kind: str, *, inputs: Any = None, outputs: Any = None, **more: Any) -> Step | None:
    span_attributes = {
        "langsmith.span.kind": kind,
        "gen_ai.prompt": json.dumps(inputs),
        "gen_ai.completion": json.dumps(outputs),
    }
    reading = dialects.read(agent_spans.span(1, attributes=span_attributes, scope_name="langsmith", **more))
    assert reading is None or reading[0] == "langsmith"
    return reading[1] if reading else None


def step(kind: str, **more: Any) -> Step:
    return require_step(read(kind, **more))


@pytest.mark.parametrize("kind", ["prompt", "parser", "embedding"])
def test_run_that_is_no_step_records_none(kind: str) -> None:
    assert read(kind) is None


def test_retriever_is_one_though_its_operation_is_that_of_embeddings() -> None:
    span_attributes = {"langsmith.span.kind": "retriever", "gen_ai.operation.name": "embeddings"}
    reading = dialects.read(agent_spans.span(1, attributes=span_attributes, scope_name="langsmith"))

    assert reading is not None
    assert reading[1].kind == "retrieval"


def test_hidden_inputs_and_outputs_are_not_recorded() -> None:
    call = step("tool", inputs={}, outputs={})

    assert (call.args, call.result) == (None, None)


def test_call_without_arguments_has_none() -> None:
    assert step("tool", inputs={}, outputs={"output": "ok"}).args == {}


@pytest.mark.parametrize("given", [{"city": "Paris"}, {"input": "{'city': 'Paris'}"}], ids=["object", "repr"])
def test_arguments_are_an_object(given: dict[str, str]) -> None:
    assert step("tool", inputs=given, outputs={"output": "ok"}).args == {"city": "Paris"}


def test_error_is_told_without_its_stack() -> None:
    told = "HotelError('no rooms')\n\nTraceback (most recent call last):\n  File 'x'"

    assert step("tool", status_code="error", status_message=told).error == "HotelError: no rooms"


def test_instructions_beside_the_input_stand_before_it() -> None:
    request = {"model": "gpt-4.1", "instructions": "Be brief.", "input": "a hotel", "tools": []}
    answered = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ok"}]}
    call = step("llm", inputs=request, outputs={"id": "resp_1", "output": [answered]})

    assert call.input is not None
    assert call.output is not None
    assert [(message.role, message.text) for message in call.input] == [("system", "Be brief."), ("user", "a hotel")]
    assert call.output[0].text == "ok"


def test_call_that_raised_has_no_result() -> None:
    call = step("tool", inputs={"city": "Paris"}, outputs={}, status_code="error")

    assert (call.args, call.result) == ({"city": "Paris"}, None)
