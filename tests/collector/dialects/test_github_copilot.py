from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans

from tracegrade.collector import dialects
from tracegrade.collector.assembly.assemble import assemble
from tracegrade.collector.spans.span import Span
from tracegrade.collector.spans.step import Step


def messages(role: str, *parts: dict[str, Any]) -> str:
    return json.dumps([{"role": role, "parts": list(parts)}])


def span(number: int, operation: str, *, parent: int | None = None, **attributes: Any) -> Span:
    inputs = {"gen_ai.operation.name": operation} | {k.replace("__", "."): v for k, v in attributes.items()}
    return agent_spans.span(
        number, parent=parent, name=operation, attributes=inputs, scope_name="copilot-chat", for_s=9 - number
    )


def read(operation: str, **attributes: Any) -> Step | None:
    reading = dialects.read(span(1, operation, **attributes))
    assert reading is None or reading[0] == "github_copilot"
    return reading[1] if reading else None


@pytest.mark.parametrize("operation", ["execute_hook", "content_event", "embeddings"])
def test_other_operations_give_structure(operation: str) -> None:
    assert read(operation) is None


def test_session_is_not_the_id_of_the_request() -> None:
    call = read("chat", gen_ai__conversation__id="req-7", copilot_chat__session_id="s-1", gen_ai__request__model="m")

    assert call is not None
    assert call.session_id == "s-1"


def test_time_before_what_the_user_typed_is_not_part_of_the_input() -> None:
    text = "<current_datetime>2026-03-01T10:00:00Z</current_datetime>\n\nFix the test"
    (run,) = assemble(
        [span(1, "invoke_agent", gen_ai__input__messages=messages("user", {"type": "text", "content": text}))]
    )

    assert run.input == "Fix the test"


def test_turn_of_the_chat_panel_is_one_run_with_its_sub_agent() -> None:
    task = {"type": "tool_call", "id": "c1", "name": "runSubagent", "arguments": {"prompt": "Look"}}
    runs = assemble(
        [
            span(1, "invoke_agent", gen_ai__agent__name="GitHub Copilot Chat", gen_ai__conversation__id="s-1"),
            span(2, "chat", parent=1, gen_ai__request__model="m", gen_ai__output__messages=messages("assistant", task)),
            span(
                3,
                "execute_tool",
                parent=1,
                gen_ai__tool__name="runSubagent",
                gen_ai__tool__call__id="",
                gen_ai__tool__call__arguments='{"prompt": "Look"}',
                gen_ai__tool__call__result="It is there",
            ),
            span(4, "invoke_agent", parent=3, gen_ai__agent__name="Explore"),
        ]
    )

    assert [(run.agent_name, run.session_id) for run in runs] == [("GitHub Copilot Chat", "s-1"), ("Explore", "s-1")]
    assert [(call.name, call.result) for call in runs[0].tool_calls] == [("runSubagent", "It is there")]


def test_premium_requests_are_not_money() -> None:
    call = read("chat", gen_ai__request__model="m", github__copilot__cost=1.0)

    assert call is not None
    assert call.usage.cost_usd is None


@pytest.mark.parametrize("value", [7, ["x"], '[{"role": "us'], ids=["number", "list", "cut off"])
def test_odd_content_makes_no_exception(value: Any) -> None:
    assert read("invoke_agent", gen_ai__input__messages=value) is not None
