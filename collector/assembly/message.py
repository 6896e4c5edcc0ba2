"""Keys that distinguish the messages of a conversation, and the messages of the user."""

from __future__ import annotations

from collections.abc import Sequence

from tracegrade.evaluators.model import Message, TextPart, ToolCallPart, ToolCallResponsePart

from ..spans.values import canonical

__all__ = ["is_from_user", "last_from_user", "message_key"]


def message_key(message: Message) -> str:
    """Return the same key for two spellings of one message. Ids are left out: some frameworks rewrite them."""
    if len(message.parts) == 1 and isinstance(part := message.parts[0], TextPart):
        return f"{message.role}\n{part.content.strip()}"
    texts, calls, answers = [], [], []
    for part in message.parts:
        if isinstance(part, ToolCallResponsePart):
            answers.append(part.response)
        elif isinstance(part, ToolCallPart):
            calls.append((part.name, canonical(part.arguments)))
        elif isinstance(part, TextPart):
            texts.append(part.content)
    role = "tool" if answers else message.role
    return canonical([role, "\n".join(texts).strip(), calls, answers])


def is_from_user(message: Message) -> bool:
    """Return whether the user wrote the message: some frameworks send the answers of tools in the user's role."""
    if message.role != "user" or not message.text:
        return False
    return not any(isinstance(part, ToolCallResponsePart) for part in message.parts)


def last_from_user(messages: Sequence[Message]) -> int:
    """Return the position of the last message that the user wrote; -1 where there is none."""
    return next((position for position in range(len(messages) - 1, -1, -1) if is_from_user(messages[position])), -1)
