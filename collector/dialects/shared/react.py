"""Parses ReAct as text: thought, tool call or answer in one message, each after its heading.

`Thought: …` comes first, then either `Action: tool` with `Action Input: {…}`, or `Answer: …` (`Final Answer: …`).
Source: Yao et al., ReAct (https://arxiv.org/abs/2210.03629); llama-index-core 0.14.25
(`agent/react/output_parser.py`), crewai 1.15.30 (`agents/parser.py`)
"""

from __future__ import annotations

from tracegrade.evaluators.model import Message, MessagePart, ReasoningPart, TextPart, ToolCallPart

from .parts import read_arguments

__all__ = ["parse_react"]

_THOUGHT, _ACTION, _INPUT, _OBSERVATION = "Thought:", "\nAction:", "\nAction Input:", "\nObservation:"
_ANSWERS = ("\nFinal Answer:", "\nAnswer:")


def parse_react(message: Message) -> Message:
    """Return the message with the parts in its text; as it is if there are none."""
    if len(message.parts) != 1 or not isinstance(message.parts[0], TextPart):
        return message
    text = message.parts[0].content.strip()
    parts = _parts(text) if text.startswith(_THOUGHT) else ()
    return message.model_copy(update={"parts": parts}) if parts else message


def _parts(text: str) -> tuple[MessagePart, ...]:
    thought, is_call, action = text.partition(_ACTION)
    if is_call:
        name, has_input, tool_input = action.partition(_INPUT)
        return (_reasoning(thought), _call(name, tool_input)) if has_input and name.strip() else ()
    for heading in _ANSWERS:
        thought, is_answer, answer = text.partition(heading)
        if is_answer:
            return _reasoning(thought), TextPart(content=answer.strip())
    return ()


def _reasoning(thought: str) -> ReasoningPart:
    return ReasoningPart(content=thought.removeprefix(_THOUGHT).strip())


def _call(name: str, tool_input: str) -> ToolCallPart:
    return ToolCallPart(
        id=None, name=name.strip(), arguments=read_arguments(tool_input.partition(_OBSERVATION)[0].strip())
    )
