"""Files of messages: of OpenAI, LangChain and agentevals, in lists, objects, or one message per line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.imported_files import EXAMPLES, detect, entries, faults

from tracegrade.evaluators.formats import openai
from tracegrade.evaluators.formats.openai_writing import write_messages
from tracegrade.evaluators.model import (
    AgentTrace,
    Message,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolCallResponsePart,
    ToolDefinition,
)

OPENAI: list[dict[str, Any]] = EXAMPLES["openai"]["messages"]


def run_in(content: object, name: str | None = None) -> AgentTrace:
    (entry,) = entries(content, name)
    assert entry.run is not None
    return entry.run


def test_list_of_messages_is_one_run_however_it_is_written() -> None:
    texts = (
        json.dumps(OPENAI),
        json.dumps(OPENAI, indent=2),
        "\n".join(map(json.dumps, OPENAI)),
        json.dumps({"messages": OPENAI}),
        json.dumps([OPENAI]),
    )
    runs = [run_in(text) for text in texts]
    assert all(run == runs[0] for run in runs)
    assert [call.result for call in runs[0].tool_calls] == ["18C"]


def test_each_line_with_a_list_is_a_run() -> None:
    assert len(entries("\n".join(json.dumps(OPENAI) for _ in range(3)))) == 3


def test_run_of_messages_is_left_out_if_one_of_them_cannot_be_read() -> None:
    lines = [json.dumps(message) for message in OPENAI]
    assert faults("\n".join([lines[0], lines[1][:-3], *lines[2:]])) == [
        "line 2: this is not JSON: Expecting ',' delimiter at column 161",
        "line 1: the run of these messages is left out, since one of them cannot be read",
    ]
    robot = json.dumps({"role": "robot", "content": "x"})
    assert faults("\n".join([*lines, robot]))[0] == (
        "line 5: messages[0].role: 'robot' is not a role; write system, developer, user, assistant or tool"
    )


def test_what_is_beside_the_messages_is_read() -> None:
    function = {"name": "get_weather", "parameters": {"type": "object"}}
    (entry,) = entries(
        {"id": 7, "messages": OPENAI, "tools": [{"type": "function", "function": function}], "tasks": "a", "lang": "en"}
    )
    assert entry.run is not None
    assert entry.run.tool_definitions == (ToolDefinition(name="get_weather", input_schema={"type": "object"}),)
    assert (entry.id, entry.metadata) == ("7", {"lang": "en"})
    assert entry.expectation is not None
    assert entry.expectation.tasks == ("a",)


def test_prompt_with_an_ideal_answer_is_an_item() -> None:
    prompt = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2+2?"}]
    (entry,) = entries({"input": prompt, "ideal": "4"})
    assert (entry.run, entry.input) == (None, "2+2?")
    assert entry.expectation is not None
    assert entry.expectation.expected_response == "4"


@pytest.mark.parametrize(
    ("last", "response"),
    [
        ({"role": "assistant", "content": "18C."}, "18C."),
        ({"role": "assistant", "content": ""}, ""),
        ({"role": "tool", "tool_call_id": "c1", "content": "x"}, None),
        ({"role": "assistant", "tool_calls": [{"function": {"name": "a", "arguments": "{}"}}]}, None),
    ],
    ids=["text", "no text", "a result", "a call"],
)
def test_final_response_is_what_the_agent_says_last(last: dict[str, Any], response: str | None) -> None:
    assert run_in([OPENAI[0], last]).final_response == response


TEXTS = st.text(min_size=1, max_size=8)
CALLS = st.builds(
    ToolCallPart,
    id=TEXTS,
    name=TEXTS.filter(str.strip),
    arguments=st.none() | st.dictionaries(TEXTS, st.integers() | st.none() | TEXTS),
)
PARTS = st.builds(TextPart, content=TEXTS)
MESSAGES = st.lists(
    st.builds(Message, role=st.sampled_from(["user", "system"]), parts=st.lists(PARTS, max_size=2).map(tuple))
    | st.builds(
        Message,
        role=st.just("assistant"),
        parts=st.tuples(
            st.lists(st.builds(ReasoningPart, content=TEXTS), max_size=1),
            st.lists(PARTS, max_size=2),
            st.lists(CALLS, max_size=2),
        ).map(lambda lists: tuple(part for parts in lists for part in parts)),
    )
    | st.builds(
        Message,
        role=st.just("tool"),
        parts=st.tuples(
            st.builds(ToolCallResponsePart, id=TEXTS, name=st.none() | TEXTS, response=TEXTS, is_error=st.booleans())
        ),
    ),
    max_size=4,
)


@given(MESSAGES)
def test_messages_that_were_written_are_read_as_the_same(messages: list[Message]) -> None:
    written = write_messages(messages)
    assert openai.messages(json.loads(json.dumps(written))) == tuple(
        message.model_copy(update={"name": message.parts[0].name})
        if message.parts and isinstance(message.parts[0], ToolCallResponsePart)
        else message
        for message in messages
    )


HUMAN, AI, TOOL, LAST = EXAMPLES["langchain"]["messages"]


def dumped(message: dict[str, Any]) -> dict[str, Any]:
    """The message as langchain_core.load.dumpd writes it."""
    names = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}
    path = ["langchain", "schema", "messages", names[message["type"]]]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": message["data"]}


def flat(message: dict[str, Any]) -> dict[str, Any]:
    return {**message["data"], "type": message["type"]}


@pytest.mark.parametrize("form", [dumped, flat, dict], ids=["dumpd", "model_dump", "messages_to_dict"])
def test_every_form_of_langchain_is_the_same_run(form: Any) -> None:
    messages = [form(message) for message in (HUMAN, AI, TOOL, LAST)]
    file = detect(messages)
    assert file.kind.name == "langchain"
    assert run_in(messages) == run_in({"messages": messages}) == run_in([HUMAN, AI, TOOL, LAST])
    assert [call.result for call in run_in(messages).tool_calls] == ["18C"]


def ai(**fields: Any) -> dict[str, Any]:
    return {"type": "ai", "data": {"content": "", "type": "ai", **fields}}


def test_tokens_and_models_of_langchain_are_read() -> None:
    usage = {
        "input_tokens": 10,
        "output_tokens": 5,
        "input_token_details": {"cache_read": 4},
        "output_token_details": {"reasoning": 2},
    }
    said = ai(usage_metadata=usage, response_metadata={"model_name": "gpt-4.1", "finish_reason": "stop"})
    run = run_in([HUMAN, said, ai(usage_metadata={**usage, "input_tokens": 1})])
    assert (run.model, run.input_tokens, run.output_tokens, run.cached_input_tokens) == ("gpt-4.1", 11, 10, 8)
    assert (run.llm_calls[0].finish_reasons, run.llm_calls[0].reasoning_tokens) == (("stop",), 2)


def test_call_that_langchain_could_not_parse_was_not_executed() -> None:
    invalid = [{"name": "a", "args": "{bad", "id": "c1", "error": "no JSON", "type": "invalid_tool_call"}]
    (call,) = run_in([HUMAN, ai(invalid_tool_calls=invalid)]).tool_calls
    assert (call.args, call.args_text, call.status, call.error) == (None, "{bad", "not_executed", "no JSON")


def test_failed_tool_of_langchain_is_an_error() -> None:
    failed = {"type": "tool", "data": {"content": "boom", "tool_call_id": "c1", "status": "error"}}
    assert [call.status for call in run_in([HUMAN, AI, failed]).tool_calls] == ["error"]


def test_older_calls_and_escaped_arguments_are_read() -> None:
    older = {"tool_calls": [{"id": "1", "function": {"name": "a", "arguments": '{"x": 1}'}}]}
    escaped = {"lc": "mine"}
    new = [{"name": "b", "args": {"__lc_escaped__": escaped}, "id": "2"}]
    calls = run_in([HUMAN, ai(additional_kwargs=older), ai(tool_calls=new)]).tool_calls
    assert [call.args for call in calls] == [{"x": 1}, escaped]


def test_blocks_of_the_provider_repeat_no_call() -> None:
    block = {"type": "tool_use", "id": "c1", "name": "get_weather", "input": {}}
    message = ai(content=[{"type": "text", "text": "Well."}, block], tool_calls=AI["data"]["tool_calls"])
    run = run_in([HUMAN, message, TOOL])
    assert [(call.name, call.args) for call in run.tool_calls] == [("get_weather", {"city": "Paris"})]


def test_chunks_of_a_message_are_joined_and_removed_messages_left_out() -> None:
    def chunk(text: str, args: str, name: str | None = None) -> dict[str, Any]:
        calls = [{"name": name, "args": args, "id": "c1" if name else None, "index": 0, "type": "tool_call_chunk"}]
        return {"type": "AIMessageChunk", "data": {"id": "m1", "content": text, "tool_call_chunks": calls}}

    removed = {"type": "human", "data": {"content": "never mind", "id": "h1"}}
    remove = {"type": "remove", "data": {"content": "", "id": "h1"}}
    run = run_in([removed, remove, HUMAN, chunk("Let ", '{"q"', "search"), chunk("me see", ": 1}")])
    assert [message.text for message in run.messages] == ["Weather in Paris?", "Let me see"]
    assert [(call.name, call.args) for call in run.tool_calls] == [("search", {"q": 1})]


def test_agentevals_takes_outputs_and_inputs_in_every_form() -> None:
    for outputs in (OPENAI, {"messages": OPENAI}, [HUMAN, AI, TOOL, LAST]):
        for inputs in (None, "Weather in Paris?", {"question": "Weather in Paris?"}, [OPENAI[0]]):
            (entry,) = entries({"inputs": inputs, "outputs": outputs, "reference_outputs": OPENAI})
            assert entry.run is not None
            assert (entry.input, len(entry.run.tool_calls)) == ("Weather in Paris?", 1)


def test_reference_of_agentevals_alone_is_an_item() -> None:
    (entry,) = entries({"reference_outputs": OPENAI})
    assert (entry.run, entry.input) == (None, "Weather in Paris?")
    assert entry.expectation is not None
    assert len(entry.expectation.expected_trajectory or ()) == 4


@pytest.mark.parametrize(
    ("record", "name", "fault"),
    [
        ({"outputs": {"results": [{}], "steps": [["a"]]}}, "agentevals", "outputs: a trajectory of graph nodes"),
        ({"outputs": 3}, "agentevals", "outputs: it is not a list of messages"),
        ({"x": 3}, "agentevals", "it has neither outputs nor reference_outputs"),
        ({"messages": [3]}, "openai", "messages[0] is a number; write an object"),
        ({"messages": [{"content": "x"}]}, "openai", "messages[0] has no role"),
        ({"messages": OPENAI, "tools": 3}, "openai", "tools is a number; write a list"),
        ({"messages": OPENAI, "tasks": 3}, "openai", "tasks: it is 3; write a list"),
        ([3], "openai", "this is a number; write messages"),
        ({"messages": [{"type": "robot", "data": {}}]}, "langchain", "messages[0].type: it is 'robot'; write human"),
        ({"messages": [{"lc": 1, "type": "constructor", "id": []}]}, "langchain", "messages[0].kwargs is null"),
    ],
)
def test_fault_names_the_field(record: object, name: str, fault: str) -> None:
    (found,) = faults(record, name)
    assert fault in found
