"""What a span around the model calls puts out in this turn, and which part of it repeats the conversation before."""

from __future__ import annotations

from collections.abc import Sequence

from tracegrade.evaluators.model import Message

from ..spans.step import Step
from .message import is_from_user, last_from_user, message_key

__all__ = ["new_output", "split_output"]


def new_output(step: Step) -> tuple[Message, ...]:
    """The messages of the output that are new in this turn."""
    return split_output(step)[1]


def split_output(step: Step) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """The output of a step in two parts: the history that it repeats, and what is new.

    A graph with a checkpointer, or an agent that returns its state, puts out the whole conversation. The new part
    begins after the last message from the user in the step's own input, and after what else of that input the output
    repeats. Where the input has no message from the user, it begins after the last one in the output.
    """
    output = step.output or ()
    if len(output) < 2:  # nothing is repeated before a single message
        return (), output
    begin = _end_of_input(step, output)
    if begin is None:
        begin = last_from_user(output) + 1 if _repeats_conversation(step, output) else 0
    return output[:begin], output[begin:]


def _end_of_input(step: Step, output: Sequence[Message]) -> int | None:
    """The position in `output` after all that it repeats of the input; None where it does not repeat the question."""
    given = step.input or ()
    asked = last_from_user(given)
    question = given[asked].text if asked >= 0 else step.input_text
    end = _after_question(output, question)
    if end is None or asked < 0:
        return end
    for message in given[asked + 1 :]:
        key = message_key(message)
        end = next((at + 1 for at in range(end, len(output)) if message_key(output[at]) == key), end)
    return end


def _after_question(output: Sequence[Message], question: str | None) -> int | None:
    """The position after the last message from the user that is the question."""
    text = (question or "").strip()
    if not text:
        return None
    places = range(len(output) - 1, -1, -1)
    return next((at + 1 for at in places if is_from_user(output[at]) and (output[at].text or "").strip() == text), None)


def _repeats_conversation(step: Step, output: Sequence[Message]) -> bool:
    """Whether the output can be the whole conversation: an answer to a question that it lacks begins with the model."""
    first = next((message for message in output if message.role != "system"), None)
    return last_from_user(step.input or ()) < 0 or (first is not None and is_from_user(first))
