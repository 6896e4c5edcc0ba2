from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import require_step
from tests.support.otlp import BEGAN_NS

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step, Usage
from tracegrade.evaluators.model import Message, TextPart, ToolDefinition

OBSERVATION = "langfuse.observation."
DEFINITION = {"type": "function", "function": {"name": "book_hotel", "parameters": {"type": "object"}}}
OFFERED = (ToolDefinition(name="book_hotel", input_schema={"type": "object"}),)


def read(fields: dict[str, Any], *, more: dict[str, Any] | None = None, **span: Any) -> Step | None:
    span_attributes = {
        OBSERVATION + key: value if isinstance(value, str) else json.dumps(value) for key, value in fields.items()
    }
    reading = dialects.read(
        agent_spans.span(1, attributes={**span_attributes, **(more or {})}, **{"scope_name": "langfuse-sdk", **span})
    )
    assert reading is None or reading[0] == "langfuse"
    return reading[1] if reading else None


def step(fields: dict[str, Any], **more: Any) -> Step:
    return require_step(read(fields, **more))


@pytest.mark.parametrize("kind", ["event", "embedding", "evaluator"])
def test_observation_that_is_no_step_records_none(kind: str) -> None:
    assert read({"type": kind}) is None


@pytest.mark.parametrize("fields", [{"type": "span"}, {}], ids=["span", "no type"])
def test_what_has_a_model_is_a_call_of_it(fields: dict[str, Any]) -> None:
    assert step({**fields, "model.name": "gpt-4.1"}).kind == "model"


def test_span_of_another_sdk_stays_what_its_operation_says() -> None:
    assert step({"input": "hi"}, more={"gen_ai.operation.name": "invoke_agent"}, scope_name="app").kind == "agent"


def test_outermost_observation_without_a_type_names_the_agent() -> None:
    span_attributes = {"langfuse.trace.name": "travel"}

    assert step({"type": "span"}, more=span_attributes).agent_name == "travel"
    assert step({"type": "span"}, name="plan_trip").agent_name == "plan_trip"
    assert step({"type": "span"}, more=span_attributes, parent=2).agent_name is None


def test_chain_under_the_name_of_an_agent_is_that_agent() -> None:
    chain = {"type": "chain", "metadata.lc_agent_name": '"travel"'}

    assert step(chain, name="travel").kind == "agent"
    assert step(chain, name="model").kind == "workflow"


def test_counts_beside_input_and_output_are_added_to_them() -> None:
    details = {
        "input": 10,
        "input_cache_read": 90,
        "input_priority": 5,
        "output": 3,
        "output_reasoning": 7,
        "total": 110,
    }
    spent = step({"type": "generation", "usage_details": details, "cost_details": {"total": 0.25}}).usage

    assert spent == Usage(input_tokens=100, output_tokens=10, cached_input_tokens=90, reasoning_tokens=7, cost_usd=0.25)


def test_tools_among_the_messages_are_offered_and_not_said() -> None:
    request = [{"role": "user", "content": "a hotel"}, {"role": "tool", "content": DEFINITION}]
    call = step({"type": "generation", "input": request})

    assert call.definitions == OFFERED
    assert call.input == (Message(role="user", parts=(TextPart(content="a hotel"),)),)


def test_prompt_that_is_a_text_is_what_the_user_said() -> None:
    call = step({"type": "generation", "input": "a hotel", "output": "booked"})

    assert call.input == (Message(role="user", parts=(TextPart(content="a hotel"),)),)
    assert call.output == (Message(role="assistant", parts=(TextPart(content="booked"),)),)


def test_level_says_that_a_call_failed_where_the_status_does_not() -> None:
    assert step({"type": "tool", "level": "ERROR", "status_message": "no rooms"}).error == "no rooms"
    assert step({"type": "tool", "level": "WARNING", "status_message": "few rooms"}).error is None


def test_answer_began_when_it_is_noted() -> None:
    noted = {"type": "generation", "completion_start_time": '"2026-01-01T00:00:02.500Z"'}
    began_ns = 1_767_225_600 * 1_000_000_000

    assert step(noted, start_ns=began_ns).time_to_first_token_ms == pytest.approx(2500)
    assert step({**noted, "completion_start_time": "soon"}, start_ns=BEGAN_NS).time_to_first_token_ms is None


@pytest.mark.parametrize(
    ("details", "cost_usd"),
    [
        pytest.param({"input": 0.25, "output": 0.5}, 0.75, id="parts"),
        pytest.param({"input": 0.25, "output": 0.5, "total": 0.5}, 0.5, id="parts and total"),
        pytest.param({"input": 0.25, "output": "unknown"}, None, id="a part that is not a number"),
        pytest.param({}, None, id="nothing"),
    ],
)
def test_cost_is_the_total_else_the_sum_of_its_parts(details: dict[str, Any], cost_usd: float | None) -> None:
    assert step({"type": "generation", "cost_details": details}).usage.cost_usd == cost_usd


def test_node_that_calls_the_model_is_no_agent() -> None:
    node = {"type": "agent", "metadata.langgraph_node": '"agent"'}

    assert step(node, name="agent").kind == "workflow"
    assert step({"type": "agent"}, name="agent").kind == "agent"
