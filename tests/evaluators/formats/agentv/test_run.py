"""AgentV's files are read and written back, and what is wrong in them is named with its place."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.formats.agentv import read_evaluator, read_run, write_run
from tracegrade.evaluators.model import AgentTrace, ExpectedCall, Message, TextPart, ToolCall, ToolCallPart

SEARCH = {
    "tool": "knowledgeSearch",
    "input": {"query": "REST vs GraphQL"},
    "output": {"results": []},
    "id": "call_123",
    "timestamp": "2024-01-15T10:30:00Z",
    "duration_ms": 45,
}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
CALLS = st.fixed_dictionaries(
    {"tool": st.sampled_from(["a", "b"])},
    optional={
        "input": JSON,
        "output": JSON,
        "id": st.sampled_from(["1", "2", "3"]),
        "duration_ms": st.integers(0, 9) | st.none(),
        "timestamp": st.sampled_from(["2024-01-15T10:30:00Z", "2024-01-15T12:30:00.5+02:00"]),
    },
)
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["assistant", "user", "tool"])},
    optional={"content": JSON, "tool_calls": st.lists(CALLS, max_size=3) | st.none(), "name": st.text(max_size=3)},
)


def make_transcript(*calls: Any, **message: Any) -> dict[str, Any]:
    return {"output_messages": [{"role": "assistant", "tool_calls": list(calls), **message}]}


def make_check(mode: str, **wanted: Any) -> dict[str, Any]:
    return {"name": "check", "type": "tool_trajectory", "mode": mode, **wanted}


def test_a_run_is_read_with_its_calls_and_its_last_answer() -> None:
    run = read_run({"id": "eval-001", **make_transcript(SEARCH, content="I'll search."), "duration_ms": 900})
    (call,) = run.tool_calls
    assert (call.name, call.args, call.id) == ("knowledgeSearch", {"query": "REST vs GraphQL"}, "call_123")
    assert (call.result, call.duration_ms, call.source) == ('{"results":[]}', 45, "message")
    assert call.started_at == datetime(2024, 1, 15, 10, 30, tzinfo=UTC)
    assert (run.final_response, run.duration_ms) == ("I'll search.", 900)
    assert run.messages[0].tool_calls == (ToolCallPart(id="call_123", name=call.name, arguments=call.args),)


def test_what_is_left_out_reads_as_not_recorded() -> None:
    (call,) = read_run(make_transcript({"tool": "search", "duration_ms": None})).tool_calls
    assert (call.args, call.args_text, call.result, call.duration_ms, call.started_at) == (None,) * 5


def test_later_releases_call_the_messages_output() -> None:
    assert read_run({"output": [{"role": "assistant", "tool_calls": [{"tool": "a"}]}]}).tool_calls[0].name == "a"


def test_an_input_that_is_no_object_is_kept_as_text() -> None:
    (call,) = read_run(make_transcript({"tool": "shell", "input": "ls -l"})).tool_calls
    assert (call.args, call.args_text) == (None, "ls -l")


@pytest.mark.parametrize(
    ("run", "place"),
    [
        pytest.param([], "the run is a list", id="no object"),
        pytest.param({}, "the run has no output_messages", id="no messages"),
        pytest.param({"output_messages": {}}, "output_messages is an object; write a list", id="messages are no list"),
        pytest.param({"output_messages": [7]}, "output_messages[0] is a number", id="message is no object"),
        pytest.param({"output_messages": [{}]}, "output_messages[0].role is null", id="no role"),
        pytest.param(make_transcript({}), "output_messages[0].tool_calls[0] has no name", id="no tool"),
        pytest.param(
            make_transcript(SEARCH, "search"), "output_messages[0].tool_calls[1] is text", id="call is no object"
        ),
        pytest.param(
            make_transcript({"tool": "a", "duration_ms": -1}), "tool_calls[0].duration_ms", id="negative duration"
        ),
        pytest.param(
            make_transcript({"tool": "a", "timestamp": "noon"}), "tool_calls[0]: its timestamp", id="no timestamp"
        ),
        pytest.param({**make_transcript(), "cost_usd": True}, "cost_usd is a boolean", id="cost is no number"),
        pytest.param(
            {**make_transcript(), "cost_usd": 10**400}, "cost_usd is negative or not finite", id="cost beyond doubles"
        ),
    ],
)
def test_a_fault_in_a_run_is_named_with_its_place(run: Any, place: str) -> None:
    with pytest.raises(ValueError) as fault:
        read_run(run)
    assert place in str(fault.value)


def test_a_run_is_written_as_it_was_read() -> None:
    run = {**make_transcript(SEARCH, content="I'll search."), "duration_ms": 900.0}
    written = write_run(read_run(run))
    assert written == {
        "output_messages": [
            {
                "role": "assistant",
                "content": "I'll search.",
                "tool_calls": [{**SEARCH, "timestamp": "2024-01-15T10:30:00+00:00"}],
            }
        ],
        "duration_ms": 900.0,
    }


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(MESSAGES, max_size=4))
def test_writing_loses_nothing_that_was_read(messages: list[Any]) -> None:
    run = read_run({"output_messages": messages})
    again = read_run(write_run(run))
    assert (again.messages, again.final_response) == (run.messages, run.final_response)
    assert sorted(map(repr, again.tool_calls)) == sorted(map(repr, run.tool_calls))


def test_calls_that_no_message_asks_for_are_written_in_a_message_of_their_own() -> None:
    trace = AgentTrace(
        messages=(Message(role="user", parts=(TextPart(content="hi"),)),),
        tool_calls=(ToolCall(name="a", args={}, duration_ms=5),),
    )
    assert write_run(trace)["output_messages"] == [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "tool_calls": [{"tool": "a", "input": {}, "duration_ms": 5}]},
    ]


def test_a_call_that_was_asked_for_and_not_made_is_written_without_a_result() -> None:
    asked = Message(role="assistant", parts=(ToolCallPart(name="a", arguments={"q": 1}),))
    assert write_run(AgentTrace(messages=(asked,)))["output_messages"] == [
        {"role": "assistant", "tool_calls": [{"tool": "a", "input": {"q": 1}}]}
    ]


def test_an_evaluator_block_becomes_options_and_a_reference() -> None:
    options, reference = read_evaluator(
        make_check(
            "in_order",
            expected=[
                {"tool": "search", "args": {"query": "x"}, "max_duration_ms": 100, "args_match": ["query"]},
                {"tool": "process", "args": "any"},
                {"tool": "save"},
            ],
        )
    )
    assert options == {"era": "v2", "mode": "in_order"}
    assert reference.expected_tool_calls == (
        ExpectedCall(name="search", args={"query": "x"}, max_duration_ms=100, args_match=("query",)),
        ExpectedCall(name="process"),
        ExpectedCall(name="save"),
    )


def test_minimums_are_for_any_order() -> None:
    options, reference = read_evaluator(make_check("any_order", minimums={"search": 2, "read": 0}))
    assert (options["mode"], reference.minimums) == ("any_order", {"search": 2, "read": 0})
    assert reference.expected_tool_calls is None


def test_the_spelling_of_the_type_tells_the_era() -> None:
    options, _ = read_evaluator({**make_check("exact", expected=[]), "type": "tool-trajectory", "args_match": "subset"})
    assert options == {"era": "v4", "mode": "exact", "args_match": "subset"}


def test_a_block_judges_a_run() -> None:
    options, reference = read_evaluator(
        make_check("exact", expected=[{"tool": "knowledgeSearch", "max_duration_ms": 10}])
    )
    run = read_run(make_transcript(SEARCH)).model_copy(update={"reference": reference})
    (score,) = evaluate(configure("agentv:tool_trajectory", options=options), run)
    assert (score.value, score.passed) == (0.5, False)
    assert score.explanation == "knowledgeSearch took 45ms (max: 10ms)"


@pytest.mark.parametrize(
    ("block", "fault"),
    [
        pytest.param([], "the evaluator is a list", id="no object"),
        pytest.param({**make_check("exact", expected=[]), "type": "contains"}, "type: 'contains'", id="another type"),
        pytest.param(make_check("banana", expected=[]), "mode: 'banana' is not one of", id="unknown mode"),
        pytest.param(make_check("any_order", expected=[]), "has no minimums", id="no minimums"),
        pytest.param(make_check("exact", minimums={}), "has no expected", id="no expected calls"),
        pytest.param(make_check("exact", expected=[{}]), "expected[0] has no name", id="expected call without a tool"),
        pytest.param(
            make_check("exact", expected=[{"tool": "a", "args": [1]}]), "expected[0]", id="arguments are a list"
        ),
        pytest.param(
            make_check("exact", expected=[{"tool": "a", "args_match": "near"}]),
            "expected[0] (a): its args_match is 'near'; write exact",
            id="item's match",
        ),
        pytest.param(make_check("exact", expected=[], args_match=[""]), "args_match: write exact", id="an empty path"),
        pytest.param(make_check("any_order", minimums={"a": -1}), "minimums.a is not a count", id="negative minimum"),
        pytest.param(make_check("any_order", minimums={"a": True}), "minimums.a is not a count", id="boolean minimum"),
        pytest.param(
            make_check("exact", expected=[], minimum={}), "unknown key 'minimum' (did you mean 'minimums'?)", id="key"
        ),
        pytest.param(make_check("in_ordr", expected=[]), "did you mean 'in_order'?", id="misspelt mode"),
        pytest.param(make_check("exact", expected=[], strict="yes"), "strict: write true or false", id="strict"),
        pytest.param(make_check("exact", expected=[], negate=True), "negate", id="negated"),
    ],
)
def test_a_fault_in_a_block_is_named_with_its_place(block: Any, fault: str) -> None:
    with pytest.raises(ValueError) as refusal:
        read_evaluator(block)
    assert fault in str(refusal.value)
