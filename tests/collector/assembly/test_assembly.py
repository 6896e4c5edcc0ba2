from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import agent_spans
from tests.support.otlp import run_id, span_id, trace_id
from tests.support.recordings import RECORDINGS, Recording

from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Event, Span
from tracegrade.evaluators.model import AgentTrace

SMALL = [one for one in RECORDINGS if sum(map(len, one.spans.values())) < 25]


def only(*spans: Span, logs: tuple[Mapping[str, Any], ...] = ()) -> AgentTrace:
    [run] = assemble(spans, logs)
    return run


def fingerprints(recording: Recording, spans: list[Span], logs: list[Mapping[str, Any]]) -> list[str]:
    found = []
    for one in recording.spans:
        runs = assemble(
            [span for span in spans if span.trace_id == one], [log for log in logs if log["trace_id"] == one]
        )
        found += [run.fingerprint for run in runs]
    return found


def test_run_is_told_whole() -> None:
    run = only(*agent_spans.trip())
    assert (run.agent_trace_id, run.trace_id, run.agent_span_id) == (run_id(1), trace_id(1), span_id(1))
    assert (run.agent_name, run.service_name, run.dialect) == ("travel", "tests", "genai")
    assert (run.input, run.final_response) == ("Find a flight to Paris", "Take AF007.")
    assert [(call.name, call.args, call.result, call.source) for call in run.tool_calls] == [
        ("search", {"to": "Paris"}, "AF007", "both")
    ]
    assert [message.role for message in run.messages] == ["user", "assistant", "tool", "assistant"]
    assert (len(run.llm_calls), run.input_tokens, run.output_tokens) == (2, 200, 20)
    assert (run.started_at, run.duration_ms) == (datetime(2026, 1, 1, tzinfo=UTC), 10_000.0)
    assert (run.completeness, run.gaps, run.error) == ("complete", (), None)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_same_set_of_spans_and_logs_gives_the_same_fingerprints_in_any_order_and_however_often(
    data: st.DataObject,
) -> None:
    recording = data.draw(st.sampled_from(SMALL))
    spans = [span for of_trace in recording.spans.values() for span in of_trace]
    repeated = data.draw(st.lists(st.sampled_from(spans), max_size=5))
    shuffled = data.draw(st.permutations([*spans, *repeated]))
    logs = data.draw(st.permutations(recording.logs)) if len(recording.logs) < 40 else recording.logs[::-1]
    assert fingerprints(recording, shuffled, list(logs)) == fingerprints(recording, spans, recording.logs)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_part_of_a_recording_is_assembled(data: st.DataObject) -> None:
    recording = data.draw(st.sampled_from(SMALL))
    spans = data.draw(st.sampled_from([*recording.spans.values()]))
    part = [span for span in spans if data.draw(st.booleans())]
    span_ids = {span.span_id for span in part} or {row["span_id"] for row in recording.logs}
    for run in assemble(part, recording.logs):
        assert run.agent_span_id in span_ids
        assert {call.span_id for call in run.tool_calls} <= span_ids | {None}


def test_fingerprint_changes_with_the_content_and_with_nothing_else() -> None:
    run, other = only(*agent_spans.trip()), only(*agent_spans.trip()[:-1])
    assert run.fingerprint != other.fingerprint
    assert only(*agent_spans.trip(), agent_spans.span(99, parent=1)).fingerprint == run.fingerprint


def test_call_id_that_another_trace_uses_too_is_nobodys_business() -> None:
    first, second = only(*agent_spans.trip(1)), only(*agent_spans.trip(2))
    assert [call.id for call in (*first.tool_calls, *second.tool_calls)] == ["call_1", "call_1"]
    assert first.tool_calls[0].span_id == second.tool_calls[0].span_id
    assert first.agent_trace_id != second.agent_trace_id


def test_two_runs_in_one_trace_share_nothing() -> None:
    first, second = assemble([*agent_spans.trip(first=1), *agent_spans.trip(first=11, name="clerk")])
    assert (first.agent_name, second.agent_name) == ("travel", "clerk")
    assert len(first.tool_calls) == len(second.tool_calls) == 1
    assert first.parent_agent_trace_id is second.parent_agent_trace_id is None


def test_calls_of_a_sub_agent_are_no_part_of_the_trajectory_of_the_agent_that_called_it() -> None:
    outer, inner = assemble(
        [
            *agent_spans.trip(),
            *agent_spans.trip(first=11, name="clerk", parent=3),
            agent_spans.tool(15, "book", parent=11, at_s=6),
        ]
    )
    assert [call.name for call in outer.trajectory] == ["search"]
    assert [call.name for call in inner.tool_calls] == ["search", "book"]
    assert inner.parent_agent_trace_id == outer.agent_trace_id == run_id(1)
    assert outer.input_tokens == inner.input_tokens == 200


@pytest.mark.parametrize("is_remote", [True, False, None], ids=["remote", "not-remote", "not-said"])
def test_agent_below_a_foreign_parent_is_complete(is_remote: bool | None) -> None:  # noqa: FBT001
    run = only(*agent_spans.trip()[1:], agent_spans.agent(1, parent=0xF0E, parent_is_remote=is_remote))
    assert (run.completeness, run.gaps) == ("complete", ())


def test_run_in_which_a_span_lost_its_parent_is_partial_and_tells_of_it_all_the_same() -> None:
    run = only(*agent_spans.trip(), agent_spans.tool(9, "book", parent=8, at_s=7, args={}, result="done"))
    assert (run.completeness, run.gaps) == ("partial", ("missing_parent",))
    assert [call.name for call in run.tool_calls] == ["search", "book"]


def test_run_whose_agent_span_has_not_ended_is_partial_and_has_no_end() -> None:
    run = only(agent_spans.agent(1, end_ns=0, duration_ms=None), *agent_spans.trip()[1:])
    assert (run.completeness, run.ended_at, run.duration_ms) == ("partial", None, None)
    assert len(run.tool_calls) == 1


def test_trace_of_model_calls_alone_is_a_run_whose_calls_come_from_messages() -> None:
    _, asking, _, answering = agent_spans.trip()
    run = only(agent_spans.span(1, for_s=10, name="POST /chat"), asking, answering)
    assert (run.agent_trace_id, run.agent_name) == (run_id(1), None)
    assert [(call.name, call.source, call.duration_ms) for call in run.tool_calls] == [("search", "message", None)]
    assert (run.input, run.final_response) == ("Find a flight to Paris", "Take AF007.")


def test_trace_in_which_no_agent_was_at_work_has_no_run() -> None:
    assert assemble([agent_spans.span(1), agent_spans.span(2, parent=1)]) == []
    assert assemble([]) == []


def test_calls_that_ran_at_the_same_time_are_all_told() -> None:
    arguments = [{"to": city} for city in ("Paris", "Rome", "Oslo")]
    asking = agent_spans.tool_call_message(*((f"call_{n}", "search", args) for n, args in enumerate(arguments)))
    ran = [
        agent_spans.tool(10 + n, parent=1, at_s=3, args=args, call_id=f"call_{n}") for n, args in enumerate(arguments)
    ]
    run = only(
        agent_spans.agent(1),
        agent_spans.chat(2, parent=1, at_s=1, hears=[agent_spans.text_message("user", "?")], says=[asking]),
        *ran,
    )
    assert [(call.args, call.source) for call in run.tool_calls] == [(args, "both") for args in arguments]


def test_agent_that_is_its_own_ancestor_is_told_once() -> None:
    run = only(agent_spans.agent(1, parent=4), *agent_spans.trip()[1:])
    assert (len(run.tool_calls), run.gaps) == (1, ("cyclic_parents",))


CIRCLES = {
    "two calls": [agent_spans.tool(3, parent=4, at_s=2), agent_spans.tool(4, "book", parent=3, at_s=4)],
    "calls that name themselves": [
        agent_spans.tool(3, parent=3, at_s=2),
        agent_spans.tool(4, "book", parent=4, at_s=4),
    ],
    "calls below spans that only give structure": [
        agent_spans.span(5, parent=6, at_s=1, for_s=8),
        agent_spans.span(6, parent=5, at_s=1, for_s=8),
        agent_spans.tool(3, parent=6, at_s=2),
        agent_spans.tool(4, "book", parent=5, at_s=4),
    ],
    "calls after the end of the run": [
        agent_spans.tool(3, parent=4, at_s=12),
        agent_spans.tool(4, "book", parent=3, at_s=14),
    ],
    "calls before the run": [agent_spans.tool(3, parent=4, at_s=-9), agent_spans.tool(4, "book", parent=3, at_s=-5)],
}


@pytest.mark.parametrize("spans", CIRCLES.values(), ids=CIRCLES)
@pytest.mark.parametrize(
    "top", [agent_spans.agent(1, for_s=10), agent_spans.chat(1, for_s=10)], ids=["agent", "model-call"]
)
def test_tool_calls_whose_parents_lead_in_a_circle_are_kept(top: Span, spans: list[Span]) -> None:
    runs = assemble([top, *spans])
    assert sorted(call.name for run in runs for call in run.tool_calls) == ["book", "search"]
    assert ["cyclic_parents" in run.gaps for run in runs] == [True]
    assert [run.completeness for run in runs] == ["complete"]


def test_model_call_whose_parents_lead_in_a_circle_is_part_of_the_run_around_its_time() -> None:
    run = only(
        agent_spans.agent(1, for_s=10), agent_spans.chat(2, parent=3, at_s=1), agent_spans.tool(3, parent=2, at_s=3)
    )
    assert (len(run.llm_calls), len(run.tool_calls)) == (1, 1)
    assert "cyclic_parents" in run.gaps


def test_tool_calls_in_a_circle_are_those_of_the_innermost_run_around_their_time() -> None:
    agents = [agent_spans.agent(1, for_s=20), agent_spans.agent(2, name="clerk", parent=1, at_s=5, for_s=10)]
    circle = [agent_spans.tool(3, parent=4, at_s=6), agent_spans.tool(4, "book", parent=3, at_s=8)]
    outer, inner = assemble([*agents, *circle])
    assert [(call.name, call.child_agent_trace_id) for call in inner.tool_calls] == [("search", None), ("book", None)]
    assert {call.child_agent_trace_id for call in outer.tool_calls} == {inner.agent_trace_id}
    assert ("cyclic_parents" in outer.gaps, "cyclic_parents" in inner.gaps) == (False, True)


def nameless(number: int = 3, *, span_name: str = "execute_tool ", **more: Any) -> Span:
    """A tool call whose name is an empty text."""
    return agent_spans.tool(number, "", name=span_name, **{"parent": 1, "at_s": 3, "result": "AF007", **more})


@pytest.mark.parametrize("span_name", ["execute_tool ", "execute_tool  ", ""])
def test_tool_call_with_an_empty_name_is_kept_and_said_to_have_none(span_name: str) -> None:
    run = only(agent_spans.agent(1), nameless(span_name=span_name, args={"to": "Paris"}))
    assert [(call.name, call.args, call.result) for call in run.tool_calls] == [("unknown", {"to": "Paris"}, "AF007")]
    assert run.gaps == ("tool_name_not_captured",)


def test_tool_call_with_an_empty_name_has_that_of_the_call_that_was_asked_for_under_its_id() -> None:
    asking = agent_spans.chat(
        2, parent=1, at_s=1, says=[agent_spans.tool_call_message(("call_1", "search", {"to": "Paris"}))]
    )
    run = only(agent_spans.agent(1), asking, nameless(call_id="call_1"))
    assert [(call.name, call.source, call.args) for call in run.tool_calls] == [("search", "both", {"to": "Paris"})]
    assert "tool_name_not_captured" not in run.gaps


def test_call_that_a_model_asked_for_with_an_empty_name_is_kept_and_is_that_of_the_span_with_its_id() -> None:
    asking = agent_spans.chat(
        2, parent=1, at_s=1, says=[agent_spans.tool_call_message(("call_1", "", {"to": "Paris"}))]
    )
    alone, ran = (
        only(agent_spans.agent(1), asking),
        only(agent_spans.agent(1), asking, agent_spans.tool(3, parent=1, call_id="call_1")),
    )
    assert [(call.name, call.args) for call in alone.tool_calls] == [("unknown", {"to": "Paris"})]
    assert "tool_name_not_captured" in alone.gaps
    assert [(call.name, call.args) for call in ran.tool_calls] == [("search", {"to": "Paris"})]


def test_execution_with_an_empty_name_within_a_tool_call_is_that_call() -> None:
    run = only(agent_spans.agent(1), agent_spans.tool(3, parent=1, at_s=2, for_s=5), nameless(4, parent=3))
    assert [(call.name, call.result) for call in run.tool_calls] == [("search", "AF007")]


def test_model_call_that_only_wraps_another_is_counted_once() -> None:
    outer = agent_spans.chat(2, parent=1, at_s=1, for_s=3)
    inner = agent_spans.chat(3, parent=2, at_s=1.5, says=[agent_spans.text_message("assistant", "hi")])
    run = only(agent_spans.agent(1), outer, inner)
    assert ([call.span_id for call in run.llm_calls], run.input_tokens) == ([span_id(3)], 100)


def test_agents_own_total_counts_only_where_no_model_call_was_recorded() -> None:
    total = {"gen_ai.usage.input_tokens": 999}
    assert only(agent_spans.agent(1, attributes=total), *agent_spans.trip()[1:]).input_tokens == 200
    assert only(agent_spans.agent(1, attributes=total), agent_spans.tool(2, parent=1)).input_tokens == 999


@pytest.mark.parametrize(
    ("carrier", "session"),
    [
        pytest.param({"agent": "s1"}, "s1", id="on-the-agent"),
        pytest.param({"tool": "s1"}, "s1", id="on-a-step"),
        pytest.param({"beside": "s1"}, "s1", id="where-the-whole-trace-agrees"),
        pytest.param({"agent": "s1", "tool": "s2"}, "s1", id="agent-first"),
        pytest.param({"agent": " ", "tool": "s2"}, "s2", id="blanks-are-none"),
        pytest.param({"agent": " \t"}, None, id="blanks-alone"),
        pytest.param({}, None, id="nowhere"),
    ],
)
def test_session_is_that_of_the_nearest_span_that_names_one(carrier: dict[str, str], session: str | None) -> None:
    def key(name: str) -> dict[str, str]:
        return {"gen_ai.conversation.id": carrier[name]} if name in carrier else {}

    run = only(
        agent_spans.agent(1, attributes=key("agent")),
        agent_spans.tool(2, parent=1, attributes=key("tool")),
        agent_spans.tool(3, at_s=50, attributes=key("beside")),
    )
    assert run.session_id == session


def test_session_cannot_be_taken_for_two() -> None:
    run = only(agent_spans.agent(1, attributes={"gen_ai.conversation.id": "one\x1fsession:two"}))
    assert run.session_id == "one%1Fsession:two"


def test_failed_run_says_why() -> None:
    assert only(agent_spans.agent(1, status_code="error", status_message="rate limited")).error == "rate limited"


def test_tools_that_were_offered_are_told_once_with_the_schema_that_somebody_recorded() -> None:
    bare, full = '[{"name": "search"}]', '[{"name": "search", "parameters": {"type": "object"}}]'
    run = only(
        agent_spans.agent(1),
        agent_spans.chat(2, parent=1, at_s=1, attributes={"gen_ai.tool.definitions": bare}),
        agent_spans.chat(3, parent=1, at_s=3, attributes={"gen_ai.tool.definitions": full}),
    )
    assert run.tool_definitions is not None
    assert [(definition.name, definition.input_schema) for definition in run.tool_definitions] == [
        ("search", {"type": "object"})
    ]
    assert only(agent_spans.agent(1)).tool_definitions is None


def test_counts_that_cannot_be_true_are_not_recorded() -> None:
    run = only(
        agent_spans.chat(1, attributes={"gen_ai.usage.input_tokens": "9" * 400, "gen_ai.usage.output_tokens": -1})
    )
    assert (run.input_tokens, run.output_tokens) == (None, None)


def test_arguments_nested_without_end_are_kept_as_text() -> None:
    bottomless = '{"a":' * 300 + "1" + "}" * 300
    run = only(agent_spans.agent(1), agent_spans.tool(2, parent=1, args=bottomless, result=bottomless))
    assert (run.tool_calls[0].args, run.tool_calls[0].args_text) == (None, bottomless)
    assert run.tool_calls[0].result == bottomless


def test_messages_in_span_events_are_read() -> None:
    event = Event(
        "gen_ai.client.inference.operation.details",
        1,
        {"gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"hi"}]}]'},
    )
    assert only(agent_spans.chat(1, events=(event,))).final_response == "hi"
