"""Files of AgentV: runs, results, transcripts, and the cases of eval files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ...model import JsonObject
from ..imported import Imported, RecordFault
from ..kind import NO_CLAIM, Claim, Kind, write_lines
from ..record import Record
from ..spelling import record as object_of
from .case_writing import write_case
from .eval_case import CASE_INPUTS, CASE_SIGNS, Attachments, read_case
from .eval_file import CASE_LISTS, PlaceOf, read_eval_file
from .result_row import ANSWERS, CASES, SUMMARIES, read_row
from .run import LATER_MESSAGES, MESSAGES
from .transcript import SCHEMA, Transcripts, is_row
from .writing import write_run

__all__ = ["KIND", "claim", "read", "read_suite", "write"]


def claim(record: Record) -> Claim:
    """Claim runs with AgentV's messages, results with a summary of the calls, transcripts, and eval files."""
    value = record.value
    if record.is_csv or not isinstance(value, dict):
        return NO_CLAIM
    sign = _find_own_field(value)
    return _claim_case(value) if sign is None else Claim(3, sign)


def _find_own_field(value: dict[str, object]) -> str | None:
    """Return the field by which this is a file of AgentV's, and of no other system."""
    summary = next((key for key in SUMMARIES if isinstance(value.get(key), dict)), None)
    is_result = summary is not None and "score" in value and any(key in value for key in CASES)
    signs = {
        SCHEMA: is_row(value),
        MESSAGES: isinstance(value.get(MESSAGES), list),
        "output[].tool_calls[].tool": _has_calls(value.get(LATER_MESSAGES)),
        "trace[].type": _has_events(value.get("trace")),
        f"{summary}, score": is_result,
        "input_messages": "input_messages" in value and "id" in value,
    }
    return next((sign for sign, is_there in signs.items() if is_there), None)


def _claim_case(value: dict[str, object]) -> Claim:
    for key in CASE_LISTS:
        cases = value.get(key)
        if isinstance(cases, list) and any(isinstance(case, dict) for case in cases):
            return Claim(2 if key == "tests" else 3, f"{key}[]")
    has_input = any(key in value for key in CASE_INPUTS)
    sign = next((key for key in CASE_SIGNS if key in value), None)
    return Claim(1, f"input, {sign}") if has_input and sign and "id" in value else NO_CLAIM


def _has_calls(messages: object) -> bool:
    """Return whether one of the messages has a call that is named as AgentV names it."""
    calls = [
        call
        for message in (messages if isinstance(messages, list) else [])
        if isinstance(message, dict) and isinstance(message.get("tool_calls"), list)
        for call in message["tool_calls"]
    ]
    return any(isinstance(call, dict) and "tool" in call for call in calls)


def _has_events(trace: object) -> bool:
    events = trace if isinstance(trace, list) else []
    return any(isinstance(event, dict) and event.get("type") in {"tool_call", "tool_result"} for event in events)


def read(records: Iterable[Record]) -> Iterator[Imported | RecordFault]:
    """Read runs, and cases with what is expected of their runs; the lines of a transcript are one run."""
    transcripts = Transcripts()
    for record in records:
        if record.fault is not None:
            yield RecordFault(record.place, record.fault)
        elif is_row(record.value):
            yield from transcripts.add(record)
        else:
            yield from transcripts.flush()
            yield from _read_record(record)
    yield from transcripts.flush()


def _read_record(record: Record) -> Iterator[Imported | RecordFault]:
    try:
        value = object_of(record.value, "the record")
        if any(key in value for key in CASE_LISTS):
            yield from read_suite(value, lambda keys: f"{record.place}, {keys[0]}[{keys[1]}]")
        elif _is_run(value):
            yield read_row(value, record.place)
        else:
            yield read_case(value, record.place).to_imported(record.place)
    except ValueError as error:
        yield RecordFault(record.place, str(error))
    except RecursionError:
        yield RecordFault(record.place, "it is nested too deeply")


def read_suite(
    data: object, place_of: PlaceOf, read_file: Attachments | None = None
) -> Iterator[Imported | RecordFault]:
    """Read the cases of an eval file as items, and those that cannot be read. Raises ValueError for another file."""
    eval_file = read_eval_file(data, place_of, read_file)
    yield from (case.to_imported(case.place) for case in eval_file.cases)
    yield from eval_file.faults


def _is_run(value: dict[str, object]) -> bool:
    keys = (MESSAGES, LATER_MESSAGES, "trace", *SUMMARIES, *ANSWERS)
    return any(value.get(key) is not None for key in keys)


def write(entries: Iterable[Imported]) -> Iterator[str]:
    """Write runs, and items as cases, as JSON lines."""
    return write_lines(entries, _write_entry)


def _write_entry(entry: Imported) -> JsonObject:
    if entry.run is None:
        return write_case(entry)
    return {**({} if entry.id is None else {"id": entry.id}), **write_run(entry.run)}


KIND: Final = Kind("agentv", "runs, results, transcripts and eval files of AgentV", claim, read, write)
