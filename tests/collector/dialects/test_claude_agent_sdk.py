from __future__ import annotations

from tests.support import agent_spans

from tracegrade.collector import dialects
from tracegrade.evaluators.model import Message, ReasoningPart, TextPart, ToolCallPart

SAID = "llm.output_messages."


def test_what_the_model_wrote_is_read_in_either_numbering() -> None:
    written = {
        "0.message.role": "assistant",
        "0.message.contents.0.message_content.type": "reasoning",
        "0.message.contents.0.message_content.text": "A hotel first.",
        "0.message.contents.1.message_content.type": "tool_use",
        "0.message.contents.1.tool_call.id": "toolu_1",
        "0.message.contents.1.tool_call.function.name": "book",
        "0.message.contents.1.tool_call.function.arguments": '{"city": "Paris"}',
        "1.message.role": "assistant",
        "1.message.content.0": "Booked.",
        "1.message.content.1": "Enjoy!",
    }
    span_attributes = {SAID + key: value for key, value in written.items()}
    scope = "openinference.instrumentation.claude_agent_sdk"
    run = {"openinference.span.kind": "AGENT", "input.value": "Book", "output.value": "Booked.", **span_attributes}

    reading = dialects.read(agent_spans.span(1, attributes=run, scope_name=scope))

    assert reading is not None
    assert (reading[1].kind, reading[1].input_text, reading[1].output_text) == ("agent", "Book", "Booked.")
    assert reading[1].output == (
        Message(
            role="assistant",
            parts=(
                ReasoningPart(content="A hotel first."),
                ToolCallPart(id="toolu_1", name="book", arguments={"city": "Paris"}),
            ),
        ),
        Message(role="assistant", parts=(TextPart(content="Booked."), TextPart(content="Enjoy!"))),
    )
