from __future__ import annotations

from typing import Any

from tests.support import tale

from tracegrade.collector import dialects
from tracegrade.collector.step import Step
from tracegrade.evaluators.model import ToolCallResponsePart


def step(**messages: Any) -> Step:
    told = {f"gen_ai.{key}.messages": value for key, value in messages.items()}
    attributes = {"gen_ai.operation.name": "generate_content", "gen_ai.request.model": "m", **told}
    scope = "opentelemetry.instrumentation.google_genai"
    found = dialects.read(tale.span(1, scope_name=scope, attributes=attributes))
    assert found is not None
    assert found[0] == "google_genai"
    return found[1]


def call(call_id: str, name: str) -> dict[str, Any]:
    return {"type": "tool_call", "id": call_id, "name": name, "arguments": {}}


def answer(call_id: str, response: Any) -> dict[str, Any]:
    return {"type": "tool_call_response", "id": call_id, "response": response}


def answers(*parts: dict[str, Any]) -> list[tuple[str | None, str | None, bool]]:
    asked = [call("call_a", "search"), call("call_b", "weather"), call("call_c", "search")]
    said = step(input=[{"role": "assistant", "parts": asked}, {"role": "user", "parts": list(parts)}]).input
    assert said is not None
    return [(part.id, part.response, part.is_error) for part in said[1].parts if isinstance(part, ToolCallResponsePart)]


def test_answer_goes_to_the_first_call_of_its_name_that_waits() -> None:
    found = answers(answer("search_0", "x"), answer("weather_1", "y"), answer("search_2", "z"))

    assert found == [("call_a", "x", False), ("call_b", "y", False), ("call_c", "z", False)]


def test_answer_that_names_its_call_is_left_with_it() -> None:
    assert answers(answer("call_c", "z"), answer("search_0", "x")) == [("call_c", "z", False), ("call_a", "x", False)]


def test_answer_is_taken_out_of_its_object() -> None:
    found = answers(
        answer("call_a", {"result": "x"}), answer("call_b", {"error": "broken"}), answer("call_c", {"a": 1})
    )

    assert found == [("call_a", "x", False), ("call_b", "broken", True), ("call_c", '{"a":1}', False)]


def test_answer_to_no_call_keeps_its_id() -> None:
    assert answers(answer("other_0", "x")) == [("other_0", "x", False)]


def test_stream_that_went_on_after_its_tools_is_several_messages() -> None:
    pieces = [{"type": "text", "content": "All "}, {"type": "text", "content": "done."}]
    said = step(output=[{"role": "assistant", "parts": [call("call_a", "search"), *pieces]}]).output

    assert said is not None
    assert [(len(message.tool_calls), message.text) for message in said] == [(1, None), (0, "All done.")]
