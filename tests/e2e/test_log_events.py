"""Instrumentations that put what was said into log events: instead of on their spans, or besides."""

from __future__ import annotations

import pytest
from tests.support.polling import until
from tests.support.recordings import Recording
from tests.support.server import Server


@pytest.mark.parametrize(
    ("framework", "scenario", "order"),
    [
        pytest.param("util-genai-eventonly", "s1_happy", ("traces", "logs"), id="only in logs, spans first"),
        pytest.param("util-genai-eventonly", "s2_tool_error", ("logs", "traces"), id="only in logs, logs first"),
        pytest.param("openai-genai-events", "s1_happy", ("traces", "logs"), id="in both, spans first"),
        pytest.param("openai-genai-events", "s2_tool_error", ("logs", "traces"), id="in both, logs first"),
    ],
)
def test_run_says_what_its_log_events_say_and_says_it_once(
    server: Server, framework: str, scenario: str, order: tuple[str, str]
) -> None:
    recording = Recording(framework, scenario)
    bodies = {"traces": recording.traces_body, "logs": recording.logs_body}
    for signal in order:
        assert server.post(bodies[signal], signal=signal).content == b""
    (trace,) = recording.spans
    asked, answer = recording.truth["user_inputs"][0], recording.truth["final_response"]

    run = f"select input, final_response from agent_traces where trace_id = '{trace}'"
    until(lambda: server.rows(run), lambda found: found == [[asked, answer]])
    said = server.rows(f"select role, content from messages where trace_id = '{trace}'")
    assert said.count(["user", asked]) == 1
    called = server.rows(f"select name from tool_calls where trace_id = '{trace}' order by position")
    assert [name for (name,) in called] == [call["name"] for call in recording.truth["tool_calls"]]
