"""What frameworks wrap around a tool's result, taken off."""

from __future__ import annotations

from typing import Any

import pytest

from tracegrade.collector.spans.envelopes import tool_message

HUMAN = {"type": "human", "content": "Book it"}
EARLIER = {"type": "tool", "content": "AF007", "tool_call_id": "call_1", "status": "success"}
LAST = {"type": "tool", "content": "Transferred to hotel_agent", "tool_call_id": "call_2", "status": "success"}


def command(*messages: Any) -> dict[str, Any]:
    return {"graph": "__parent__", "update": {"messages": list(messages)}, "resume": None, "goto": "hotel_agent"}


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(command(HUMAN, EARLIER, LAST), id="plain"),
        pytest.param({"output": command(HUMAN, EARLIER, LAST)}, id="under-output"),
        pytest.param(command(HUMAN, {"type": "tool", "data": LAST}), id="fields-under-data"),
        pytest.param(command(HUMAN, {"lc": 1, "type": "constructor", "kwargs": LAST}), id="serialised-object"),
    ],
)
def test_tool_that_returns_a_command_answers_with_its_last_tool_message(value: Any) -> None:
    result = tool_message(value)

    assert (result.text, result.call_id) == ("Transferred to hotel_agent", "call_2")


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(command(HUMAN), id="no-tool-message"),
        pytest.param({**command(), "update": None}, id="no-update"),
        pytest.param({**command(), "update": [["messages", []]]}, id="update-of-another-form"),
        pytest.param({**command(), "update": {"messages": "x"}}, id="messages-of-another-type"),
    ],
)
def test_command_without_a_tool_message_stays_as_it_is(value: Any) -> None:
    result = tool_message(value)

    assert result.call_id is None
    assert result.text is not None
    assert "goto" in result.text
