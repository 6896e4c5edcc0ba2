from __future__ import annotations

import pytest
from tests.support.agent_runs import make_message

from tracegrade.collector.dialects.shared.react import parse_react
from tracegrade.evaluators.model import MessagePart, ReasoningPart, TextPart, ToolCallPart

THOUGHT = ReasoningPart(content="I need a hotel.")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        pytest.param(
            'Thought: I need a hotel.\nAction: book\nAction Input: {"city": "Paris"}',
            (THOUGHT, ToolCallPart(id=None, name="book", arguments={"city": "Paris"})),
            id="a call",
        ),
        pytest.param(
            'Thought: I need a hotel.\nAction: book\nAction Input: {"city": "Paris"}\nObservation: Booked.',
            (THOUGHT, ToolCallPart(id=None, name="book", arguments={"city": "Paris"})),
            id="a call with an answer made up",
        ),
        pytest.param(
            "Thought: I need a hotel.\nAction: book\nAction Input: Paris",
            (THOUGHT, ToolCallPart(id=None, name="book", arguments="Paris")),
            id="a call with text",
        ),
        pytest.param(
            "Thought: I need a hotel.\nAnswer: Booked.\nEnjoy!",
            (THOUGHT, TextPart(content="Booked.\nEnjoy!")),
            id="an answer",
        ),
        pytest.param(
            "Thought: I need a hotel.\nFinal Answer: Booked.",
            (THOUGHT, TextPart(content="Booked.")),
            id="the last answer",
        ),
    ],
)
def test_what_stands_behind_headings_is_told_apart(text: str, parts: tuple[MessagePart, ...]) -> None:
    assert parse_react(make_message("assistant", text)).parts == parts


@pytest.mark.parametrize(
    "text", ["Answer: Booked.", "Thought: I wonder.", "Thought: I need a hotel.\nAction: book", "Booked.", ""]
)
def test_any_other_text_stays_as_it_is(text: str) -> None:
    assert parse_react(make_message("assistant", text)) == make_message("assistant", text)
