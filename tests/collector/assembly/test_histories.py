"""Inputs that continue those of an earlier call."""

from __future__ import annotations

import pytest
from tests.support import agent_spans
from tests.support.agent_runs import make_message
from tests.support.otlp import span_id

from tracegrade.collector.assembly.history_deltas import HISTORY_MISSING, complete_histories
from tracegrade.collector.assembly.run import Reading
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import Message


def call(number: int, *messages: Message, continues: int | None = None, dropped: int = 0) -> Reading:
    base = None if continues is None else span_id(continues)
    step = Step(kind="model", input=messages, continues=base, dropped=dropped)
    return Reading(agent_spans.span(number, at_s=number), step, "livekit")


def heard(*calls: Reading) -> list[str]:
    """What the last of these calls heard, as texts."""
    read = {reading.span.span_id: reading for reading in calls}
    complete_histories(read)
    return [str(message.text) for message in read[calls[-1].span.span_id].step.input or ()]


SYSTEM, ASK, ANSWER, MORE = (
    make_message("system", "Be kind"),
    make_message("user", "Hi"),
    make_message("assistant", "Hello"),
    make_message("user", "Go"),
)


def test_input_that_continues_another_has_its_messages_first() -> None:
    assert heard(call(1, SYSTEM, ASK), call(2, ANSWER, MORE, continues=1)) == ["Be kind", "Hi", "Hello", "Go"]


def test_histories_are_continued_over_several_calls() -> None:
    calls = [call(1, ASK), call(2, ANSWER, continues=1), call(3, MORE, continues=2)]
    assert heard(*calls) == ["Hi", "Hello", "Go"]


@pytest.mark.parametrize(
    ("dropped", "texts"),
    [(0, ["Be kind", "Hi", "Hello", "Go"]), (1, ["Be kind", "Hi", "Go"]), (9, ["Be kind", "Go"])],
    ids=["none", "last", "more-than-there-are"],
)
def test_messages_that_were_taken_back_are_left_out_but_never_the_instructions(dropped: int, texts: list[str]) -> None:
    assert heard(call(1, SYSTEM, ASK, ANSWER), call(2, MORE, continues=1, dropped=dropped)) == texts


def test_new_instructions_take_the_place_of_the_old_ones() -> None:
    rude = make_message("system", "Be rude")
    assert heard(call(1, SYSTEM, ASK), call(2, rude, MORE, continues=1)) == ["Be rude", "Hi", "Go"]


def test_input_that_continues_a_call_of_another_trace_stays_as_it_is_with_a_gap() -> None:
    read = {span_id(2): call(2, MORE, continues=1)}
    complete_histories(read)
    step = read[span_id(2)].step
    assert (step.input, step.gaps) == ((MORE,), (HISTORY_MISSING,))
