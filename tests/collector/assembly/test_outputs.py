"""Outputs that the history of the next request completes."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support import agent_spans

from tracegrade.collector.assembly import assemble

ASK = agent_spans.text_message("user", "Weather and time in Paris?")
BOTH = agent_spans.tool_call_message(("c1", "get_weather", {"city": "Paris"}), ("c2", "get_time", {"zone": "CET"}))
ANSWERS = [agent_spans.tool_response_message("c1", "sunny"), agent_spans.tool_response_message("c2", "12:00")]


def joined(arguments: str) -> dict[str, Any]:
    part = {"type": "tool_call", "id": "c2", "name": "get_time", "arguments": arguments}
    return {"role": "assistant", "parts": [part]}


def calls(first_output: dict[str, Any], history: dict[str, Any] = BOTH) -> list[tuple[str, Any, str | None]]:
    [run] = assemble(
        [
            agent_spans.agent(1),
            agent_spans.chat(2, parent=1, at_s=0, hears=[ASK], says=[first_output]),
            agent_spans.chat(
                3,
                parent=1,
                at_s=3,
                hears=[ASK, history, *ANSWERS],
                says=[agent_spans.text_message("assistant", "Sunny, noon.")],
            ),
        ]
    )
    return [(call.name, call.args, call.result) for call in run.tool_calls]


@pytest.mark.parametrize(
    "first_output",
    [
        pytest.param(joined('{"city": "Paris"}{"zone": "CET"}'), id="joined"),
        pytest.param(agent_spans.tool_call_message(("c2", "get_time", {"zone": "CET"})), id="one-lost"),
        pytest.param(BOTH, id="whole"),
    ],
)
def test_history_completes_parallel_calls(first_output: dict[str, Any]) -> None:
    assert calls(first_output) == [("get_weather", {"city": "Paris"}, "sunny"), ("get_time", {"zone": "CET"}, "12:00")]


def test_arguments_that_were_no_json_stay_as_they_were_written() -> None:
    cut = agent_spans.tool_call_message(("c2", "get_time", {}))
    [(name, args, _)] = calls(joined('{"zone": "CE'), history=cut)
    assert (name, args) == ("get_time", None)


def test_history_with_other_calls_completes_nothing() -> None:
    other = agent_spans.tool_call_message(("c9", "search", {"q": "x"}))
    assert [name for name, *_ in calls(other)] == ["search"]
