"""Completes what model calls record by other spans: histories by earlier calls, answers by later ones and fetches."""

from __future__ import annotations

from collections.abc import Sequence

from tracegrade.evaluators.model import Message, ToolCallPart

from ..spans.frozen import replace
from .run import Reading

__all__ = ["HISTORY_MISSING", "complete_histories", "complete_outputs", "lend_fetched_answers"]

HISTORY_MISSING = "history_not_captured"
_NEAR = 8
"""How many of the following model calls may repeat an answer: others run at the same time."""


def complete_histories(readings: dict[str, Reading]) -> None:
    """Prepend to each input that continues an earlier one the messages of that one; `readings` is in order of time.

    If the earlier call is not in this trace, the input stays as it was recorded, with a gap.
    """
    for span_id, reading in readings.items():
        step = reading.step
        if step.continues is None:
            continue
        base = readings.get(step.continues)
        if base is None:
            changed = replace(step, gaps=(*step.gaps, HISTORY_MISSING))
        else:
            changed = replace(step, input=_join_history(base.step.input or (), step.input or (), step.dropped))
        readings[span_id] = reading._replace(step=changed)


def _join_history(base: Sequence[Message], own: Sequence[Message], dropped: int) -> tuple[Message, ...]:
    """Return the base without its last `dropped` messages, then the own ones; an own system message replaces its."""
    system = [message for message in base[:1] if message.role == "system"]
    conversation = base[len(system) :]
    repeated = conversation[: max(0, len(conversation) - dropped)]
    has_own_system = bool(own) and own[0].role == "system"
    return (*own[:1], *repeated, *own[1:]) if has_own_system else (*system, *repeated, *own)


def complete_outputs(readings: dict[str, Reading]) -> None:
    """Replace tool calls in outputs by those of the request that continues them, where that has more of them.

    Some instrumentations join the parallel calls of a streamed answer to one, or lose all but one of them (OpenLIT's
    for Anthropic).
    """
    calls = [reading for reading in readings.values() if reading.step.kind == "model"]
    for position, call in enumerate(calls):
        question = call.step.input or ()
        for later in calls[position + 1 : position + 1 + _NEAR]:
            answer = _find_answer(question, later.step.input or ())
            if answer:
                completed = _complete_output(call.step.output, answer) if call.step.output else None
                if completed is not None:
                    readings[call.span.span_id] = call._replace(step=replace(call.step, output=completed))
                break


def lend_fetched_answers(readings: dict[str, Reading]) -> None:
    """Remove the fetches of earlier answers, and give their content to the model calls that do not record theirs."""
    fetches = [reading for reading in readings.values() if reading.step.kind == "fetch"]
    fetched = {fetch.step.response_id: fetch.step for fetch in fetches if fetch.step.output is not None}
    for fetch in fetches:
        del readings[fetch.span.span_id]
    for span_id, reading in readings.items() if fetched else ():
        answer = fetched.get(reading.step.response_id) if reading.step.response_id is not None else None
        if answer is not None and reading.step.kind == "model" and reading.step.output is None:
            own = reading.step
            reasons = own.finish_reasons or answer.finish_reasons
            readings[span_id] = reading._replace(step=replace(own, output=answer.output, finish_reasons=reasons))


def _find_answer(question: Sequence[Message], history: Sequence[Message]) -> list[Message]:
    """Return the messages by which the model answered `question`, if `history` continues it."""
    end = len(question)
    if not 0 < end < len(history) or history[end].role != "assistant" or history[end - 1] != question[-1]:
        return []
    answer: list[Message] = []
    for message in history[end:]:
        if message.role != "assistant":
            break
        answer.append(message)
    return answer


def _complete_output(output: Sequence[Message], answer: Sequence[Message]) -> tuple[Message, ...] | None:
    """Return the output with the calls of `answer`; None if it has them all, or others."""
    recorded, asked = _calls(output), _calls(answer)
    is_spoilt = any(isinstance(call.arguments, str) and "}{" in call.arguments for call in recorded)
    if not asked or (len(asked) <= len(recorded) and not is_spoilt):
        return None
    repeated = list({call.id or position: call for position, call in enumerate(asked)}.values())
    known = {call.id for call in repeated if call.id is not None}
    is_whole = len(repeated) <= len(recorded) and not is_spoilt
    if is_whole or not all(call.id in known for call in recorded):
        return None
    repeated_text = "".join(message.text or "" for message in answer)
    if not recorded and repeated_text and repeated_text != "".join(message.text or "" for message in output):
        return None  # somebody else's answer
    others = [part for message in output for part in message.parts if not isinstance(part, ToolCallPart)]
    if len(repeated) == len(asked) and others == [
        part for message in answer for part in message.parts if not isinstance(part, ToolCallPart)
    ]:
        return tuple(answer)  # in as many messages, so that the conversation has each once
    return (Message(role="assistant", parts=(*others, *repeated)),)


def _calls(messages: Sequence[Message]) -> list[ToolCallPart]:
    return [call for message in messages for call in message.tool_calls]
