"""Files of records of gllm-evals, and of test cases of DeepEval: JSON, JSON lines, or CSV with JSON in cells."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from ..model import AgentTrace, ExpectedCall, JsonObject, ToolCall
from .gl import agent_data
from .imported import Imported, RecordFault, make_expectation, read_each
from .kind import NO_CLAIM, Claim, Kind, write_lines
from .openai_writing import write_messages, write_tools
from .record import Record
from .spelling import Unreadable, text_of

__all__ = ["KIND"]

_OF_RUNS: Final = ("generated_response", "tools_called", "agent_trajectory", "actual_output")
_OF_INPUTS: Final = ("query", "input")
_OF_EXPECTATIONS: Final = ("expected_response", "expected_tools", "expected_agent_trajectory", "expected_output")
_LISTS: Final = (
    "tools_called",
    "expected_tools",
    "agent_trajectory",
    "expected_agent_trajectory",
    "available_tools",
    "retrieval_context",
    "context",
    "metadata",
)
"""The fields that are JSON in the cells of CSV."""
_JOINED: Final = frozenset({"context", "retrieval_context"})
"""The fields of texts that DeepEval's Synthesizer and datasets join with `|` in CSV."""
_KNOWN: Final = frozenset({*_OF_RUNS, *_OF_INPUTS, *_OF_EXPECTATIONS, "available_tools", "id", "metadata"})


def claim(record: Record) -> Claim:
    """Claim records with two fields of gllm-evals or DeepEval. Those without a run may be items of a dataset."""
    value = record.value
    if not isinstance(value, dict):
        return NO_CLAIM
    of_runs = [key for key in _OF_RUNS if key in value]
    keys = [*of_runs, *(key for key in (*_OF_INPUTS, *_OF_EXPECTATIONS) if key in value)]
    if len(keys) < 2:
        return NO_CLAIM
    return Claim(2 if of_runs else 1, ", ".join(keys[:3]))


def read(records: Iterable[Record]) -> Iterator[Imported | RecordFault]:
    """Read records: those with a response, calls or a trajectory as runs, others as items."""
    return read_each(records, _read_record)


def _read_record(record: Record) -> Iterator[Imported]:
    if not isinstance(record.value, dict):
        raise Unreadable("it is not an object")
    value = dict(_read_cells(record.value)) if record.is_csv else record.value
    value = {key: below for key, below in value.items() if below is not None}
    if not any(key in value for key in _KNOWN):
        raise Unreadable(f"it has none of the fields {', '.join((*_OF_INPUTS, *_OF_RUNS))}")
    run = agent_data(value)
    metadata = value.get("metadata")
    rest = {key: below for key, below in value.items() if key not in _KNOWN}
    yield Imported(
        record.place,
        id=None if value.get("id") is None else str(value["id"]),
        run=run.model_copy(update={"reference": None}) if any(key in value for key in _OF_RUNS) else None,
        expectation=make_expectation(run.reference),
        input=run.input,
        metadata={**rest, **metadata} if isinstance(metadata, dict) else rest,
    )


def _read_cells(cells: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    for column, cell in cells.items():
        if column not in _LISTS:
            yield column, cell
            continue
        if column in _JOINED and not cell.startswith("["):
            yield column, cell.split("|")
            continue
        try:
            yield column, json.loads(cell)
        except (ValueError, RecursionError) as error:
            raise Unreadable(f"{column}: it is not JSON: {error}") from error


def write(entries: Iterable[Imported]) -> Iterator[str]:
    """Write records of gllm-evals as JSON lines."""
    return write_lines(entries, _write_record)


def _write_record(entry: Imported) -> JsonObject:
    run, expectation = entry.run, entry.expectation
    expected = {} if expectation is None else expectation.defined
    calls, trajectory = expected.get("expected_tool_calls"), expected.get("expected_trajectory")
    fields = {
        "id": entry.id,
        "query": text_of(entry.input) if run is None or run.input is None else run.input,
        "expected_response": expected.get("expected_response"),
        "expected_tools": None if calls is None else [_write_call(call) for call in calls],
        "expected_agent_trajectory": None if trajectory is None else write_messages(trajectory),
        **({} if run is None else _write_run(run)),
        "metadata": entry.metadata or None,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _write_run(run: AgentTrace) -> JsonObject:
    is_recorded = bool(run.tool_calls) or not run.gaps
    return {
        "generated_response": run.final_response,
        "tools_called": [_write_call(call) for call in run.trajectory] if is_recorded else None,
        "agent_trajectory": write_messages(run.messages) if run.messages else None,
        "available_tools": None if run.tool_definitions is None else write_tools(run.tool_definitions),
    }


def _write_call(call: ToolCall | ExpectedCall) -> JsonObject:
    fields = {"name": call.name, "args": call.args, "output": call.result}
    return {key: value for key, value in fields.items() if value is not None}


KIND: Final = Kind("gl", "records of gllm-evals, and test cases of DeepEval", claim, read, write)
