"""Which calls are this turn's, where a run repeats the conversation before it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.agent_spans import text_message, tool_call_message, tool_response_message
from tests.support.recordings import RECORDINGS, Recording

from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Span
from tracegrade.evaluators.model import AgentTrace

COMMAND = '{"graph":null,"update":null,"resume":"yes","goto":[]}'
SYSTEM = text_message("system", "Be kind")
FIRST, SECOND = text_message("user", "How is A-17?"), text_message("user", "And now?")
CALL_1, CALL_2 = (
    tool_call_message(("c1", "status", {"order": "A-17"})),
    tool_call_message(("c2", "status", {"order": "A-17"})),
)
RESULT_1, RESULT_2 = tool_response_message("c1", "packed"), tool_response_message("c2", "packed")
ANSWER_1, ANSWER_2 = text_message("assistant", "Packed."), text_message("assistant", "Still packed.")
EARLIER = (FIRST, CALL_1, RESULT_1, ANSWER_1)

Said = Mapping[str, Any]


def graph(number: int, *, hears: Sequence[Said] = (), says: Sequence[Said] = (), **more: Any) -> Span:
    """The span of an agent that records its own messages."""
    attributes: dict[str, Any] = {
        "gen_ai.input.messages": json.dumps(list(hears)),
        "gen_ai.output.messages": json.dumps(list(says)),
    }
    return agent_spans.agent(number, attributes=attributes, **more)


def calls(run: AgentTrace) -> list[tuple[str | None, str | None, str | None]]:
    return [(call.id, call.status, call.result) for call in run.tool_calls]


@pytest.mark.parametrize("recording", [r for r in RECORDINGS if r.scenario[:3] in {"s5_", "s14", "s15"}], ids=str)
def test_runs_of_a_recorded_conversation_made_the_calls_of_it_and_no_more(recording: Recording) -> None:
    runs = [run for trace_id, spans in recording.spans.items() for run in assemble(spans, recording.logs_of(trace_id))]
    waits = {(run.agent_trace_id, "not_executed") for run in runs if run.interrupt is not None}
    tool_call = [call.name for run in runs for call in run.trajectory if (run.agent_trace_id, call.status) not in waits]
    assert len(runs) == len(recording.truth["user_inputs"])
    executed = Counter(call["name"] for call in recording.truth["tool_calls"])
    counted = Counter(name for name in tool_call if name in executed)
    is_left_out = any("redacted" in run.gaps for run in runs)
    assert counted <= executed if is_left_out else counted == executed


@pytest.mark.parametrize("recording", [r for r in RECORDINGS if r.scenario == "s15_resume"], ids=str)
def test_resumed_run_was_asked_what_the_user_asked_last(recording: Recording) -> None:
    runs = [run for spans in recording.spans.values() for run in assemble(spans)]
    assert [run.input for run in runs] == recording.truth["user_inputs"]
    assert [[(call.name, call.status) for call in run.tool_calls] for run in runs] == [
        [("order_status", "ok"), ("refund", "not_executed")],
        [("refund", "ok")],
        [("order_status", "ok")],
    ]


@pytest.mark.parametrize(
    "given",
    [
        pytest.param([SECOND], id="only-the-question-went-in"),
        pytest.param([*EARLIER, SECOND], id="the-whole-conversation-went-in"),
        pytest.param([], id="nothing-went-in"),
    ],
)
def test_agent_that_puts_out_the_whole_conversation_called_what_is_new_in_it(given: Sequence[Said]) -> None:
    [run] = assemble([graph(1, hears=given, says=[SYSTEM, *EARLIER, SECOND, CALL_2, RESULT_2, ANSWER_2])])
    assert calls(run) == [("c2", "ok", "packed")]
    assert run.final_response == "Still packed."


def test_calls_of_an_earlier_turn_under_other_ids_are_not_made_again() -> None:
    rewritten = (tool_call_message(("x9", "status", {"order": "A-17"})), tool_response_message("x9", "packed"))
    [run] = assemble(
        [
            graph(1, hears=[SECOND], says=[FIRST, *rewritten, ANSWER_1, SECOND, ANSWER_2]),
            agent_spans.chat(2, parent=1, at_s=1, hears=[*EARLIER, SECOND], says=[ANSWER_2]),
        ]
    )
    assert run.tool_calls == ()


def test_user_who_speaks_twice_within_a_run_leaves_it_its_calls() -> None:
    [run] = assemble([graph(1, hears=[FIRST], says=[FIRST, CALL_1, RESULT_1, ANSWER_1, SECOND, CALL_2, ANSWER_2])])
    assert [call.id for call in run.tool_calls] == ["c1", "c2"]


def test_answer_that_only_the_user_speaks_in_is_all_new() -> None:
    """An output that does not repeat the question, such as that of an agent with a simulated user."""
    [run] = assemble([graph(1, hears=[FIRST], says=[CALL_1, RESULT_1, SECOND, ANSWER_2])])
    assert calls(run) == [("c1", "ok", "packed")]


def test_agent_that_goes_on_with_the_state_of_another_made_only_its_own_calls() -> None:
    [run] = assemble([graph(1, hears=[FIRST, CALL_1, RESULT_1], says=[FIRST, CALL_1, RESULT_1, CALL_2, RESULT_2])])
    assert calls(run) == [("c2", "ok", "packed")]


def test_turn_that_ends_without_an_answer_does_not_give_that_of_the_turn_before() -> None:
    [run] = assemble([graph(1, hears=[SECOND], says=[*EARLIER, SECOND, CALL_2])])
    assert run.final_response is None


@pytest.mark.parametrize(
    ("says", "response"),
    [
        pytest.param([{**CALL_1, "content": "One moment"}], None, id="a-request"),
        pytest.param([text_message("assistant", "One moment"), CALL_1], None, id="a-request-after-a-text"),
        pytest.param([text_message("assistant", "One moment"), CALL_1, RESULT_1], None, id="a-result"),
        pytest.param([CALL_1, RESULT_1, ANSWER_1], "Packed.", id="an-answer"),
    ],
)
def test_run_that_ends_with_a_tool_has_no_answer(says: Sequence[Said], response: str | None) -> None:
    [run] = assemble([graph(1, hears=[FIRST], says=says)])
    assert run.final_response == response


def test_answer_that_repeats_one_of_an_earlier_turn_is_a_message_of_its_own() -> None:
    [run] = assemble([graph(1, hears=[*EARLIER, SECOND], says=[CALL_2, RESULT_2, ANSWER_1])])
    assert [message.role for message in run.messages[-4:]] == ["user", "assistant", "tool", "assistant"]
    assert len(run.messages) == len(EARLIER) + 4
    assert calls(run) == [("c2", "ok", "packed")]


def test_id_that_comes_again_in_a_later_turn_has_the_answer_of_its_own_turn() -> None:
    again = tool_call_message(("c1", "status", {"order": "B-2"}))
    [run] = assemble(
        [
            graph(1),
            agent_spans.chat(2, parent=1, at_s=1, hears=[*EARLIER, SECOND], says=[again]),
            agent_spans.chat(
                3,
                parent=1,
                at_s=3,
                hears=[*EARLIER, SECOND, again, tool_response_message("c1", "lost")],
                says=[ANSWER_2],
            ),
        ]
    )
    assert calls(run) == [("c1", "ok", "lost")]


def test_call_of_an_earlier_turn_and_one_of_this_turn_may_be_the_same_in_one_agent() -> None:
    """The history and the new call have the same span, id and name."""
    [run] = assemble([graph(1, hears=[*EARLIER, SECOND], says=[*EARLIER, SECOND, CALL_1, RESULT_1, ANSWER_2])])
    assert calls(run) == [("c1", "ok", "packed")]


def test_history_that_only_a_later_model_call_is_given_stays_history() -> None:
    """A guard looks at the last message first; the answer that follows needs no tool."""
    [run] = assemble(
        [
            graph(1),
            agent_spans.chat(2, parent=1, at_s=1, hears=[SECOND], says=[text_message("assistant", "harmless")]),
            agent_spans.chat(3, parent=1, at_s=3, hears=[*EARLIER, SECOND], says=[ANSWER_2]),
        ]
    )
    assert run.tool_calls == ()


def test_resumed_run_made_the_call_that_it_carried_out_and_not_the_one_before() -> None:
    pending = tool_call_message(("c2", "refund", {"order": "A-17"}))
    told = [FIRST, CALL_1, RESULT_1, pending, tool_response_message("c2", "refunded")]
    [run] = assemble(
        [
            agent_spans.agent(1, attributes={"gen_ai.input.messages": json.dumps([text_message("user", COMMAND)])}),
            agent_spans.tool(2, "refund", parent=1, at_s=1, call_id="c2"),
            agent_spans.chat(3, parent=1, at_s=3, hears=told, says=[ANSWER_2]),
        ]
    )
    assert calls(run) == [("c2", "ok", "refunded")]
    assert run.tool_calls[0].args == {"order": "A-17"}
    assert run.input == "How is A-17?"


def turn(first: int, *, parent: int | None = None, at_s: float = 0.0, **more: Any) -> list[Span]:
    """A run of an agent that asks its model once."""
    return [
        agent_spans.agent(first, parent=parent, at_s=at_s, for_s=5, **more),
        agent_spans.chat(first + 1, parent=first, at_s=at_s + 1, hears=[FIRST], says=[ANSWER_1]),
    ]


def test_turn_that_hangs_below_a_span_of_the_turn_before_is_a_run_of_its_own() -> None:
    first, second = assemble([*turn(1), *turn(11, parent=2, at_s=6)])
    assert [first.parent_agent_trace_id, second.parent_agent_trace_id] == [None, None]
    assert [len(first.llm_calls), len(second.llm_calls)] == [1, 1]


@pytest.mark.parametrize(
    ("late", "is_of_first"),
    [
        pytest.param({"at_s": 3}, True, id="began-before-the-end"),
        pytest.param({"at_s": 6, "parent_is_remote": True}, True, id="runs-elsewhere"),
        pytest.param({"at_s": 6, "service_name": "other"}, True, id="has-another-clock"),
        pytest.param({"at_s": 6, "name": None}, True, id="has-neither-name-nor-question"),
        pytest.param({"at_s": 6}, False, id="began-after-the-end"),
    ],
)
def test_agent_below_another_belongs_to_it_unless_it_began_after_its_end(
    late: dict[str, Any], *, is_of_first: bool
) -> None:
    runs = assemble([*turn(1), *turn(11, parent=1, **late)])
    assert (len(runs) == 1 or runs[1].parent_agent_trace_id == runs[0].agent_trace_id) is is_of_first
