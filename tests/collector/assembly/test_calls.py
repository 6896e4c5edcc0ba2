from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.support import agent_spans

from tracegrade.collector import dialects
from tracegrade.collector.assembly import assemble
from tracegrade.collector.assembly.answers import Answers
from tracegrade.collector.assembly.calls import build_tool_calls, merge_tool_spans
from tracegrade.collector.assembly.run import Reading
from tracegrade.collector.assembly.tree import Tree
from tracegrade.collector.spans.span import Span
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import ToolCall, ToolCallPart


def build_calls(
    ran: list[Span], asked: list[ToolCallPart] | None = None, answers: Mapping[str, Sequence[str | None]] | None = None
) -> list[ToolCall]:
    read = [(span, dialects.read(span)) for span in ran]
    return build_tool_calls(
        [Reading(span, reading[1], reading[0]) for span, reading in read if reading],
        asked or [],
        Answers(answers or {}),
    )


def asks(name: str = "search", args: Any = None, *, call_id: str | None = None) -> ToolCallPart:
    return ToolCallPart(id=call_id, name=name, arguments=args)


def outline_calls(calls: list[ToolCall]) -> list[tuple[str, str, str | None]]:
    return [(call.name, call.source, call.status) for call in calls]


def test_call_that_ran_is_told_by_its_span() -> None:
    span = agent_spans.tool(3, args={"to": "Paris"}, result="AF007", call_id="call_1")
    [call] = build_calls([span])
    assert (call.id, call.name, call.args, call.result) == ("call_1", "search", {"to": "Paris"}, "AF007")
    assert (call.status, call.source, call.span_id, call.duration_ms) == ("ok", "span", span.span_id, 1000.0)


def test_call_that_was_asked_for_and_ran_is_one_call() -> None:
    span = agent_spans.tool(3, args={"to": "Paris"}, call_id="call_1")
    assert outline_calls(build_calls([span], [asks(args={"to": "Paris"}, call_id="call_1")])) == [
        ("search", "both", "ok")
    ]


@pytest.mark.parametrize(
    ("ran", "asked"),
    [
        pytest.param(agent_spans.tool(3, call_id="a", args={"x": 1}), asks(call_id="a", args={"x": 2}), id="by-id"),
        pytest.param(
            agent_spans.tool(3, args={"x": 1, "y": 2}), asks(call_id="a", args={"y": 2, "x": 1}), id="by-arguments"
        ),
        pytest.param(agent_spans.tool(3, args={"x": 1}), asks(call_id="a", args={"x": 2}), id="by-name"),
        pytest.param(agent_spans.tool(3), asks(call_id="a", args={"x": 2}), id="by-name-without-arguments"),
    ],
)
def test_span_finds_the_call_that_was_asked_for(ran: Span, asked: ToolCallPart) -> None:
    assert outline_calls(build_calls([ran], [asked])) == [("search", "both", "ok")]


def test_tool_that_a_server_runs_under_its_short_name_is_the_call_that_was_asked_for() -> None:
    ran = agent_spans.tool(3, "create_issue", call_id="a", args={"x": 1})
    assert outline_calls(build_calls([ran], [asks("mcp__github__create_issue", {"x": 1}, call_id="a")])) == [
        ("create_issue", "both", "ok")
    ]


def test_same_id_of_another_tool_is_another_call() -> None:
    calls = build_calls([agent_spans.tool(3, "book", call_id="call_1")], [asks("search", call_id="call_1")])
    assert sorted(outline_calls(calls)) == [("book", "span", "ok"), ("search", "message", "not_executed")]


def test_parallel_calls_of_one_tool_find_their_own_arguments_whatever_their_order() -> None:
    ran = [agent_spans.tool(3, args={"to": "Rome"}), agent_spans.tool(4, args={"to": "Paris"})]
    requested = [asks(args={"to": "Paris"}, call_id="a"), asks(args={"to": "Rome"}, call_id="b")]
    assert [(call.id, call.args) for call in build_calls(ran, requested)] == [
        ("b", {"to": "Rome"}),
        ("a", {"to": "Paris"}),
    ]


def test_equal_calls_are_as_many_as_ran() -> None:
    ran = [agent_spans.tool(number, args={"to": "Paris"}) for number in (3, 4, 5)]
    requested = [asks(args={"to": "Paris"}, call_id=call_id) for call_id in "abc"]
    calls = build_calls(ran, requested)
    assert [call.id for call in calls] == ["a", "b", "c"]
    assert {call.source for call in calls} == {"both"}


def test_calls_without_any_span_ran_where_they_were_answered() -> None:
    calls = build_calls([], [asks(call_id="a"), asks("book", call_id="b")], {"a": ["AF007"]})
    assert outline_calls(calls) == [("search", "message", "ok"), ("book", "message", "not_executed")]
    assert (calls[0].result, calls[0].duration_ms, calls[0].started_at) == ("AF007", None, None)


def test_call_without_a_span_never_ran_where_others_have_one_though_it_was_answered() -> None:
    calls = build_calls(
        [agent_spans.tool(3, call_id="a")], [asks(call_id="a"), asks("unknown", call_id="b")], {"b": ["no such tool"]}
    )
    assert outline_calls(calls) == [("search", "both", "ok"), ("unknown", "message", "not_executed")]
    assert calls[1].result == "no such tool"


def test_call_that_never_ran_stands_behind_the_one_asked_for_before_it() -> None:
    ran = [agent_spans.tool(3, call_id="a"), agent_spans.tool(4, "book", call_id="c")]
    requested = [asks(call_id="a"), asks("unknown", call_id="b"), asks("book", call_id="c")]
    assert [call.name for call in build_calls(ran, requested)] == ["search", "unknown", "book"]


def test_result_comes_from_the_answer_where_the_span_has_none() -> None:
    [call] = build_calls([agent_spans.tool(3, call_id="a")], answers={"a": ["AF007"]})
    assert call.result == "AF007"


def test_empty_result_is_a_result() -> None:
    [call] = build_calls([agent_spans.tool(3, call_id="a", result="")], answers={"a": ["AF007"]})
    assert call.result == ""


def test_failed_call_is_an_error() -> None:
    [call] = build_calls([agent_spans.tool(3, status_code="error", status_message="sold out")])
    assert (call.status, call.error) == ("error", "sold out")


@pytest.mark.parametrize(
    ("recorded", "asked", "args", "args_text"),
    [
        pytest.param({"to": "Paris"}, None, {"to": "Paris"}, None, id="object"),
        pytest.param(None, {"to": "Paris"}, {"to": "Paris"}, None, id="only-asked"),
        pytest.param("Paris", {"to": "Paris"}, {"to": "Paris"}, None, id="bare-value-gives-way"),
        pytest.param("Paris", None, None, "Paris", id="bare-value"),
        pytest.param(None, '{"to": "Par', None, '{"to": "Par', id="cut-off"),
        pytest.param(None, None, None, None, id="not-recorded"),
        pytest.param({}, None, {}, None, id="empty-is-recorded"),
        pytest.param({"to": "Paris"}, {"to": "Paris", "by": "AF"}, {"to": "Paris", "by": "AF"}, None, id="dropped"),
        pytest.param({"to": "Paris"}, '{"to": "Par', {"to": "Paris"}, '{"to": "Par', id="mended"),
    ],
)
def test_arguments_are_an_object_or_the_text_that_is_none(
    recorded: Any, asked: Any, args: dict[str, Any] | None, args_text: str | None
) -> None:
    [call] = build_calls([agent_spans.tool(3, args=recorded, call_id="a")], [asks(args=asked, call_id="a")])
    assert (call.args, call.args_text) == (args, args_text)


@pytest.mark.parametrize(
    ("recorded", "asked", "args"),
    [
        pytest.param({"to": "Paris", "by": None}, {"to": "Paris"}, {"to": "Paris"}, id="defaults-filled-in"),
        pytest.param({"arg0": "Paris"}, {"to": "Paris"}, {"to": "Paris"}, id="no-names"),
        pytest.param({"to": "Rome"}, {"to": "Paris"}, {"to": "Rome"}, id="other-arguments"),
    ],
)
def test_arguments_of_a_span_without_an_id_give_way_to_those_asked_for_that_they_came_from(
    recorded: Any, asked: Any, args: Any
) -> None:
    [call] = build_calls([agent_spans.tool(3, args=recorded)], [asks(args=asked, call_id="a")])
    assert call.args == args


def test_tool_whose_answer_says_that_it_failed_has_failed_whatever_its_span_says() -> None:
    read = [
        Reading(span, reading[1], reading[0])
        for span in [agent_spans.tool(3, call_id="a")]
        if (reading := dialects.read(span))
    ]
    [call] = build_tool_calls(read, [asks(call_id="a")], Answers({"a": ["no seat"]}, failed={"a"}))
    assert (call.status, call.error, call.result) == ("error", "no seat", "no seat")


def test_execution_within_a_tool_span_has_its_time_and_its_failure() -> None:
    outer = agent_spans.tool(3, call_id="call_1", for_s=9)
    read = [
        Reading(outer, Step(kind="tool", tool_name="search", call_id="call_1"), "claude_code"),
        Reading(
            agent_spans.span(4, parent=3, at_s=8),
            Step(kind="tool", error="no seat", duration_ms=1_000.0),
            "claude_code",
        ),
    ]
    tree = Tree([reading.span for reading in read])
    [call] = build_tool_calls(
        merge_tool_spans(tree.nearest({reading.span.span_id for reading in read}), read), [], Answers({})
    )
    assert (call.name, call.error, call.duration_ms) == ("search", "no seat", 1_000.0)


def test_plain_function_that_is_named_like_a_tool_that_was_asked_for_is_that_tool_at_work() -> None:
    function = agent_spans.span(3, parent=1, at_s=3, name="search", attributes={"openinference.span.kind": "CHAIN"})
    question = agent_spans.chat(
        2, parent=1, at_s=1, says=[agent_spans.tool_call_message(("call_1", "search", {"to": "Paris"}))]
    )
    [run] = assemble([agent_spans.agent(1), question, function])
    [call] = run.tool_calls
    assert (call.args, call.duration_ms, call.span_id) == ({"to": "Paris"}, 1000.0, function.span_id)


def test_nothing_ran_and_nothing_was_asked_for() -> None:
    assert build_calls([]) == []


def each_once(*spans: Span) -> list[Step]:
    read = [Reading(span, reading[1], reading[0]) for span in spans if (reading := dialects.read(span))]
    return [one.step for one in merge_tool_spans(Tree(spans).nearest({one.span.span_id for one in read}), read)]


def test_tool_span_within_one_of_the_same_tool_is_the_same_call() -> None:
    outer = agent_spans.tool(3, call_id="call_1", args={"to": "Paris"}, for_s=3)
    client = agent_spans.tool(4, parent=3, args={"to": "Paris", "session": 1}, result="AF007", for_s=2)
    server = agent_spans.tool(5, parent=4, status_code="error", status_message="no seat")
    [step] = each_once(outer, client, server)
    assert (step.call_id, step.args, step.result, step.error) == ("call_1", {"to": "Paris"}, "AF007", "no seat")


def test_tool_that_calls_another_is_two_calls() -> None:
    assert len(each_once(agent_spans.tool(3, "plan"), agent_spans.tool(4, "search", parent=3))) == 2


def test_two_records_of_one_call_id_at_the_same_time_are_one_call() -> None:
    first = agent_spans.tool(3, call_id="call_1", args={"to": "Paris"})
    [step] = each_once(first, agent_spans.tool(4, call_id="call_1", at_s=0.1, result="AF007"))
    assert (step.args, step.result) == ({"to": "Paris"}, "AF007")


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(agent_spans.tool(4, call_id="call_1", at_s=5), id="later"),
        pytest.param(agent_spans.tool(4, call_id="call_2"), id="another-id"),
        pytest.param(agent_spans.tool(4), id="no-id"),
        pytest.param(agent_spans.tool(4, "book", call_id="call_1"), id="another-tool"),
    ],
)
def test_other_records_are_other_calls(second: Span) -> None:
    assert len(each_once(agent_spans.tool(3, call_id="call_1"), second)) == 2


def test_call_that_the_models_provider_carried_out_ran_though_others_have_spans() -> None:
    parts = [
        {"type": "server_tool_call", "id": "srv_1", "name": "web", "server_tool_call": {"type": "web", "q": "Paris"}},
        {"type": "server_tool_call_response", "id": "srv_1", "server_tool_call_response": {"hits": 3}},
    ]
    asks_too = agent_spans.tool_call_message(("call_1", "search", {}))
    spans = [
        agent_spans.agent(1),
        agent_spans.chat(2, parent=1, at_s=1, says=[{"role": "assistant", "parts": [*parts, *asks_too["parts"]]}]),
        agent_spans.tool(3, parent=1, at_s=3, call_id="call_1", args={}, result="x"),
    ]
    [run] = assemble(spans)
    [web, search] = run.tool_calls
    assert (web.name, web.args, web.status, json.loads(web.result or "")) == ("web", {"q": "Paris"}, "ok", {"hits": 3})
    assert search.span_id is not None


@pytest.mark.parametrize(
    ("parts", "result"),
    [
        pytest.param(
            [
                {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"q": "Paris"}},
                {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"url": "a"}]},
            ],
            '[{"url":"a"}]',
            id="anthropic",
        ),
        pytest.param(
            [{"type": "tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"q": "Paris"}}],
            None,
            id="anthropic-without-the-result",
        ),
        pytest.param(
            [{"type": "tool_call", "id": f"ws_{'0a' * 12}", "name": "web_search", "arguments": {"q": "Paris"}}],
            None,
            id="openai-without-the-result",
        ),
    ],
)
def test_tool_that_the_provider_runs_is_executed_whatever_is_recorded_of_it(
    parts: list[dict[str, Any]], result: str | None
) -> None:
    spans = [
        agent_spans.agent(1),
        agent_spans.chat(
            2,
            parent=1,
            at_s=1,
            says=[{"role": "assistant", "parts": parts}, agent_spans.text_message("assistant", "Found.")],
        ),
        agent_spans.tool(3, "save", parent=1, at_s=3, args={}, result="x"),
    ]
    [run] = assemble(spans)
    hosted = next(call for call in run.tool_calls if call.name == "web_search")
    assert (hosted.args, hosted.status, hosted.result) == ({"q": "Paris"}, "ok", result)


def test_failure_of_a_tool_that_the_provider_runs_is_an_error() -> None:
    failure = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    parts = [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": failure},
    ]
    [run] = assemble(
        [agent_spans.agent(1), agent_spans.chat(2, parent=1, at_s=1, says=[{"role": "assistant", "parts": parts}])]
    )
    assert [call.status for call in run.tool_calls] == ["error"]


def test_call_that_comes_again_in_the_chunks_of_one_answer_is_one_call() -> None:
    chunks = [
        agent_spans.tool_call_message(("call_1", "search", {})),
        agent_spans.tool_call_message(("call_1", "search", {"to": "Paris"})),
    ]
    [run] = assemble(
        [
            agent_spans.agent(1),
            agent_spans.chat(2, parent=1, at_s=1, says=chunks),
            agent_spans.tool(3, parent=1, at_s=3, call_id="call_1", result="x"),
        ]
    )
    assert [(call.args, call.status) for call in run.tool_calls] == [({"to": "Paris"}, "ok")]


def test_thousands_of_calls_find_their_spans_in_the_time_they_take() -> None:
    ran = [agent_spans.tool(number, args={"n": number}) for number in range(1, 5001)]
    requested = [asks(args={"n": number}) for number in range(5000, 0, -1)]
    assert {call.source for call in build_calls(ran, requested)} == {"both"}
