from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import require_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step

SCOPE = "openinference.instrumentation.smolagents"
INPUTS = {"city": {"type": "string", "description": "City."}, "nights": {"type": "integer", "nullable": True}}


def read(kind: str, **attributes: Any) -> Step | None:
    span_attributes = {key.replace("__", "."): value for key, value in attributes.items()}
    reading = dialects.read(
        agent_spans.span(1, attributes={"openinference.span.kind": kind, **span_attributes}, scope_name=SCOPE)
    )
    return reading[1] if reading else None


def step(kind: str, **attributes: Any) -> Step:
    return require_step(read(kind, **attributes))


def call(args: list[Any], kwargs: dict[str, Any]) -> Step:
    inputs = json.dumps({"args": args, "sanitize_inputs_outputs": True, "kwargs": kwargs})
    return step("TOOL", tool__name="book_hotel", tool__parameters=json.dumps(INPUTS), input__value=inputs)


@pytest.mark.parametrize(
    ("args", "kwargs", "bound"),
    [
        pytest.param([], {"city": "Paris"}, {"city": "Paris"}, id="by name"),
        pytest.param(["Paris", 5], {}, {"city": "Paris", "nights": 5}, id="by position"),
        pytest.param(["Paris"], {"nights": 5}, {"city": "Paris", "nights": 5}, id="by both"),
        pytest.param([5], {"city": "Paris"}, {"nights": 5, "city": "Paris"}, id="by position after a name"),
        pytest.param(["Paris", 5, "sea"], {}, {"city": "Paris", "nights": 5, "arg2": "sea"}, id="too many"),
        pytest.param([{"city": "Paris"}], {}, {"city": "Paris"}, id="as one object"),
        pytest.param(['{"city": "Par'], {}, '{"city": "Par', id="as text that is no JSON"),
        pytest.param(["Paris"], {}, {"city": "Paris"}, id="as one plain text"),
    ],
)
def test_arguments_are_bound_as_the_tool_binds_them(args: list[Any], kwargs: dict[str, Any], bound: Any) -> None:
    assert call(args, kwargs).args == bound


def test_a_tool_is_offered_with_every_input_required_that_is_not_nullable() -> None:
    offered = call([], {"city": "Paris"}).definitions

    assert offered is not None
    assert offered[0].input_schema == {"type": "object", "properties": INPUTS, "required": ["city"]}


def test_what_is_no_set_of_inputs_is_not_offered() -> None:
    assert step("TOOL", tool__name="t", tool__parameters='{"city": "Paris"}', input__value="{}").definitions is None


@pytest.mark.parametrize(
    ("gave", "answer"),
    [
        pytest.param("ActionOutput(output=1)FinalAnswerStep(output='It\\'s booked.')", "It's booked.", id="text"),
        pytest.param('ActionOutput()FinalAnswerStep(output="It\'s booked.")', "It's booked.", id="double quotes"),
        pytest.param("ActionOutput()FinalAnswerStep(output={'a': 1})", None, id="no text"),
        pytest.param("ChatMessageStreamDelta(content='It')", None, id="cut off"),
    ],
)
def test_the_answer_of_a_streamed_run_is_that_of_its_last_step(gave: str, answer: str | None) -> None:
    run = step("AGENT", input__value='{"task": "Book", "stream": true}', output__value=gave)

    assert (run.input_text, run.output_text) == ("Book", answer)
