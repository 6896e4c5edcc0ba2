from __future__ import annotations

import json
from typing import Any

from tests.support import tale

from tracegrade.collector import dialects
from tracegrade.collector.span import Event
from tracegrade.collector.step import Step

ASKED = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "book", "arguments": '{"n": 1}'}}]}


def chat(*events: Event, **attributes: Any) -> Step:
    told = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", **attributes}
    found = dialects.read(tale.span(1, attributes=told, events=events, scope_name="pydantic-ai"))
    assert found is not None
    assert found[0] == "pydantic_ai"
    return found[1]


def test_messages_of_the_first_version_are_read_from_the_attribute_or_from_log_records() -> None:
    said = {"content": "Where to?", "role": "user"}
    events = [{**said, "event.name": "gen_ai.user.message"}, {"message": ASKED, "event.name": "gen_ai.choice"}]
    logged = (
        Event("gen_ai.user.message", 0, {}, body=said, is_log=True),
        Event("gen_ai.choice", 1, {}, body={"index": 0, "message": ASKED}, is_log=True),
    )
    for step in (chat(events=json.dumps(events)), chat(*logged)):
        assert [one.text for one in step.input or ()] == ["Where to?"]
        assert [call.arguments for one in step.output or () for call in one.tool_calls] == [{"n": 1}]


def test_price_that_pydantic_ai_worked_out_is_what_the_call_cost() -> None:
    assert chat(**{"operation.cost": 0.25}).usage.cost_usd == 0.25
