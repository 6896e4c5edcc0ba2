"""An item is an input with what is expected on it; that of a run expects nothing of its own accord."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError
from tests.support.agent_runs import expect_calls, make_run

from tracegrade.evaluators.experiments.dataset_file import write_items
from tracegrade.evaluators.experiments.item import DatasetItem, Expect, ItemSource, NotRecorded
from tracegrade.evaluators.experiments.item_file import read_items
from tracegrade.evaluators.model import ExpectedCall, ToolDefinition
from tracegrade.evaluators.text.validation_errors import explain


def test_item_without_an_id_has_that_of_its_input() -> None:
    one, other = DatasetItem(input="hello"), DatasetItem(input="hello", tags=("a",))
    assert one.id == other.id != DatasetItem(input="hello!").id
    assert DatasetItem(input={"a": 1, "b": 2}).id == DatasetItem(input={"b": 2, "a": 1}).id


def test_id_may_be_a_number() -> None:
    assert DatasetItem.model_validate({"id": 17, "input": "hello"}).id == "17"
    with pytest.raises(ValidationError):
        DatasetItem.model_validate({"id": True, "input": "hello"})


def test_hash_is_that_of_the_content_alone() -> None:
    item = DatasetItem(id="1", input="hello", tags=("b", "a"))
    source = ItemSource(agent_trace_id="t", revision=1)
    assert item.hash == DatasetItem(id="2", input="hello", tags=("a", "b", "a"), source=source).hash
    assert item.hash != DatasetItem(id="1", input="hello", tags=("a", "b"), expected_tool_calls=()).hash


def test_tags_split_and_metadata_do_not_keep_scores_from_being_compared() -> None:
    item = DatasetItem(id="1", input="hello", tags=("b",), split="test", metadata={"n": 1})
    assert item.comparison_hash == DatasetItem(id="1", input="hello").comparison_hash
    assert item.hash != DatasetItem(id="1", input="hello").hash
    others = [DatasetItem(input="hi"), DatasetItem(input="hello", tasks=("greet",))]
    assert item.comparison_hash not in {other.comparison_hash for other in others}


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        pytest.param({"metadata": {"n": 2**64}}, "metadata.n: it has more than 64 bits; write it as text", id="large"),
        pytest.param({"input": {"n": [-(2**63) - 1]}}, "input.n[0]: it has more than 64 bits", id="in a list"),
        pytest.param({"input": "a\ud800"}, "input: character 2 is half a character", id="half a character"),
        pytest.param({"metadata": {"\udc00": 1}}, "metadata: a key in it has half a character", id="key"),
        pytest.param({"metadata": {"n": float("inf")}}, "metadata.n: it is inf", id="infinite"),
        pytest.param({"metadata": {"n": b"1"}}, "metadata.n: it is binary", id="binary"),
        pytest.param(
            {"expected_tool_calls": (ExpectedCall(name="a", args={"n": 2**70}),)},
            "expected_tool_calls[0].args.n: it has more than 64 bits",
            id="in a call",
        ),
    ],
)
def test_value_that_cannot_be_stored_is_refused_with_its_place(fields: dict[str, Any], place: str) -> None:
    with pytest.raises(ValidationError) as caught:
        DatasetItem.model_validate({"input": "hello", **fields})
    assert explain(caught.value, DatasetItem).startswith(place)


def test_value_that_is_nested_too_deeply_is_refused() -> None:
    def nest(levels: int) -> dict[str, Any]:
        value: dict[str, Any] = {}
        for _ in range(levels):
            value = {"in": value}
        return value

    with pytest.raises(ValidationError) as caught:
        DatasetItem(input="hello", metadata=nest(500))
    assert explain(caught.value, DatasetItem).startswith("metadata: it is nested more than 100 levels deep")
    item = DatasetItem(input="hello", metadata=nest(99))
    assert read_items(write_items([item])) == (item,)


@pytest.mark.parametrize("empty", ["", "  ", {}], ids=["text", "spaces", "object"])
def test_item_needs_an_input(empty: str | dict[str, str]) -> None:
    with pytest.raises(ValidationError, match="an agent needs something to answer"):
        DatasetItem(input=empty)


def test_expectations_are_read_in_their_usual_spellings() -> None:
    item = DatasetItem.model_validate(
        {
            "input": "?",
            "expected_tool_calls": ["search", {"tool": "book", "arguments": {"n": 1}}],
            "tasks": "book",
            "tools": [{"type": "function", "function": {"name": "search"}}],
        }
    )
    assert item.expected_tool_calls == (ExpectedCall(name="search"), ExpectedCall(name="book", args={"n": 1}))
    assert (item.tasks, item.tools) == (("book",), (ToolDefinition(name="search"),))


def test_item_of_a_run_expects_what_its_reference_expects() -> None:
    run = make_run([("search", {"to": "Paris"})], input="?", agent_trace_id="t-1", revision=2)
    assert DatasetItem.of_run(run).defined == {}
    assert DatasetItem.of_run(run).source == ItemSource(agent_trace_id="t-1", revision=2)
    expecting = run.model_copy(update={"reference": expect_calls(["book"], tasks=("book a hotel",))})
    assert DatasetItem.of_run(expecting).defined == {
        "expected_tool_calls": (ExpectedCall(name="book", args={}),),
        "tasks": ("book a hotel",),
    }


def test_item_expects_what_the_run_did_where_that_is_asked_for() -> None:
    run = make_run([("search", {"to": "Paris"})], expected=["book"], input="?", final_response="AF007")
    item = DatasetItem.of_run(run, expect=["calls", "response"])
    assert item.expected_tool_calls == (ExpectedCall(name="search", args={"to": "Paris"}),)
    assert item.expected_response == "AF007"
    assert DatasetItem.of_run(make_run([], input="?"), expect=["calls"]).expected_tool_calls == ()


@pytest.mark.parametrize(
    ("gap", "expect", "message"),
    [
        (
            "content_not_captured",
            "calls",
            r"its tool calls were not recorded \(content_not_captured\), so they cannot be",
        ),
        ("none", "response", "its final response was not recorded, so it cannot be expected"),
    ],
)
def test_what_was_not_recorded_cannot_be_expected(gap: str, expect: Expect, message: str) -> None:
    run = make_run([], input="?", gaps=(gap,))
    assert DatasetItem.of_run(run).defined == {}
    with pytest.raises(NotRecorded, match=message):
        DatasetItem.of_run(run, expect=[expect])


def test_item_is_in_its_split_and_has_its_tags() -> None:
    item = DatasetItem(input="?", split="test", tags=("a", "b"))
    assert [item.is_in(None), item.is_in("test", ["a"]), item.is_in("train"), item.is_in(None, ["c"])] == [
        True,
        True,
        False,
        False,
    ]


def test_item_of_a_run_has_its_tools() -> None:
    tools = (ToolDefinition(name="search", description="finds", input_schema={"type": "object"}),)
    assert DatasetItem.of_run(make_run([], input="?", tool_definitions=tools)).tools == tools
    assert DatasetItem.of_run(make_run([], input="?")).tools is None


def test_given_fields_replace_those_of_the_run() -> None:
    run = make_run([], input="?", final_response="no")
    item = DatasetItem.of_run(run, expect=["response"], fields={"expected_response": "yes", "split": "test"})
    assert (item.expected_response, item.split) == ("yes", "test")
    other = DatasetItem.of_run(run, fields={"input": "another"})
    assert (other.input, other.id) == ("another", DatasetItem(input="another").id)


def test_run_without_an_input_is_no_item() -> None:
    with pytest.raises(NotRecorded, match="its input was not recorded"):
        DatasetItem.of_run(make_run([]))
    assert DatasetItem.of_run(make_run([]), fields={"input": "?"}).input == "?"
