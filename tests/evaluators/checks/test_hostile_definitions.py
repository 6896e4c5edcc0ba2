"""Definitions and arguments come from whoever sends traces. None of them may reach out, hang or overflow.

Nothing is timed: a hang meets pytest's own limit.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any, NoReturn

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracegrade.evaluators.checks.tool_call_validity import ToolCallValidity
from tracegrade.evaluators.checks.validity.schema import Unsafe, compiled
from tracegrade.evaluators.model import AgentTrace, JsonObject, Score, ToolCall, ToolDefinition

JSON_TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
ARGS = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, 2.0]) | st.text("ab", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
SCHEMAS: st.SearchStrategy[JsonObject] = st.recursive(
    st.fixed_dictionaries({}, optional={"type": JSON_TYPES, "enum": st.lists(ARGS, min_size=1, max_size=3)})
    | st.sampled_from([{"$ref": "#"}, {"$ref": "#/$defs/short"}, {"pattern": "^a+$"}, {"minimum": 1}]),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            "required": st.lists(st.sampled_from("abc"), unique=True, max_size=2),
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "additionalProperties": inner | st.just(False),  # noqa: FBT003 - a schema
            "not": inner,
        },
    ),
    max_leaves=6,
)


def test_other_documents_are_never_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        monkeypatch.setattr(socket, "socket", no_socket)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/schema.json"
        for schema in reaching_out(url):
            check_call(schema, {"a": 1})
        with pytest.raises(BlockingIOError):  # nobody waits at the door
            server.accept()


@pytest.mark.parametrize("position", range(7))
def test_what_points_outside_is_skipped(position: int) -> None:
    score = check_call(reaching_out("http://127.0.0.1:9/schema.json")[position], {"a": 1})
    assert (score.status, score.value) == ("skipped", None)
    assert "search: its schema" in str(score.reason)


def test_an_unknown_meta_schema_is_not_fetched_but_read_as_the_newest_draft() -> None:
    schema = {"$schema": "http://127.0.0.1:9/meta", "properties": {"a": {"type": "integer"}}}
    assert check_call(schema, {"a": 1}).value == 1
    assert check_call(schema, {"a": "x"}).value == 0


@pytest.mark.parametrize(
    ("schema", "args", "reason"),
    [
        pytest.param(lambda: doubling(30), {}, "its references multiply", id="references that double"),
        pytest.param(lambda: doubling(16), {}, "too many steps", id="references that double not quite as often"),
        pytest.param(lambda: MET_TWICE, {"a": 30}, "too many steps", id="recursion that is met twice"),
        pytest.param(lambda: {"allOf": [{"$ref": "#"}]}, {}, "to itself without end", id="a circle"),
        pytest.param(lambda: crossing(12), {}, "to itself without end", id="many circles"),
        pytest.param(lambda: layers(30), {"a": 0}, "its references multiply", id="layers of unevaluatedProperties"),
        pytest.param(lambda: chain(1_000), {}, "nested deeper than 64", id="a chain of references"),
        pytest.param(lambda: deep_schema(100), {}, "nested deeper than 64", id="a nested schema"),
        pytest.param(lambda: deep_schema(20_000), {}, "written as JSON", id="a bottomless schema"),
        pytest.param(lambda: {"properties": {"a": {}}}, {"a": 20_000}, "64 levels", id="bottomless arguments"),
        pytest.param(lambda: {"items": {"$ref": "#/x"}}, {}, "does not contain", id="a reference into nothing"),
        pytest.param(lambda: {"$dynamicRef": "#a"}, {}, "dynamic references", id="a dynamic reference"),
        pytest.param(lambda: {"type": "strng"}, {}, "not a valid JSON Schema", id="a type that does not exist"),
        pytest.param(lambda: {"pattern": "^(?=a)b"}, {}, "looks around", id="a pattern that looks around"),
        pytest.param(lambda: {"pattern": "((a{1,999}){1,999}){9}"}, {}, "looks around", id="a pattern that is huge"),
        pytest.param(lambda: many_patterns(33), {}, "more than 32 patterns", id="many patterns"),
        pytest.param(lambda: {"enum": ["x" * 200_000]}, {}, "larger than 128 KB", id="a huge schema"),
        pytest.param(lambda: {"enum": ["\ud800"]}, {}, "written as JSON", id="half a character"),
        pytest.param(lambda: {"enum": [10**30]}, {}, "written as JSON", id="an integer beyond 64 bits"),
    ],
)
def test_what_would_cost_too_much_is_skipped(
    schema: Callable[[], JsonObject], args: dict[str, int], reason: str
) -> None:
    score = check_call(schema(), {name: deep_value(depth) for name, depth in args.items()})
    assert score.status == "skipped"
    assert reason in str(score.reason)


def test_a_pattern_never_backtracks() -> None:
    assert check_call({"properties": {"a": {"pattern": "^(a+)+$"}}}, {"a": "a" * 4_000 + "!"}).value == 0


def test_a_pattern_is_not_tried_on_a_whole_book() -> None:
    schema = {"properties": {"a": {"pattern": "a$"}, "text": {"type": "string"}}}
    assert check_call(schema, {"a": "x" * 20_000}).status == "skipped"
    assert check_call(schema, {"a": "a", "text": "x" * 20_000}).value == 1


def test_arguments_of_very_many_values_are_skipped() -> None:
    assert check_call({"properties": {"a": {"type": "array"}}}, {"a": [0] * 200_000}).status == "skipped"


def test_a_key_that_is_half_a_character_is_skipped() -> None:
    assert check_call({"properties": {"a": {}}}, {"\ud800": 1}).status == "skipped"


def test_a_thousand_faults_in_a_long_text_are_not_copied_out() -> None:
    score = check_call({"required": [f"p{at}" for at in range(1_000)]}, {"a": "x" * 1_000_000})
    assert score.details["calls"][0]["faults"] == ["the arguments do not fit the schema"]


def test_faults_of_large_arguments_are_found_though_not_named() -> None:
    schema = {"properties": {"a": {"items": {"type": "integer"}}}}
    score = check_call(schema, {"a": ["x"] * 5_000})
    assert score.details["calls"][0]["faults"] == ["the arguments do not fit the schema"]


def test_faults_of_deep_arguments_are_found_though_not_named() -> None:
    score = check_call({"required": ["b"], "properties": {"a": {}}}, {"a": deep_value(100)})
    assert score.details["calls"][0]["faults"] == ["the arguments do not fit the schema"]


def test_a_hostile_definition_does_not_touch_the_calls_of_its_neighbours() -> None:
    score = ToolCallValidity()(
        AgentTrace(
            tool_calls=(
                ToolCall(name="bad", args={}),
                ToolCall(name="good", args={}),
                ToolCall(name="good", args={"a": 1}),
            ),
            tool_definitions=(
                ToolDefinition(name="bad", input_schema=doubling(30)),
                ToolDefinition(name="good", input_schema={"required": ["a"]}),
            ),
        )
    )
    assert score.value == 0.5
    assert [call["status"] for call in score.details["calls"]] == ["skipped", "invalid", "valid"]


@pytest.mark.parametrize(
    ("schema", "args"),
    [
        pytest.param({"properties": {"a": {"$ref": "#"}}}, {"a": {"a": {"a": {}}}}, id="a list of itself"),
        pytest.param({"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}}, {"a": {"b": {}}, "b": {}}, id="a tree"),
        pytest.param(
            {"anyOf": [{"type": ["string", "null"]}, {"items": {"$ref": "#"}, "additionalProperties": {"$ref": "#"}}]},
            {"a": [["x", None], {"b": "y"}]},
            id="any JSON",
        ),
        pytest.param(
            {
                "properties": {"a": {"$ref": "#/definitions/List%3Cint%3E"}},
                "definitions": {"List<int>": {"type": "array"}},
            },
            {"a": [1]},
            id="an escaped reference",
        ),
        pytest.param({"properties": {"$ref": {"type": "string"}}}, {"$ref": "http://x/"}, id="a parameter called $ref"),
        pytest.param(
            {"minProperties": 0, "default": {"$ref": "http://x/"}}, {}, id="a default that looks like a reference"
        ),
    ],
)
def test_honest_recursion_and_look_alikes_are_judged(schema: JsonObject, args: JsonObject) -> None:
    assert check_call(schema, args).value == 1


@given(SCHEMAS, st.dictionaries(st.sampled_from("abc"), ARGS, max_size=3))
def test_scores_agree_with_jsonschema(schema: JsonObject, args: JsonObject) -> None:
    schema = {**schema, "$defs": {"short": {"maxLength": 2}}}
    try:
        valid = not compiled(schema).faults(args)
    except Unsafe:
        return
    assert valid == jsonschema.Draft202012Validator(schema).is_valid(args)


MET_TWICE: JsonObject = {"properties": {"a": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}}, "required": ["a"]}


def check_call(schema: JsonObject, args: JsonObject) -> Score:
    return ToolCallValidity()(
        AgentTrace(
            tool_calls=(ToolCall(name="search", args=args),),
            tool_definitions=(ToolDefinition(name="search", input_schema=schema),),
        )
    )


def reaching_out(url: str) -> list[JsonObject]:
    return [
        {"$ref": url},
        {"properties": {"a": {"$ref": f"{url}#/x"}}},
        {"properties": {"a": {"$ref": "file:///etc/hostname"}}},
        {"properties": {"a": {"$ref": "other.json"}}},
        {"$id": url, "properties": {"a": {"$ref": "b.json"}}},
        {"$defs": {"unused": {"$ref": url}}},
        {"properties": {"a": {"$id": url, "$ref": "#/b"}}},
    ]


def no_socket(*_: object, **__: object) -> NoReturn:
    raise AssertionError("a socket was opened")


def doubling(levels: int) -> JsonObject:
    definitions: JsonObject = {f"d{at}": {"allOf": [{"$ref": f"#/$defs/d{at + 1}"}] * 2} for at in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": definitions | {f"d{levels}": {"type": "object"}}}


def crossing(width: int) -> JsonObject:
    everyone = {"allOf": [{"$ref": f"#/$defs/d{at}"} for at in range(width)]}
    return {"$ref": "#/$defs/d0", "$defs": {f"d{at}": everyone for at in range(width)}}


def chain(length: int) -> JsonObject:
    links = {f"d{at}": {"$ref": f"#/$defs/d{at + 1}"} for at in reversed(range(length))}
    return {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in links], "$defs": {**links, f"d{length}": {}}}


def layers(count: int) -> JsonObject:
    schema: JsonObject = {"properties": {"a": {}}}
    for _ in range(count):
        schema = {"allOf": [schema], "unevaluatedProperties": False}
    return schema


def deep_schema(levels: int) -> JsonObject:
    schema: JsonObject = {}
    for _ in range(levels):
        schema = {"not": schema}
    return schema


def deep_value(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


def many_patterns(count: int) -> JsonObject:
    return {"properties": {f"p{at}": {"pattern": f"^{at}"} for at in range(count)}}
