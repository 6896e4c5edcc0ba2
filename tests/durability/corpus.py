"""What agents send: recordings of real frameworks, and runs that are written here, no two of them alike."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tests.support import agent_spans
from tests.support.recordings import RECORDINGS, Recording
from tests.support.records import Record, log_records, span_records

from tracegrade.collector.otlp.signal import Signal
from tracegrade.collector.spans.span import Span

__all__ = ["filling", "recorded", "written"]

_LARGEST = 150
"""Recordings of more records than this are left out: a trial is about the order of many, not about one long one."""

_RUN_EVERY_S = 40
_TOPICS = ("a refund", "a flight to Paris", "an invoice", "a broken kettle", "opening hours", "a second opinion")


def recorded(chance: random.Random, count: int) -> list[Record]:
    """All records of `count` recordings, each of another framework as long as there are any."""
    found: dict[str, list[Record]] = {}
    traces: set[str] = set()
    for recording in _by_framework(chance):
        records = _records(recording)
        named = {record.trace_id for record in records if record.trace_id}
        if not records or named & traces or len(records) > _LARGEST or _contradicts_itself(records):
            continue
        traces |= named
        found[str(recording)] = records
        if len(found) == count:
            break
    return [record for records in found.values() for record in records]


def written(number: int, chance: random.Random) -> list[Record]:
    """The spans of an agent run, of which three of a kind are one conversation: the agent asks its model, calls tools
    that work or fail, may ask another agent, and answers. A few have no agent span, or no answer."""
    trace = chance.getrandbits(120)
    spans = [*_steps(number, trace, chance)]
    if chance.random() < 0.15:
        spans += agent_spans.trip(trace, name="clerk", first=101, parent=3)
    if chance.random() < 0.08:
        spans = [span for span in spans if span.parent_span_id]
    at_ns = number * _RUN_EVERY_S * 1_000_000_000
    moved = [replace(span, start_ns=span.start_ns + at_ns, end_ns=span.end_ns + at_ns) for span in spans]
    return [*span_records(agent_spans.export_request(moved))]


def filling(chance: random.Random, count: int, *, kilobytes: int) -> list[Record]:
    """Spans of no agent that take room, so that the log of the store grows until it is folded into the file."""
    trace = chance.getrandbits(120)
    spans = [
        agent_spans.span(at + 1, trace=trace, attributes={"http.body": chance.randbytes(kilobytes * 512).hex()})
        for at in range(count)
    ]
    return [*span_records(agent_spans.export_request(spans))]


def _steps(number: int, trace: int, chance: random.Random) -> Iterator[Span]:
    question = agent_spans.text_message("user", f"Question {number}: I ask for {chance.choice(_TOPICS)}")
    history: list[Mapping[str, Any]] = [question]
    turns = chance.randint(1, 3)
    talk = {"gen_ai.conversation.id": f"talk {number // 3}"}
    yield agent_spans.agent(1, name=chance.choice(["helpdesk", "travel"]), trace=trace, for_s=30, attributes=talk)
    for turn in range(turns):
        call_id, told = f"call_{number}_{turn}", {"query": f"{chance.choice(_TOPICS)} {turn}"}
        asks, answer = agent_spans.tool_call_message((call_id, "search", told)), f"record {number} of {turn}"
        at_s = 1 + 6 * turn
        yield agent_spans.chat(2 + 2 * turn, trace=trace, parent=1, at_s=at_s, hears=history, says=[asks])
        fails = {"status_code": "error", "status_message": "timed out"} if chance.random() < 0.2 else {}
        yield agent_spans.tool(
            3 + 2 * turn, trace=trace, parent=1, at_s=at_s + 3, args=told, result=answer, call_id=call_id, **fails
        )
        history = [*history, asks, agent_spans.tool_response_message(call_id, answer)]
    if chance.random() < 0.9:
        says = [agent_spans.text_message("assistant", f"Answer {number}: see record {number}.")]
        yield agent_spans.chat(2 + 2 * turns, trace=trace, parent=1, at_s=1 + 6 * turns, hears=history, says=says)


def _by_framework(chance: random.Random) -> Iterator[Recording]:
    """All recordings in a random order, in rounds of one of each framework."""
    left: dict[str, list[Recording]] = {}
    for recording in chance.sample(RECORDINGS, len(RECORDINGS)):
        left.setdefault(recording.framework, []).append(recording)
    while left:
        for framework in [*left]:
            yield left[framework].pop()
            if not left[framework]:
                del left[framework]


def _records(recording: Recording) -> list[Record]:
    return [*span_records(recording.traces_body), *log_records(recording.logs_body)]


def _contradicts_itself(records: Sequence[Record]) -> bool:
    """Whether it holds two spans of one id: which of them counts depends on the order, and is told as a gap."""
    spans = [(record.trace_id, record.span_id) for record in records if record.signal is Signal.TRACES]
    return len(spans) != len(set(spans))
