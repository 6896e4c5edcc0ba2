"""Files of items: our own and those of other systems; a mistake is named with its line and the nearest word."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracegrade.evaluators.experiments.dataset_file import read_row, write_items
from tracegrade.evaluators.experiments.item import DatasetItem, ItemSource
from tracegrade.evaluators.experiments.item_file import read_items
from tracegrade.evaluators.model import ExpectedCall, Message, TextPart, ToolDefinition

CALLS = (ExpectedCall(name="refund", args={"order": 17}),)
EXPECTED = DatasetItem(input="My money!", expected_response="Refunded", expected_tool_calls=CALLS)


@pytest.mark.parametrize(
    "entry",
    [
        {
            "input": "My money!",
            "expected_response": "Refunded",
            "expected_tool_calls": [{"name": "refund", "args": {"order": 17}}],
        },
        {
            "user_input": "My money!",
            "reference_outcome": "Refunded",
            "reference_tool_calls": [{"name": "refund", "args": {"order": 17}}],
        },
        {
            "question": "My money!",
            "answer": "Refunded",
            "reference_tool_calls": [{"name": "refund", "args": {"order": 17}}],
        },
        {
            "query": "My money!",
            "expected_response": "Refunded",
            "expected_tools": [{"name": "refund", "args": {"order": 17}, "output": None}],
        },
        {
            "input": "My money!",
            "expected_output": "Refunded",
            "expected_tools": [{"name": "refund", "input_parameters": {"order": 17}}],
        },
        {
            "inputs": {"input": "My money!"},
            "expectedOutputs": {"output": "Refunded", "toolCalls": [{"name": "refund", "arguments": {"order": 17}}]},
        },
        {
            "input": "My money!",
            "expectedOutput": "Refunded",
            "expectedToolCalls": [{"name": "refund", "arguments": '{"order": 17}'}],
        },
    ],
    ids=["ours", "Floeval", "aliases of Floeval", "gllm-evals", "DeepEval", "Dokimos", "one output of Dokimos"],
)
def test_item_is_the_same_in_the_words_of_every_system(entry: dict[str, Any]) -> None:
    assert read_items(json.dumps(entry)) == (EXPECTED,)


@pytest.mark.parametrize("key", ["items", "samples", "examples"])
def test_items_may_be_listed_under_the_key_of_each_system(key: str) -> None:
    assert read_items(json.dumps({"name": "refunds", key: [{"input": "?"}]})) == (DatasetItem(input="?"),)


def test_metadata_of_dokimos_has_expectations() -> None:
    metadata = {"tools": [{"name": "refund"}], "tasks": ["refund"], "constraints": ["once"], "lang": "en"}
    example = {"input": "?", "metadata": metadata}
    (item,) = read_items(json.dumps({"examples": [example]}))
    assert item.tools == (ToolDefinition(name="refund"),)
    assert (item.tasks, item.constraints, item.metadata) == (("refund",), ("once",), {"lang": "en"})
    (ours,) = read_items(json.dumps([example]))
    assert (ours.tasks, ours.metadata) == (None, metadata)


def test_outputs_that_are_no_texts_are_json() -> None:
    entries: list[dict[str, Any]] = [
        {"input": "a", "expected_response": {"total": 3}},
        {"input": "b", "expectedOutputs": {"output": [1]}},
    ]
    entries += [{"input": "c", "answer": 42}, {"input": "d", "answer": ["é"]}]
    expected = ['{"total": 3}', "[1]", "42", '["é"]']
    assert [item.expected_response for item in read_items(json.dumps(entries))] == expected


def test_cells_of_csv_are_read_as_what_their_column_holds() -> None:
    text = (
        'question,expectedOutput,tags,tasks,expected_tools,lang\nWhere?,Paris,"a, b",find,"[{""name"": ""map""}]",en\n'
    )
    assert read_items(text) == (
        DatasetItem(
            input="Where?",
            expected_response="Paris",
            tags=("a", "b"),
            tasks=("find",),
            expected_tool_calls=(ExpectedCall(name="map"),),
            metadata={"lang": "en"},
        ),
    )


def test_input_of_csv_that_only_looks_like_json_is_text() -> None:
    assert read_items('input,output\n"{name}, hello",{x\n') == (
        DatasetItem(input="{name}, hello", expected_response="{x"),
    )


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (
            '{"input": "a", "expected_tool_call": []}',
            "line 1: expected_tool_call: there is no such field (did you mean 'expected_tool_calls'?)",
        ),
        ('{"input": "a"}\n{"input": ""}', "line 2: input: it is empty; an agent needs something to answer"),
        ('{"inptu": "a"}', "line 1: input: it is missing; inptu: there is no such field (did you mean 'input'?)"),
        ('[{"input": "a"},\n 3]', "line 2, entry 2: this is a number; write an object"),
        (
            "input,expectd_output\na,b",
            "line 1: expectd_output: there is no such field (did you mean 'expected_output'?); no row with it is read",
        ),
        ('input,tools\na,"[{"', "line 2: tools: it is not JSON: Expecting property name enclosed in double quotes"),
        ('{"input": "a", "query": "b"}', "line 1: input and query mean the same; leave one out"),
        ('{"input": "a"}\n{"input": "a"}', "line 2: it has the id 'ac8d8342bbb2', or the input, of line 1; give each"),
        ('{"id": "1", "input": "a"}\n{"id": "1", "input": "b"}', "line 2: it has the id '1' of line 1"),
        ("[]", "there are no items in it"),
        ('{"itmes": [{"input": "a"}]}', "line 1: itmes: there is no such list of items (did you mean 'items'?)"),
        ('{"input": "a", "input": "b"}', "line 1: the key 'input' is there twice; keep one"),
        ('{"input": {"n": 1, "n": 2}}', "line 1: the key 'n' is there twice; keep one"),
        ("input,tags,input\na,b,c", "line 1: two columns are called 'input', so no row is read; rename one of them"),
        ('{"input": ["x"]}', "line 1: input: it is a list; write text, in quotes where it looks like something else,"),
        (
            '{"input": "a", "expected_response": "b", "expected_tool_cals": []}',
            "line 1: expected_tool_cals: there is no such field (did you mean 'expected_tool_calls'?)",
        ),
        (
            '{"input": "a", "expected_tool_calls": [{"nam": "x"}]}',
            "line 1: expected_tool_calls: expected_tool_calls[0] has no",
        ),
        ('{"input": {"n": 99999999999999999999}}', "line 1: input.n: it has more than 64 bits"),
        ('{"input": "a", "metadata": {"n": 99999999999999999999}}', "line 1: metadata.n: it has more than 64 bits"),
    ],
    ids=[
        "misspelt field",
        "empty input",
        "misspelt input",
        "not an object",
        "misspelt column",
        "broken cell",
        "two spellings",
        "same input",
        "same id",
        "nothing",
        "misspelt list",
        "repeated key",
        "repeated key further inside",
        "repeated column",
        "list as the input",
        "misspelt field beside those of other systems",
        "call without a name",
        "large number in the input",
        "large number in the metadata",
    ],
)
def test_mistake_is_named_with_its_line_and_the_nearest_word(text: str, faults: str) -> None:
    with pytest.raises(ValueError) as caught:
        read_items(text)
    assert faults in str(caught.value)


def test_misspelt_column_is_one_mistake_of_the_header() -> None:
    with pytest.raises(ValueError) as caught:
        read_items("input,expectd_output\na,b\nc,d\ne,\n")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    "text",
    [
        '[{"input": "a", "actual_output": null, "expected_output": "b", "context": ["c"], "source_file": "d"}]',
        "input,actual_output,expected_output,context,source_file\na,,b,c|d,d\n",
        '{"query": "a", "expected_response": "b", "generated_response": "c", "retrieved_context": "d", "agent_id": 1}',
        '{"query": "a", "expected_response": "b", "agent_trajectory": [{"role": "user", "content": "a"}]}',
        '{"samples": [{"user_input": "a", "reference_outcome": "b", "trace": {"messages": [{"role": "ai"}]}}]}',
    ],
    ids=["Synthesizer of DeepEval", "its CSV", "gllm-evals", "its trajectories", "Floeval"],
)
def test_fields_that_other_systems_write_do_not_refuse_a_file(text: str) -> None:
    (item,) = read_items(text)
    assert (item.input, item.expected_response) == ("a", "b")


def test_all_mistakes_are_named_at_once() -> None:
    with pytest.raises(ValueError) as caught:
        read_items('{"input": 1}\n{"input": "a"}\n3')
    assert [fault.partition(":")[0] for fault in str(caught.value).splitlines()] == ["line 1", "line 3"]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
ITEMS = st.builds(
    DatasetItem,
    input=TEXTS | st.dictionaries(TEXTS, st.integers(-(2**53), 2**53), min_size=1),
    expected_tool_calls=st.none()
    | st.lists(st.builds(ExpectedCall, name=TEXTS, args=st.none() | st.just({"a": [1, None]}))).map(tuple),
    expected_response=st.none() | TEXTS,
    expected_trajectory=st.none() | st.just((Message(role="user", parts=(TextPart(content="hi"),)),)),
    tools=st.none() | st.just((ToolDefinition(name="t", input_schema={}),)),
    tasks=st.none() | st.lists(TEXTS).map(tuple),
    tags=st.lists(TEXTS.map(lambda text: text.strip()[:200])).map(tuple),
    metadata=st.dictionaries(TEXTS, st.none() | TEXTS),
    source=st.none() | st.just(ItemSource(agent_trace_id="t-1", revision=2)),
)


@given(st.lists(ITEMS, min_size=1, unique_by=lambda item: item.id))
def test_items_that_were_written_are_read_as_the_same(items: list[DatasetItem]) -> None:
    assert read_items(write_items(items)) == tuple(items)


def test_row_of_a_query_may_have_json_as_text() -> None:
    row = {"question": "?", "expected_tools": '["search"]', "tags": ["a"], "split": None, "expected_response": "[x"}
    assert DatasetItem.model_validate(read_row(row)) == DatasetItem(
        input="?", expected_tool_calls=(ExpectedCall(name="search"),), tags=("a",), expected_response="[x"
    )
