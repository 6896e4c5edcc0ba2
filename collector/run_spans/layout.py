"""Decides on which spans the messages of a run are written, and which of its tool calls get spans.

Messages that name their model calls are written on these, each call with the whole conversation before it, as
instrumentations do. All others, and those of conversations that would be repeated too often, are written once, on the
span of the agent.

A tool call that was executed has a span. Only if the messages say all that is known of all executed calls, these are
written nowhere else: so their times stay unknown, which a span would have to state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from tracegrade.evaluators.model import AgentTrace, LlmCall, Message, ToolCall

from .message_json import write_message
from .stated_calls import find_unsaid_answers, has_all, says_all
from .stated_texts import complete_input, complete_output, text_message

__all__ = ["Exchange", "Layout", "arrange"]

_MOST_CHARACTERS: Final = 4_000_000
"""How long the histories of all model calls of a run may be together."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The messages of one model call, by their positions: its output begins where its input ends."""

    output_begin: int
    output_end: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The messages on the span of the agent, those on the spans of its model calls, and the tool calls with spans.

    `written` has the messages of the run as JSON; `executed` are the positions of tool calls.
    """

    input: Sequence[Message]
    output: Sequence[Message]
    exchanges: Sequence[Exchange] | None
    written: Sequence[str]
    executed: frozenset[int]


def arrange(run: AgentTrace) -> Layout:
    """Return the layout of a run."""
    own = {position: call for position, call in enumerate(run.tool_calls) if call.child_agent_trace_id is None}
    executed = frozenset(position for position, call in own.items() if _needs_span(call))
    unexecuted = [call for position, call in own.items() if position not in executed]
    written = [write_message(message) for message in run.messages]
    unsaid = find_unsaid_answers(run, unexecuted)
    exchanges = _find_exchanges(run, written)
    outputs = [message for each in exchanges or () for message in run.messages[each.output_begin : each.output_end]]
    if exchanges is not None and has_all(outputs, unexecuted):
        question = [] if run.input is None else [text_message("user", run.input)]
        answer = complete_output(run, [], answers=unsaid)
        return Layout(question, answer, exchanges, written, _without_stated(run, outputs, executed))
    begin = _find_begin_of_output(run.messages, unexecuted)
    outputs = list(run.messages[begin:])
    missing = () if has_all(outputs, unexecuted) else tuple(own.values())
    return Layout(
        complete_input(run, run.messages[:begin]),
        complete_output(run, outputs, requests=missing, answers=unsaid),
        None,
        written,
        _without_stated(run, outputs, executed),
    )


def _needs_span(call: ToolCall) -> bool:
    """Return whether the call was executed, or began and waits for a person."""
    return call.status in {"ok", "error"} or call.duration_ms is not None


def _without_stated(run: AgentTrace, outputs: Sequence[Message], executed: frozenset[int]) -> frozenset[int]:
    return frozenset() if says_all(run, outputs, executed) else executed


def _find_exchanges(run: AgentTrace, written: Sequence[str]) -> list[Exchange] | None:
    """Return the messages of each model call; None if some belong to none, or would be repeated too often."""
    position_of = {call.span_id: position for position, call in enumerate(run.llm_calls) if call.span_id is not None}
    owners = [position_of.get(message.span_id or "", -1) for message in run.messages]
    if not owners or -1 in owners or owners != sorted(owners):
        return None
    counts = Counter(owners)
    lengths = [0, *accumulate(map(len, written))]
    exchanges: list[Exchange] = []
    end = repeated = 0
    for position, call in enumerate(run.llm_calls):
        begin, end = end, end + counts[position]
        exchanges.append(Exchange(begin + _count_input(call, run.messages[begin:end]), end))
        repeated += lengths[exchanges[-1].output_begin]
    return exchanges if repeated <= _MOST_CHARACTERS else None


def _count_input(call: LlmCall, messages: Sequence[Message]) -> int:
    """Return how many of the messages of a call are its input.

    Assembly gives the output the time of the call's end. If the times do not tell, the last messages of the model are
    the output.
    """
    times = [message.time for message in messages]
    if call.started_at is not None and None not in times and len(set(times)) > 1:
        return sum(time == times[0] for time in times)
    count = len(messages)
    while count and messages[count - 1].role == "assistant":
        count -= 1
    return count


def _find_begin_of_output(messages: Sequence[Message], unexecuted: Sequence[ToolCall]) -> int:
    """Return the position after the last message of the user, or an earlier one that has all `unexecuted` calls behind.

    Calls before it would count as those of earlier runs.
    """
    first = next((at for at, message in enumerate(messages) if message.role != "system"), len(messages))
    users = [at for at, message in enumerate(messages) if message.role == "user" and message.text]
    begins = [*(at + 1 for at in reversed(users) if at >= first), first]
    return next((begin for begin in begins if has_all(messages[begin:], unexecuted)), begins[0])
