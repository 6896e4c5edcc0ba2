from __future__ import annotations

import pytest
from tests.support import tale

from tracegrade.collector import dialects


@pytest.mark.parametrize(
    ("scope", "name"),
    [("my_app", "travel_agent"), ("openinference.instrumentation.langchain", None), ("@arizeai/openinference-x", None)],
)
def test_an_agent_recorded_by_hand_is_named_by_its_span(scope: str, name: str | None) -> None:
    span = tale.span(1, name="travel_agent", attributes={"openinference.span.kind": "AGENT"}, scope_name=scope)

    found = dialects.read(span)

    assert found is not None
    assert found[1].agent_name == name


def test_role_that_gemini_gives_its_answers_is_the_assistant_s() -> None:
    attributes = {
        "openinference.span.kind": "LLM",
        "llm.output_messages.0.message.role": "model",
        "llm.output_messages.0.message.content": "Hello.",
    }
    found = dialects.read(tale.span(1, attributes=attributes))

    assert found is not None
    assert [message.role for message in found[1].output or ()] == ["assistant"]
