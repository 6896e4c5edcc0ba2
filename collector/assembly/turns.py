"""Splits the output of a span around model calls into the repeated conversation and the new messages of this turn."""

from __future__ import annotations

from collections.abc import Sequence

from tracegrade.evaluators.model import Message

from ..spans.step import Step
from .message import is_from_user, last_from_user, message_key

__all__ = ["new_output", "split_output"]


def new_output(step: Step) -> tuple[Message, ...]:
    """Return the messages of the output that are new in this turn."""
    return split_output(step)[1]


def split_output(step: Step) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """Return the output of a step in two parts: the history that it repeats, and the new messages.

    A graph with a checkpointer, or an agent that returns its state, outputs the whole conversation. The new part
    begins after the last message from the user in the step's own input, and after later messages of that input that it
    repeats. If the input has no message from the user, it begins after the last one in the output.
    """
    output = step.output or ()
    if len(output) < 2:  # a single message repeats nothing
        return (), output
    begin = _end_of_input(step, output)
    if begin is None:
        begin = last_from_user(output) + 1 if _repeats_conversation(step, output) else 0
    return output[:begin], output[begin:]


def _end_of_input(step: Step, output: Sequence[Message]) -> int | None:
    """Return the position in `output` after the repeated input; None if it does not repeat the question."""
    messages = step.input or ()
    question_at = last_from_user(messages)
    question = messages[question_at].text if question_at >= 0 else step.input_text
    end = _after_question(output, question)
    if end is None or question_at < 0:
        return end
    for message in messages[question_at + 1 :]:
        key = message_key(message)
        end = next((position + 1 for position in range(end, len(output)) if message_key(output[position]) == key), end)
    return end


def _after_question(output: Sequence[Message], question: str | None) -> int | None:
    """Return the position after the last message from the user that is the question."""
    text = (question or "").strip()
    if not text:
        return None
    positions = range(len(output) - 1, -1, -1)
    return next(
        (
            position + 1
            for position in positions
            if is_from_user(output[position]) and (output[position].text or "").strip() == text
        ),
        None,
    )


def _repeats_conversation(step: Step, output: Sequence[Message]) -> bool:
    """Return whether the output can be the whole conversation: a mere answer begins with a message of the model."""
    first = next((message for message in output if message.role != "system"), None)
    return last_from_user(step.input or ()) < 0 or (first is not None and is_from_user(first))
