from __future__ import annotations

from typing import Any

from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector.spans.step import Step

RESULT = '[{"type":"text","text":"no rooms"}]'


def tool(**attributes: Any) -> Step:
    span_attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "book_hotel", **attributes}
    return read_step(
        agent_spans.span(1, attributes=span_attributes, scope_name="com.anthropic.sdk.typescript"), "anthropic_sdk"
    )


def test_result_says_why_a_tool_failed() -> None:
    failed = tool(**{"anthropic.tool_result.content": RESULT, "error.type": "tool_error"})

    assert (failed.result, failed.error) == ("no rooms", "no rooms")
    assert tool(**{"error.type": "tool_error"}).error == "tool_error"


def test_content_over_the_limit_is_a_gap() -> None:
    assert tool(**{"anthropic.content.truncated": True}).gaps == ("truncated",)
