from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel
from tests.support.recordings import RECORDINGS
from tests.support.store import opened

from tracegrade.collector.assembly import assemble
from tracegrade.collector.records.fingerprint import LEFT_OUT, NAMED, fingerprint, is_current
from tracegrade.collector.records.row_mapping import DERIVED, rows_of, traces_of
from tracegrade.collector.store.results import stored_runs
from tracegrade.evaluators.model import (
    AgentTrace,
    GenericPart,
    LlmCall,
    Message,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
    ToolDefinition,
)

EACH: dict[type[BaseModel], BaseModel] = {
    ToolCall: ToolCall(name="search"),
    ToolDefinition: ToolDefinition(name="search"),
    Message: Message(role="user"),
    TextPart: TextPart(content="hello"),
    ReasoningPart: ReasoningPart(content="hm"),
    ToolCallPart: ToolCallPart(name="search"),
    ToolCallResponsePart: ToolCallResponsePart(response="AF007"),
    GenericPart: GenericPart(kind="image"),
    LlmCall: LlmCall(),
}


def run_with(value: BaseModel) -> AgentTrace:
    """A run that has `value` in the place of its kind."""
    match value:
        case AgentTrace():
            return value
        case ToolCall():
            return AgentTrace(tool_calls=(value,))
        case ToolDefinition():
            return AgentTrace(tool_definitions=(value,))
        case Message():
            return AgentTrace(messages=(value,))
        case LlmCall():
            return AgentTrace(llm_calls=(value,))
        case _:
            message = Message(role="user").model_copy(update={"parts": (value,)})
            return AgentTrace().model_copy(update={"messages": (message,)})


def fields_of(lists: Any) -> list[Any]:
    """A parameter for each field of each model."""
    return [
        pytest.param(model, field, id=f"{model.__name__}.{field}")
        for model, fields in lists.items()
        for field in fields
    ]


def models_in(annotation: Any) -> set[type[BaseModel]]:
    """The models that values of this type may hold, at any depth, without those in fields that are left out."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        hashed = annotation.model_fields.keys() - LEFT_OUT.get(annotation, {}).keys()
        return {annotation}.union(*(models_in(annotation.model_fields[name].annotation) for name in hashed))
    return set().union(*map(models_in, get_args(annotation)))


def through_rows(run: AgentTrace) -> AgentTrace:
    tables: dict[str, Any] = {table: rows_of(run)[table] for table in DERIVED}
    [back] = traces_of(tables)
    return back


def test_every_model_in_a_run_has_named_fields() -> None:
    assert models_in(AgentTrace) == set(NAMED)


@pytest.mark.parametrize("model", NAMED, ids=lambda model: model.__name__)
def test_every_field_is_named_or_left_out_for_a_reason(model: type[BaseModel]) -> None:
    named, left_out = NAMED[model], LEFT_OUT.get(model, {})
    assert sorted([*named, *left_out]) == sorted(model.model_fields)
    assert all(left_out.values())


@pytest.mark.parametrize(("model", "field"), fields_of(NAMED))
def test_named_field_changes_the_fingerprint(model: type[BaseModel], field: str) -> None:
    value = EACH.get(model, AgentTrace())
    other = value.model_copy(update={field: "something else"})
    assert fingerprint(run_with(other)) != fingerprint(run_with(value))


@pytest.mark.parametrize(("model", "field"), fields_of(LEFT_OUT))
def test_field_that_is_left_out_does_not_change_the_fingerprint(model: type[BaseModel], field: str) -> None:
    value = EACH.get(model, AgentTrace())
    other = value.model_copy(update={field: "something else"})
    assert fingerprint(run_with(other)) == fingerprint(run_with(value))


def test_fingerprint_of_a_version_stays_what_it_is() -> None:
    """Where this fails, NAMED or the way of hashing has changed, and VERSION has to be raised."""
    call = ToolCall(name="search", args={"to": "Paris"}, started_at=datetime(2026, 1, 1, tzinfo=UTC), duration_ms=1.5)
    run = AgentTrace(
        messages=(Message(role="user", parts=(TextPart(content="hello"),)),),
        tool_calls=(call,),
        tool_definitions=(ToolDefinition(name="search"),),
        llm_calls=(LlmCall(finish_reasons=("stop",)),),
    )
    assert fingerprint(run) == "3:60b6105e600e44872ef0040ce2399408"


def test_fingerprint_of_another_version_is_not_compared() -> None:
    assert is_current(fingerprint(AgentTrace()))
    assert not is_current("10:5f0c")
    assert not is_current("5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c")


@pytest.mark.parametrize(
    "run",
    [
        pytest.param(AgentTrace(tool_definitions=()), id="no tool offered"),
        pytest.param(AgentTrace(tool_calls=(ToolCall(name="f", args={"x": float("nan")}),)), id="not a number"),
        pytest.param(AgentTrace(tool_calls=(ToolCall(name="f", args={"x": {1: {2}}}),)), id="not JSON"),
        pytest.param(AgentTrace(llm_calls=(LlmCall(finish_reasons=()),)), id="no finish reason"),
        pytest.param(AgentTrace(input="", final_response="\x00"), id="empty text and NUL"),
    ],
)
def test_what_rows_hold_otherwise_has_the_same_fingerprint(run: AgentTrace) -> None:
    assert fingerprint(through_rows(run)) == fingerprint(run)


def test_every_recorded_run_has_the_same_fingerprint_when_it_is_read_from_the_store(tmp_path: Path) -> None:
    runs = {
        run.agent_trace_id: run
        for recording in RECORDINGS
        for trace_id, spans in recording.spans.items()
        for run in assemble(spans, recording.logs_of(trace_id))
    }
    trace_ids = {run.trace_id for run in runs.values()}
    with opened(tmp_path) as store:
        store.results.revise(store.tables([*runs.values()]), trace_ids, final=trace_ids)
        with store.database.cursor() as connection:
            stored = stored_runs.fingerprints(connection, runs)
    assert stored == {key: run.fingerprint for key, run in runs.items()}
