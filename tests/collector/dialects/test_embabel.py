from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans

from tracegrade.collector import dialects
from tracegrade.collector.assembly.assemble import assemble
from tracegrade.collector.spans.span import Span
from tracegrade.collector.spans.step import Step


def span(number: int, kind: str, *, parent: int | None = None, **attributes: Any) -> Span:
    span_attributes = {"embabel.event.type": kind} | {
        key.replace("__", "."): value for key, value in attributes.items()
    }
    return agent_spans.span(
        number, parent=parent, attributes=span_attributes, scope_name="org.springframework.boot", for_s=20 - number
    )


def chat(number: int, *, parent: int, text: str) -> Span:
    """The span of a model call, as Spring AI writes it with what Embabel's filter adds."""
    messages = [{"role": "assistant", "parts": [{"type": "text", "content": text}], "finish_reason": "stop"}]
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.system": "openai",
        "gen_ai.request.model": "gpt-4.1-mini",
        "gen_ai.usage.input_tokens": "100",
        "gen_ai.usage.output_tokens": "20",
        "gen_ai.output.messages": json.dumps(messages),
    }
    return agent_spans.span(
        number, parent=parent, attributes=attributes, scope_name="org.springframework.boot", for_s=1
    )


def read(kind: str, **attributes: Any) -> Step | None:
    reading = dialects.read(span(1, kind, **attributes))
    assert reading is None or reading[0] == "embabel"
    return reading[1] if reading else None


@pytest.mark.parametrize("kind", ["action", "planning", "goal", "lifecycle", "tool_loop", "llm_invocation", "new_kind"])
def test_other_events_give_structure(kind: str) -> None:
    assert read(kind, gen_ai__usage__input_tokens="100") is None


def test_agent_process_is_one_run() -> None:
    (run,) = assemble(
        [
            span(
                1,
                "agent_process",
                gen_ai__operation__name="agent",
                embabel__agent__name="Writer",
                gen_ai__conversation__id="s-7",
                user__id="u-1",
                input__value="Write a story",
                output__value="Once upon a time",
            ),
            span(2, "action", parent=1, gen_ai__operation__name="action", input__value="x"),
            span(3, "llm_call", parent=2, embabel__llm__model="gpt-4.1-mini"),
            chat(4, parent=3, text="Once upon a time"),
            span(
                5,
                "tool_call",
                parent=3,
                gen_ai__operation__name="execute_tool",
                embabel__tool__name="search",
                embabel__tool__duration_ms="12",
                gen_ai__tool__call__arguments='{"q": "dragons"}',
                gen_ai__tool__call__result="3 hits",
            ),
            span(6, "llm_invocation", parent=3, gen_ai__usage__input_tokens="100", embabel__llm__cost="0.1"),
        ]
    )

    assert (run.agent_name, run.session_id, run.user_id) == ("Writer", "s-7", "u-1")
    assert (run.input, run.final_response, run.input_tokens) == ("Write a story", "Once upon a time", 100)
    assert [(call.name, call.args, call.result, call.duration_ms) for call in run.tool_calls] == [
        ("search", {"q": "dragons"}, "3 hits", 12.0)
    ]


def test_model_call_of_before_version_one_is_counted_once() -> None:
    (run,) = assemble(
        [
            span(1, "agent_process", gen_ai__operation__name="agent", embabel__agent__name="Writer"),
            span(2, "llm_call", parent=1, gen_ai__operation__name="chat", gen_ai__request__model="gpt-4.1-mini"),
            chat(3, parent=2, text="Hello"),
        ]
    )

    assert [call.input_tokens for call in run.llm_calls] == [100]


def test_tool_that_failed_says_why() -> None:
    call = read("tool_call", embabel__tool__name="search", embabel__tool__error__message="no connection")

    assert call is not None
    assert call.error == "no connection"
