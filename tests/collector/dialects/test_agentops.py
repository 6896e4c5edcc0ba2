from __future__ import annotations

from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import require_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step


def read(kind: str | None, *, name: str = "look_up", scope: str = "agentops", **attributes: Any) -> Step | None:
    recorded = {key.replace("__", "."): value for key, value in attributes.items()}
    if kind is not None:
        recorded["agentops.span.kind"] = kind
    step = dialects.read(agent_spans.span(1, name=name, attributes=recorded, scope_name=scope))
    assert step is None or step[0] == "agentops"
    return step[1] if step else None


def step(kind: str, **attributes: Any) -> Step:
    return require_step(read(kind, **attributes))


def test_class_under_the_decorator_is_an_agent() -> None:
    run = step("agent", operation__name="travel", agentops__entity__input='{"args": [], "kwargs": {}}')

    assert (run.kind, run.agent_name, run.input_text) == ("agent", "travel", None)


def test_method_of_an_agent_was_given_its_argument_and_returned_an_answer() -> None:
    run = step("task", agentops__task__input='{"args": ["Hi"], "kwargs": {}}', agentops__task__output="Hello")

    assert (run.kind, run.agent_name, run.output_text) == ("workflow", None, "Hello")


def test_tool_has_the_arguments_and_the_result_of_its_function() -> None:
    given = '{"args": [], "kwargs": {"city": "Paris"}}'
    call = step("tool", operation__name="weather", agentops__tool__input=given, agentops__tool__output="Sunny")

    assert (call.tool_name, call.args, call.result) == ("weather", {"city": "Paris"}, "Sunny")


def test_span_that_only_repeats_what_a_model_asked_for_is_not_a_call() -> None:
    request = {"tool__name": "weather", "tool__parameters": '{"city": "Paris"}', "tool__call__id": "c1"}

    assert read(None, name="tool_call.weather", scope="agentops.instrumentation.providers.openai", **request) is None


@pytest.mark.parametrize("kind", ["http", "chain", "text", "unknown"])
def test_span_of_another_kind_is_not_a_step(kind: str) -> None:
    assert read(kind) is None
