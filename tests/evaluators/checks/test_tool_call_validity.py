"""Did every call name an offered tool and fit its schema?"""

from __future__ import annotations

from typing import Any

import pytest

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.checks.tool_call_validity import ToolCallValidity
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.model import AgentTrace, JsonObject, Reference, ToolCall, ToolDefinition

SEARCH = ToolDefinition(
    name="search",
    input_schema={
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "since": {"type": "string", "format": "date"},
            "filters": {"type": "array", "items": {"$ref": "#/$defs/Filter"}},
            "limit": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
        },
        "required": ["query"],
        "$defs": {"Filter": {"type": "object", "properties": {"field": {"type": "string"}}, "required": ["field"]}},
    },
)
REFUND = ToolDefinition(name="refund")


def trace(*calls: ToolCall, tools: tuple[ToolDefinition, ...] | None = (SEARCH, REFUND)) -> AgentTrace:
    return AgentTrace(agent_name="helpdesk", tool_calls=calls, tool_definitions=tools)


def search(**args: Any) -> ToolCall:
    return ToolCall(name="search", args=args)


@pytest.mark.parametrize(
    ("call", "faults"),
    [
        pytest.param(search(query="refund"), [], id="valid"),
        pytest.param(search(query="refund", limit=None), [], id="a null that the union allows"),
        pytest.param(search(query="refund", colour="red"), [], id="an extra parameter that nobody forbids"),
        pytest.param(search(), ["'query' is missing"], id="missing argument"),
        pytest.param(search(query=[3]), ['query: the value is not of type "string"'], id="wrong type"),
        pytest.param(search(query="x", since="soon"), ['since: the value is not a "date"'], id="wrong format"),
        pytest.param(search(query="x", filters=[{}]), ["'field' is missing in filters[0]"], id="fault behind a $ref"),
        pytest.param(
            search(query="x", limit=0),
            ["limit: the value is not valid under any of the schemas listed in the 'anyOf' keyword"],
            id="no branch of a union",
        ),
        pytest.param(
            ToolCall(name="serach", args={}),
            ["no such tool was offered (did you mean 'search'?)"],
            id="unknown tool that is nearly an offered one",
        ),
        pytest.param(ToolCall(name="pay"), ["no such tool was offered"], id="unknown tool, nothing recorded"),
        pytest.param(
            ToolCall(name="search", args_text='{"query": '), ["the arguments are not a JSON object"], id="broken JSON"
        ),
    ],
)
def test_one_call(call: ToolCall, faults: list[str]) -> None:
    score = ToolCallValidity()(trace(call))
    assert score.value == (0 if faults else 1)
    assert score.details["calls"] == [
        {"position": 0, "name": call.name, "status": "invalid" if faults else "valid", "faults": faults}
    ]


def test_faults_never_repeat_the_value() -> None:
    score = ToolCallValidity()(trace(search(query=4711, since="secret", filters="4711")))
    assert "4711" not in score.model_dump_json()
    assert "secret" not in score.model_dump_json()


def test_half_the_calls_invalid_scores_half_and_says_why() -> None:
    score = ToolCallValidity()(trace(search(query="refund"), search()))
    assert score.value == 0.5
    assert score.explanation == "1 of 2 calls invalid: search: 'query' is missing"


def test_all_calls_valid_says_so() -> None:
    assert ToolCallValidity()(trace(search(query="refund"))).explanation == "every call is valid"


def test_trace_without_tool_definitions_is_skipped_not_failed() -> None:
    score = ToolCallValidity()(trace(search(), tools=None))
    assert (score.status, score.value) == ("skipped", None)
    assert score.reason == "the trace does not record which tools were offered"


def test_definitions_of_the_reference_stand_in_for_unrecorded_ones() -> None:
    unrecorded = trace(search(), tools=None).model_copy(update={"reference": Reference(tools=(SEARCH,))})
    assert ToolCallValidity()(unrecorded).value == 0


def test_an_empty_list_of_tools_was_recorded_and_makes_every_call_unknown() -> None:
    assert ToolCallValidity()(trace(search(query="x"), tools=())).value == 0


def test_trace_without_calls_is_skipped() -> None:
    assert ToolCallValidity()(trace()).reason == "the agent called no tools"


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        pytest.param(ToolCall(name="search"), "its arguments were not recorded", id="arguments"),
        pytest.param(
            ToolCall(name="refund", args={}),
            "the schema of the tool was not recorded, or is not a JSON object",
            id="schema",
        ),
    ],
)
def test_what_was_not_recorded_is_left_out(call: ToolCall, reason: str) -> None:
    alone = ToolCallValidity()(trace(call))
    assert (alone.status, alone.reason) == ("skipped", f"no call could be checked: {call.name}: {reason}")

    among_others = ToolCallValidity()(trace(call, search(query="refund"), search()))
    assert among_others.value == 0.5
    assert among_others.details["skipped"] == 1
    assert among_others.explanation == f"1 of 2 calls invalid (1 not checked: {reason}): search: 'query' is missing"


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        pytest.param({"properties": {"a": {}}}, 0, id="silent schema"),
        pytest.param({"properties": {"a": {}}, "additionalProperties": True}, 1, id="schema that takes anything"),
        pytest.param({"properties": {"a": {}}, "patternProperties": {"^extra$": {}}}, 1, id="schema with a pattern"),
        pytest.param({"allOf": [{"properties": {"a": {}, "extra": {}}}]}, 1, id="declared in a part"),
        pytest.param({"allOf": [{"properties": {"a": {}}}]}, 0, id="not declared in any part"),
        pytest.param({"type": "object"}, 1, id="schema that does not speak of parameters"),
        pytest.param(
            {"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {}}}, 0, id="older draft"
        ),
    ],
)
def test_strict_mode_refuses_what_the_schema_does_not_declare(schema: JsonObject, value: int) -> None:
    tool = ToolDefinition(name="search", input_schema=schema)
    lenient, strict = (
        ToolCallValidity(strict=mode, silent_schemas=False)(trace(search(a=1, extra=2), tools=(tool,)))
        for mode in (False, True)
    )
    assert (lenient.value, strict.value) == (1, value)
    if not value:
        assert strict.details["calls"][0]["faults"] == ["unexpected 'extra'"]


def test_strict_mode_takes_an_empty_list_of_parameters_at_its_word() -> None:
    tool = ToolDefinition(name="search", input_schema={"type": "object", "properties": {}})
    assert ToolCallValidity(strict=True)(trace(search(extra=2), tools=(tool,))).value == 0


def test_a_schema_is_read_in_the_draft_that_it_names() -> None:
    tuple_items: JsonObject = {"properties": {"a": {"items": [{"type": "string"}]}}}
    old = ToolDefinition(
        name="search", input_schema={"$schema": "http://json-schema.org/draft-07/schema#", **tuple_items}
    )
    assert ToolCallValidity(coercion="none")(trace(search(a=[1]), tools=(old,))).value == 0
    new = ToolDefinition(name="search", input_schema=tuple_items)
    assert ToolCallValidity()(trace(search(a=[1]), tools=(new,))).status == "skipped"


def test_one_level_deep_sees_nothing_below() -> None:
    call = search(query="x", filters=[{}], limit=0)
    assert ToolCallValidity(depth="top")(trace(call)).value == 1
    assert ToolCallValidity()(trace(call)).value == 0


def test_of_two_definitions_with_one_name_the_last_counts() -> None:
    older = ToolDefinition(name="search", input_schema={"required": ["text"]})
    assert ToolCallValidity()(trace(search(query="x"), tools=(older, SEARCH))).value == 1


def test_a_score_passes_at_one_alone() -> None:
    score = evaluate(configure("tool_call_validity"), trace(search(query="x"), search()))[0]
    assert (score.value, score.passed, score.threshold) == (0.5, False, 1.0)
