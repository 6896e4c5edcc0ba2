from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.support import agent_spans
from tests.support.agent_spans import text_message, tool_call_message, tool_response_message

from tracegrade.collector import dialects
from tracegrade.collector.assembly import assemble
from tracegrade.collector.assembly.conversation import Conversation, build_conversation, last_text
from tracegrade.collector.assembly.run import Reading
from tracegrade.collector.spans.span import Span

QUESTION = text_message("user", "Paris?")
CALL = tool_call_message(("call_1", "search", {"to": "Paris"}))
RESULT = tool_response_message("call_1", "AF007")
ANSWER = text_message("assistant", "Take AF007.")


def build_conversation_of(*calls: Span) -> Conversation:
    read = [(call, dialects.read(call)) for call in calls]
    return build_conversation([Reading(call, reading[1], reading[0]) for call, reading in read if reading])


def roles(conversation: Conversation) -> list[str]:
    return [message.role for message in conversation.messages]


def hears(number: int, *messages: Mapping[str, Any], says: Mapping[str, Any] | None = None) -> Span:
    return agent_spans.chat(number, at_s=number, hears=messages, says=None if says is None else [says])


def test_every_call_repeats_the_history_and_each_message_stands_once() -> None:
    conversation = build_conversation_of(hears(1, QUESTION, says=CALL), hears(2, QUESTION, CALL, RESULT, says=ANSWER))
    assert roles(conversation) == ["user", "assistant", "tool", "assistant"]
    assert conversation.origins == ["history", "output", "input", "output"]


def test_message_carries_the_call_that_first_showed_it() -> None:
    first, second = hears(1, QUESTION, says=CALL), hears(2, QUESTION, CALL, RESULT, says=ANSWER)
    shown = [message.span_id for message in build_conversation_of(first, second).located_messages]
    assert shown == [first.span_id, first.span_id, second.span_id, second.span_id]


def test_model_that_says_the_same_twice_said_it_twice() -> None:
    again = hears(2, QUESTION, CALL, RESULT, says=CALL)
    last = hears(3, QUESTION, CALL, RESULT, CALL, RESULT, says=ANSWER)
    conversation = build_conversation_of(hears(1, QUESTION, says=CALL), again, last)
    assert roles(conversation) == ["user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert [part.name for part in conversation.requested] == ["search", "search"]


def test_same_message_under_another_id_is_the_same() -> None:
    rewritten = tool_call_message(("search_0", "search", {"to": "Paris"}))
    conversation = build_conversation_of(
        hears(1, QUESTION, says=CALL), hears(2, QUESTION, rewritten, RESULT, says=ANSWER)
    )
    assert len(conversation.messages) == 4


def test_calls_of_earlier_turns_are_not_asked_for_in_this_run() -> None:
    conversation = build_conversation_of(
        hears(1, QUESTION, CALL, RESULT, ANSWER, text_message("user", "And back?"), says=text_message("assistant", "!"))
    )
    assert conversation.requested == []
    assert [part.name for part in conversation.requested_before] == ["search"]
    assert conversation.answers == {}


def test_id_that_comes_again_is_another_call_where_the_history_has_the_first() -> None:
    call = tool_call_message(("call_1", "search", {"to": "Rome"}))
    conversation = build_conversation_of(
        hears(1, text_message("user", "Hi"), tool_call_message(("call_1", "search", {"to": "Paris"})), says=call)
    )

    assert [part.arguments for part in conversation.requested] == [{"to": "Rome"}]


def test_calls_are_read_from_the_next_input_where_no_output_was_recorded() -> None:
    conversation = build_conversation_of(hears(1, QUESTION), hears(2, QUESTION, CALL, RESULT))
    assert [part.name for part in conversation.requested] == ["search"]


def test_history_that_a_framework_cut_off_is_not_told_again() -> None:
    conversation = build_conversation_of(hears(1, QUESTION, says=CALL), hears(2, RESULT, says=ANSWER))
    assert roles(conversation) == ["user", "assistant", "tool", "assistant"]


def test_reasoning_is_what_the_model_thought() -> None:
    thinking = {
        "role": "assistant",
        "parts": [{"type": "reasoning", "content": "hm"}, {"type": "text", "content": "A"}],
    }
    assert build_conversation_of(hears(1, QUESTION, says=thinking)).reasoning == ["hm"]


def test_call_without_messages_adds_none() -> None:
    assert build_conversation_of(agent_spans.chat(1)).messages == []


def test_last_text_is_of_the_last_message_that_has_any() -> None:
    messages = build_conversation_of(
        hears(1, text_message("user", "first"), text_message("user", "second"), says=CALL)
    ).messages
    assert last_text(messages, "user") == "second"
    assert last_text(messages, "assistant") is None


def test_call_of_a_span_s_history_is_not_taken_for_a_chunk_of_its_answer() -> None:
    first = hears(1, QUESTION, CALL, says=CALL)

    assert [call.name for message in build_conversation_of(first).messages for call in message.tool_calls] == [
        "search",
        "search",
    ]


def test_instructions_of_the_run_lead_where_its_model_calls_record_none() -> None:
    instructions = {"gen_ai.system_instructions": '[{"type": "text", "content": "Be brief."}]'}
    agent = agent_spans.agent(1, attributes=instructions)
    bare = [agent_spans.chat(2, parent=1, at_s=1, hears=[QUESTION], says=[ANSWER])]
    own = [agent_spans.chat(2, parent=1, at_s=1, hears=[text_message("system", "Be kind."), QUESTION], says=[ANSWER])]

    texts = [[message.text for message in assemble([agent, *calls])[0].messages[:2]] for calls in (bare, own)]

    assert texts == [["Be brief.", "Paris?"], ["Be kind.", "Paris?"]]
