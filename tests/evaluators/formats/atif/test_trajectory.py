"""Trajectories in ATIF are read in every version, and written so that the same run is read again."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.session_logs import faults_of, make_records, runs_of

from tracegrade.evaluators.formats.atif.kind import KIND
from tracegrade.evaluators.formats.atif.trajectory import read_trajectory
from tracegrade.evaluators.formats.atif.version import Version
from tracegrade.evaluators.formats.atif.writing import write_trajectory
from tracegrade.evaluators.formats.imported import Imported
from tracegrade.evaluators.formats.record import Record
from tracegrade.evaluators.model import (
    AgentTrace,
    ExpectedCall,
    GenericPart,
    LlmCall,
    Message,
    ReasoningPart,
    Reference,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
    ToolDefinition,
)

VERSIONS = get_args(Version)
STOCK = {
    "schema_version": "ATIF-v1.4",
    "session_id": "025B810F",
    "agent": {"name": "harbor-agent", "version": "1.0.0", "model_name": "gemini-2.5-flash"},
    "steps": [
        {
            "step_id": 1,
            "timestamp": "2025-10-11T10:30:00Z",
            "source": "user",
            "message": "What is the current trading price of Alphabet (GOOGL)?",
        },
        {
            "step_id": 2,
            "timestamp": "2025-10-11T10:30:02Z",
            "source": "agent",
            "message": "I will search for the current trading price and volume for GOOGL.",
            "reasoning_content": "Two searches.",
            "tool_calls": [
                {
                    "tool_call_id": "call_price_1",
                    "function_name": "financial_search",
                    "arguments": {"ticker": "GOOGL", "metric": "price"},
                },
                {
                    "tool_call_id": "call_volume_2",
                    "function_name": "financial_search",
                    "arguments": {"ticker": "GOOGL", "metric": "volume"},
                },
            ],
            "observation": {
                "results": [
                    {"source_call_id": "call_price_1", "content": "GOOGL is currently trading at $185.35"},
                    {"source_call_id": "call_volume_2", "content": "GOOGL volume: 1.5M shares traded."},
                ]
            },
            "metrics": {"prompt_tokens": 520, "completion_tokens": 80, "cached_tokens": 200, "cost_usd": 0.00045},
        },
        {
            "step_id": 3,
            "timestamp": "2025-10-11T10:30:05Z",
            "source": "agent",
            "message": "As of October 11, 2025, it trades at $185.35.",
            "metrics": {"prompt_tokens": 600, "completion_tokens": 44, "cost_usd": 0.00033},
        },
    ],
    "final_metrics": {
        "total_prompt_tokens": 1120,
        "total_completion_tokens": 124,
        "total_cached_tokens": 200,
        "total_cost_usd": 0.00078,
        "total_steps": 3,
    },
}


def make_document(*steps: dict[str, Any], version: str = "ATIF-v1.8", **fields: Any) -> dict[str, Any]:
    numbered = [{"step_id": number, **step} for number, step in enumerate(steps, 1)]
    return {"schema_version": version, "agent": {"name": "a", "version": "1"}, "steps": numbered, **fields}


def ask(text: Any, **fields: Any) -> dict[str, Any]:
    return {"source": "user", "message": text, **fields}


def act(message: Any = "", **fields: Any) -> dict[str, Any]:
    return {"source": "agent", "message": message, **fields}


def call(name: str = "f", call_id: str = "c1", **fields: Any) -> dict[str, Any]:
    return {"tool_call_id": call_id, "function_name": name, "arguments": {}, **fields}


def give(content: Any, call_id: str | None = "c1", **fields: Any) -> dict[str, Any]:
    return {"results": [{"source_call_id": call_id, "content": content, **fields}]}


def read_run(document: Any) -> AgentTrace:
    ((run,),) = read_trajectory(document)
    return run


def write_and_read(run: AgentTrace, *sub_agents: AgentTrace, **options: Any) -> list[AgentTrace]:
    document = json.loads(json.dumps(write_trajectory(run, sub_agents, **options)))
    (family,) = read_trajectory(document)
    return list(family)


def test_the_example_of_the_specification_is_read() -> None:
    (entry,) = KIND.read(make_records([STOCK]))
    assert isinstance(entry, Imported)
    assert entry.run is not None
    run = entry.run
    assert (run.agent_name, run.agent_version, run.model, run.session_id) == (
        "harbor-agent",
        "1.0.0",
        "gemini-2.5-flash",
        "025B810F",
    )
    assert [(made.id, made.args, made.result, made.status) for made in run.tool_calls] == [
        ("call_price_1", {"ticker": "GOOGL", "metric": "price"}, "GOOGL is currently trading at $185.35", "ok"),
        ("call_volume_2", {"ticker": "GOOGL", "metric": "volume"}, "GOOGL volume: 1.5M shares traded.", "ok"),
    ]
    assert (run.input_tokens, run.output_tokens, run.cached_input_tokens) == (1120, 124, 200)
    assert run.cost_usd == pytest.approx(0.00078)
    assert run.input == "What is the current trading price of Alphabet (GOOGL)?"
    assert run.final_response == "As of October 11, 2025, it trades at $185.35."
    assert run.reasoning_steps == ("Two searches.",)
    assert run.started_at == datetime(2025, 10, 11, 10, 30, tzinfo=UTC)
    assert [message.role for message in run.messages] == ["user", "assistant", "tool", "tool", "assistant"]


def test_times_and_durations_that_are_not_recorded_stay_unknown() -> None:
    run = read_run(STOCK)
    assert (run.ended_at, run.duration_ms) == (None, None)
    assert {(made.started_at, made.duration_ms) for made in run.tool_calls} == {(None, None)}


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_is_read_and_written(version: Version) -> None:
    run = read_run({**STOCK, "schema_version": version})
    (again,) = write_and_read(run, version=version)
    assert again.tool_calls == run.tool_calls
    assert again.llm_calls == run.llm_calls
    assert again.messages == run.messages
    assert (again.input, again.final_response, again.cost_usd) == (run.input, run.final_response, run.cost_usd)


def test_a_later_version_is_read_like_the_newest_and_another_format_refused() -> None:
    assert read_run({**STOCK, "schema_version": "ATIF-v1.12"}).tool_calls
    with pytest.raises(ValueError, match=r"schema_version is 'ATIF-v2\.0'; versions ATIF-v1\.0 to ATIF-v1\.8 are read"):
        read_run({**STOCK, "schema_version": "ATIF-v2.0"})


FIELDS_SINCE = {
    "extra": 1,
    "tool_definitions": 5,
    "is_copied_context": 5,
    "trajectory_id": 7,
    "subagent_trajectories": 7,
    "llm_call_count": 7,
}


def keys_in(value: Any) -> set[str]:
    """The keys of a document, without those of arguments and of what we write beside."""
    if isinstance(value, list):
        return {key for item in value for key in keys_in(item)}
    if not isinstance(value, dict):
        return set()
    inner = (item for key, item in value.items() if key not in {"arguments", "extra"})
    return set(value) | {key for item in inner for key in keys_in(item)}


@pytest.mark.parametrize("version", VERSIONS)
def test_no_field_is_written_before_the_version_that_has_it(version: Version) -> None:
    minor = VERSIONS.index(version)
    history = (Message(role="user", parts=(TextPart(content="before"),)), Message(role="assistant", parts=()))
    picture = GenericPart(kind="image", content={"source": {"path": "a.png", "media_type": "image/png"}})
    run = AgentTrace(
        agent_trace_id="r",
        input="go",
        messages=(*history, Message(role="user", parts=(TextPart(content="go"), picture))),
        tool_calls=(ToolCall(name="f", args=None, duration_ms=3, error="no", status="error"),),
        tool_definitions=(ToolDefinition(name="f"),),
        llm_calls=(LlmCall(model="m", input_tokens=3),),
        error="failed",
    )
    child = AgentTrace(agent_trace_id="b", parent_agent_trace_id="r", agent_name="below", input="x")
    document = write_trajectory(run, [child], version=version)
    later = {field for field, since in FIELDS_SINCE.items() if since > minor}
    assert keys_in(document["steps"]) & (later - {"extra"}) == set()
    assert set(document) & later == set()
    assert set(document["agent"]) & later == set()
    assert all(isinstance(step["message"], str) for step in document["steps"]) or minor >= 6
    assert not any("extra" in item for step in document["steps"] for item in step.get("tool_calls", ())) or minor >= 7


def test_each_prompt_of_the_user_after_an_answer_is_a_run() -> None:
    document = make_document(
        {"source": "system", "message": "Be brief."},
        ask("One?"),
        act("Yes", tool_calls=[call()], observation=give("x")),
        ask("Two?"),
        ask("Please."),
        act("No"),
        session_id="s",
    )
    first, second = (family[0] for family in read_trajectory(document))
    assert (first.input, [made.name for made in first.tool_calls], first.session_id) == ("One?", ["f"], "s")
    assert (second.input, second.final_response, second.tool_calls) == ("Please.", "No", ())
    assert first.agent_trace_id != second.agent_trace_id
    assert read_trajectory({**document, "steps": document["steps"][:3]})[0][0].agent_trace_id == first.agent_trace_id


def test_copied_steps_are_history_and_their_calls_and_tokens_do_not_count() -> None:
    run = read_run(
        make_document(
            ask("One?", is_copied_context=True),
            act(
                "Yes",
                is_copied_context=True,
                tool_calls=[call()],
                observation=give("x"),
                metrics={"prompt_tokens": 5},
            ),
            ask("Two?"),
            act("No", metrics={"prompt_tokens": 7}),
        )
    )
    assert (run.input, run.input_tokens, run.tool_calls) == ("Two?", 7, ())
    assert [message.text for message in run.messages if message.role != "tool"] == ["One?", "Yes", "Two?", "No"]


def test_a_step_without_a_model_has_no_call_of_one() -> None:
    dispatched = act(llm_call_count=0, tool_calls=[call()], observation=give("x"))
    run = read_run(make_document(ask("go"), dispatched, act("done", metrics={"completion_tokens": 3})))
    assert [each.output_tokens for each in run.llm_calls] == [3]
    assert len(run.tool_calls) == 1


@pytest.mark.parametrize("mark", ["is_error", "tool_result_is_error"])
def test_a_result_that_is_marked_as_an_error_failed(mark: str) -> None:
    step = act(tool_calls=[call()], observation=give("no", extra={mark: True}))
    (made,) = read_run(make_document(ask("go"), step)).tool_calls
    assert (made.result, made.status) == ("no", "error")


def test_a_call_without_a_result_may_not_have_been_executed() -> None:
    (made,) = read_run(make_document(ask("go"), act(tool_calls=[call()]))).tool_calls
    assert (made.result, made.status) == (None, None)


def test_a_result_of_no_call_is_a_message() -> None:
    run = read_run(make_document(ask("go"), act("", observation=give("Tests pass.", None)), act("done")))
    assert run.messages[2].parts == (ToolCallResponsePart(response="Tests pass."),)
    assert run.final_response == "done"


PICTURE = {"type": "image", "source": {"media_type": "image/png", "path": "images/a.png"}}
SOUND = {"type": "audio", "source": {"media_type": "audio/wav", "path": "a.wav", "duration_sec": 1.5}}


def test_images_and_audio_are_kept_as_references() -> None:
    parts = [{"type": "text", "text": "Look:"}, PICTURE, SOUND]
    step = act("ok", tool_calls=[call()], observation=give([{"type": "text", "text": "Here"}, PICTURE]))
    run = read_run(make_document(ask(parts), step))
    assert run.messages[0].parts[1:] == (
        GenericPart(kind="image", content={"source": PICTURE["source"]}),
        GenericPart(kind="audio", content={"source": SOUND["source"]}),
    )
    assert run.tool_calls[0].result == "Here\n[image images/a.png]"
    assert write_trajectory(run)["steps"][0]["message"] == parts


SUB_AGENT = make_document(
    ask("Find it"),
    act("Found", tool_calls=[call("grep", "g")], observation=give("x", "g"), metrics={"prompt_tokens": 5}),
    trajectory_id="sub-1",
    agent={"name": "finder", "version": "1"},
)
DELEGATED = make_document(
    ask("Where?"),
    act(
        "There",
        tool_calls=[call("delegate", "d")],
        observation=give("Found", "d", subagent_trajectory_ref=[{"trajectory_id": "sub-1"}]),
        metrics={"prompt_tokens": 7},
    ),
    ask("And?"),
    act("Nothing"),
    session_id="s",
    subagent_trajectories=[SUB_AGENT],
)


def test_a_sub_agent_is_joined_to_the_run_that_refers_to_it() -> None:
    first, second = read_trajectory(DELEGATED)
    above, below = first
    assert len(second) == 1
    assert [(made.name, made.agent_name) for made in above.tool_calls] == [("delegate", None), ("grep", "finder")]
    assert above.tool_calls[1].child_agent_trace_id == below.agent_trace_id
    assert (below.parent_agent_trace_id, below.session_id, below.input) == (above.agent_trace_id, "s", "Find it")
    assert (above.input_tokens, above.total_input_tokens, above.total_tool_call_count) == (7, 12, 2)


def test_a_run_with_a_sub_agent_is_written_as_one_trajectory_and_read_again() -> None:
    first, _ = read_trajectory(DELEGATED)
    assert write_and_read(*first) == list(first)


def test_files_of_runs_with_sub_agents_are_lines_of_their_own() -> None:
    entries = list(KIND.read(make_records([DELEGATED, STOCK])))
    assert KIND.write is not None
    lines = [json.loads(line) for line in KIND.write([entry for entry in entries if isinstance(entry, Imported)])]
    assert [len(line.get("subagent_trajectories", ())) for line in lines] == [1, 0, 0]
    assert runs_of(KIND.read(make_records(lines))) == runs_of(entries)


def test_totals_count_where_steps_have_none() -> None:
    document = make_document(ask("go"), act("ok"), final_metrics={"total_prompt_tokens": 9, "total_cost_usd": 0.5})
    run = read_run(document)
    assert (run.input_tokens, run.total_input_tokens, run.cost_usd, run.total_cost_usd) == (9, 9, 0.5, 0.5)
    with_sub_agent = read_trajectory({**document, "subagent_trajectories": [SUB_AGENT]})[0][0]
    assert (with_sub_agent.cost_usd, with_sub_agent.total_cost_usd) == (None, 0.5)


def test_what_a_trajectory_says_of_itself_is_metadata_and_is_written_back() -> None:
    document = make_document(ask("go"), act("ok"), notes="n", trajectory_id="t", extra={"k": 1}, novelty=2)
    (entry,) = KIND.read(make_records([document]))
    assert isinstance(entry, Imported)
    assert entry.metadata == {"notes": "n", "trajectory_id": "t", "extra": {"k": 1}, "unknown_keys": {"novelty": 2}}
    assert KIND.write is not None
    (line,) = KIND.write([entry])
    written = json.loads(line)
    assert (written["notes"], written["trajectory_id"], written["extra"]["k"]) == ("n", "t", 1)


STORED = AgentTrace(
    agent_trace_id="0" * 31 + "1-" + "0" * 15 + "2",
    trace_id="0" * 31 + "1",
    agent_span_id="0" * 15 + "2",
    agent_name="shop",
    user_id="u",
    model="gpt-4.1",
    input="My money!",
    messages=(
        Message(role="user", parts=(TextPart(content="Hi"),)),
        Message(role="assistant", parts=(TextPart(content="Hello"),), span_id="a" * 16),
        Message(role="user", parts=(TextPart(content="My money!"),)),
        Message(
            role="assistant",
            parts=(ReasoningPart(content="Refund."), ToolCallPart(id="c1", name="refund", arguments={"order": 17})),
            span_id="b" * 16,
            time=datetime(2026, 1, 1, tzinfo=UTC),
        ),
        Message(role="tool", parts=(ToolCallResponsePart(id="c1", name="refund", response="no", is_error=True),)),
        Message(role="user", parts=(TextPart(content="Hurry"),)),
        Message(role="assistant", parts=(TextPart(content="Sorry"),), span_id="c" * 16),
    ),
    tool_calls=(
        ToolCall(
            name="refund",
            id="c1",
            args={"order": 17},
            result="no",
            error="Refused",
            status="error",
            started_at=datetime(2026, 1, 1, 0, 0, 1, tzinfo=UTC),
            duration_ms=12.5,
            span_id="d" * 16,
            source="both",
            metadata={"attempt": 2},
        ),
    ),
    llm_calls=(
        LlmCall(
            span_id="b" * 16,
            provider_name="openai",
            model="gpt-4.1",
            request_model="gpt-4.1",
            response_model="gpt-4.1-2025-04-14",
            finish_reasons=("tool_calls",),
            input_tokens=10,
            output_tokens=2,
            cached_input_tokens=4,
            reasoning_tokens=1,
            cost_usd=0.01,
            duration_ms=900,
        ),
        LlmCall(span_id="c" * 16, model="gpt-4.1", input_tokens=20, output_tokens=3),
    ),
    tool_definitions=(ToolDefinition(name="refund", description="Refunds", input_schema={"type": "object"}),),
    final_response="Sorry",
    reasoning_steps=("Refund.",),
    input_tokens=30,
    output_tokens=5,
    cached_input_tokens=4,
    cost_usd=0.01,
    total_input_tokens=30,
    total_output_tokens=5,
    total_cost_usd=0.01,
    total_tool_call_count=1,
    started_at=datetime(2026, 1, 1, tzinfo=UTC),
    ended_at=datetime(2026, 1, 1, 0, 0, 5, tzinfo=UTC),
    duration_ms=5000,
    gaps=("truncated",),
    reference=Reference(expected_tool_calls=(ExpectedCall(name="refund"),), source="case"),
)


def test_a_stored_run_is_read_again_with_all_that_it_has() -> None:
    (again,) = write_and_read(STORED)
    assert again.llm_calls == STORED.llm_calls
    assert again.tool_calls == STORED.tool_calls
    parts = [(message.role, message.parts, message.time) for message in STORED.messages]
    assert [(message.role, message.parts, message.time) for message in again.messages] == parts
    assert again.model_copy(update={"messages": STORED.messages}) == STORED


def test_messages_of_earlier_runs_are_written_as_copied_context() -> None:
    steps = write_trajectory(STORED)["steps"]
    assert [step.get("is_copied_context", False) for step in steps] == [True, True, False, False, False, False]


def test_a_run_without_messages_is_written_with_those_that_its_calls_imply() -> None:
    run = AgentTrace(
        input="go",
        tool_calls=(ToolCall(name="f", args=None), ToolCall(name="g", args_text="x", result="r", status=None)),
        llm_calls=(LlmCall(model="m", input_tokens=3),),
        input_tokens=3,
        final_response="done",
    )
    (again,) = write_and_read(run)
    assert again.tool_calls == run.tool_calls
    assert again.llm_calls == run.llm_calls
    assert (again.input, again.final_response, again.input_tokens, again.agent_name) == ("go", "done", 3, None)


def test_nothing_that_only_a_store_gives_is_taken_from_a_file() -> None:
    document = make_document(ask("go"), act("ok"), extra={"tracegrade": {"experiment_id": "x", "user_id": "u"}})
    run = read_run(document)
    assert (run.experiment_id, run.user_id) == (None, "u")


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        pytest.param([], "the trajectory is a list", id="a list"),
        pytest.param({}, "schema_version is None", id="no version"),
        pytest.param({**STOCK, "agent": None}, "agent.name is missing", id="no agent"),
        pytest.param({**STOCK, "agent": {"name": 7}}, "agent.name is a number", id="name"),
        pytest.param({**STOCK, "steps": []}, "steps is empty", id="no steps"),
        pytest.param({**STOCK, "steps": {}}, "steps is an object", id="steps"),
        pytest.param(
            make_document({"source": "robot"}), "steps[0].source is 'robot'; write system, user or agent", id="source"
        ),
        pytest.param(make_document({"source": "user"}), "steps[0].message is missing", id="no message"),
        pytest.param(make_document(ask(7)), "steps[0].message is a number", id="message"),
        pytest.param(make_document(ask([{"type": "video"}])), "steps[0].message[0].type is 'video'", id="part"),
        pytest.param(make_document(ask([{"type": "image"}])), "steps[0].message[0].source.path is missing", id="image"),
        pytest.param(make_document(ask("x", timestamp="noon")), "steps[0].timestamp is 'noon'", id="time"),
        pytest.param(
            make_document(act(tool_calls=[call("")])), "steps[0].tool_calls[0].function_name is missing", id="no name"
        ),
        pytest.param(
            make_document(act(tool_calls=[call(arguments="{}")])),
            "steps[0].tool_calls[0].arguments is text",
            id="arguments",
        ),
        pytest.param(
            make_document(act(metrics={"prompt_tokens": -1})), "steps[0].metrics.prompt_tokens is -1", id="tokens"
        ),
        pytest.param(
            make_document(act(observation={"results": [7]})), "steps[0].observation.results[0] is a number", id="result"
        ),
        pytest.param(
            make_document(act(tool_calls=[call(extra={"tracegrade": {"duration_ms": "x"}})])),
            "steps[0].tool_calls[0].extra.tracegrade.duration_ms",
            id="what we wrote beside",
        ),
        pytest.param(
            make_document(ask("x"), subagent_trajectories=[make_document(ask(7))]),
            "subagent_trajectories[0].steps[0].message is a number",
            id="sub-agent",
        ),
    ],
)
def test_a_fault_names_the_record_and_the_field(document: Any, reason: str) -> None:
    entries = list(KIND.read(make_records([document, STOCK])))
    ((place, fault),) = faults_of(entries)
    assert (place, fault[: len(reason)]) == ("line 1", reason)
    assert isinstance(entries[1], Imported)


def test_trajectories_are_recognised_by_their_version() -> None:
    assert KIND.claim(Record("line 1", STOCK)).strength == 3
    assert KIND.claim(Record("line 1", {"schema_version": "agentv.transcript.v1"})).strength == 0
    assert KIND.claim(Record("line 1", [])).strength == 0


def test_a_file_with_deep_nesting_is_a_fault_and_not_a_crash() -> None:
    document = STOCK
    for _ in range(400):
        document = make_document(ask("x"), trajectory_id="t", subagent_trajectories=[document])
    entries = list(KIND.read(make_records([document, STOCK])))
    assert len(faults_of(entries)) <= 1
    assert isinstance(entries[-1], Imported)


NAMES = st.sampled_from(["f", "g"])
TEXTS = st.text(max_size=4)
COUNTS = st.none() | st.integers(0, 10**6)
METRICS = st.fixed_dictionaries(
    {},
    optional={
        "prompt_tokens": COUNTS,
        "completion_tokens": COUNTS,
        "cached_tokens": COUNTS,
        "cost_usd": st.none() | st.floats(0, 5),
        "extra": st.fixed_dictionaries(
            {}, optional={"reasoning_tokens": COUNTS, "cache_creation_input_tokens": COUNTS}
        ),
    },
)
CONTENTS = TEXTS | st.lists(st.sampled_from([{"type": "text", "text": "a"}, PICTURE]), min_size=1, max_size=3)
RESULTS = st.fixed_dictionaries(
    {"source_call_id": st.sampled_from(["c0", "c1", None])},
    optional={"content": st.none() | TEXTS, "extra": st.just({"is_error": True})},
)
AGENT_STEPS = st.builds(
    lambda calls, fields: act(
        **{**fields, "tool_calls": [call(name, f"c{at}", arguments={"x": at}) for at, name in enumerate(calls)]}
    ),
    st.lists(NAMES, max_size=2),
    st.fixed_dictionaries(
        {"message": CONTENTS},
        optional={
            "timestamp": st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat),
            "metrics": METRICS,
            "model_name": st.sampled_from(["gpt-4.1", "claude-sonnet-4-5-20250929"]),
            "reasoning_content": TEXTS,
            "llm_call_count": st.integers(0, 2),
            "observation": st.fixed_dictionaries({"results": st.lists(RESULTS, max_size=3)}),
        },
    ),
)
OTHER_STEPS = st.builds(
    lambda source, message: {"source": source, "message": message}, st.sampled_from(["user", "system"]), CONTENTS
)


def number_calls(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps, with ids of calls that are different in each."""
    texts = [
        json.dumps(step).replace('"c0"', f'"{at}-0"').replace('"c1"', f'"{at}-1"') for at, step in enumerate(steps)
    ]
    return [json.loads(text) for text in texts]


DOCUMENTS = st.builds(
    lambda copied, steps, fields, model: make_document(
        *number_calls([*({**step, "is_copied_context": True} for step in copied), *steps]),
        agent={"name": "a", "version": "1", **model},
        **fields,
    ),
    st.lists(AGENT_STEPS | OTHER_STEPS, max_size=3),
    st.lists(AGENT_STEPS | OTHER_STEPS, min_size=1, max_size=6),
    st.fixed_dictionaries(
        {},
        optional={
            "session_id": st.just("s"),
            "final_metrics": st.fixed_dictionaries({}, optional={"total_prompt_tokens": COUNTS}),
        },
    ),
    st.fixed_dictionaries({}, optional={"model_name": st.sampled_from(["gpt-4.1", "openai/gpt-4.1-2025-04-14"])}),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(DOCUMENTS)
def test_a_run_that_was_read_is_written_and_read_again_the_same(document: dict[str, Any]) -> None:
    for family in read_trajectory(document):
        (run,) = family
        (again,) = write_and_read(run)
        assert again.tool_calls == run.tool_calls
        assert [each.model_dump(exclude={"span_id"}) for each in again.llm_calls] == [
            each.model_dump(exclude={"span_id"}) for each in run.llm_calls
        ]
        assert again.model_dump(exclude={"messages", "llm_calls"}) == run.model_dump(exclude={"messages", "llm_calls"})


CALLS = st.builds(
    ToolCall,
    name=NAMES,
    id=st.none() | TEXTS,
    args=st.none() | st.dictionaries(TEXTS, st.integers() | TEXTS, max_size=2),
    args_text=st.none() | TEXTS,
    result=st.none() | TEXTS,
    error=st.none() | TEXTS,
    status=st.sampled_from(["ok", "error", "not_executed", None]),
    duration_ms=st.none() | st.floats(0, 1e6),
    started_at=st.none() | st.datetimes(timezones=st.just(UTC)),
    source=st.sampled_from(["span", "message", "both"]),
    metadata=st.dictionaries(TEXTS, st.integers(), max_size=1),
)
RUNS = st.builds(
    AgentTrace,
    agent_trace_id=TEXTS,
    agent_name=st.none() | NAMES,
    session_id=st.none() | TEXTS,
    model=st.none() | st.sampled_from(["gpt-4.1", "GPT-4.1"]),
    input=st.none() | TEXTS,
    final_response=st.none() | TEXTS,
    error=st.none() | TEXTS,
    input_tokens=COUNTS,
    total_input_tokens=COUNTS,
    cost_usd=st.none() | st.floats(0, 5),
    duration_ms=st.none() | st.floats(0, 1e6),
    started_at=st.none() | st.datetimes(timezones=st.just(UTC)),
    tool_calls=st.lists(CALLS, max_size=3).map(tuple),
    llm_calls=st.lists(
        st.builds(
            LlmCall,
            span_id=st.none(),
            model=st.none() | st.just("m"),
            input_tokens=COUNTS,
            duration_ms=st.none() | st.floats(0, 9),
        ),
        max_size=2,
    ).map(tuple),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(RUNS)
def test_a_run_of_any_content_keeps_its_calls_and_figures(run: AgentTrace) -> None:
    (again,) = write_and_read(run)
    assert sorted(call.model_dump_json() for call in again.tool_calls) == sorted(
        call.model_dump_json() for call in run.tool_calls
    )
    assert again.llm_calls == run.llm_calls
    left_out = {"messages", "llm_calls", "tool_calls"}
    assert again.model_dump(exclude=left_out) == run.model_dump(exclude=left_out)
