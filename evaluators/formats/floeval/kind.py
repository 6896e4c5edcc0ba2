"""Files of Floeval's agent datasets: full and partial samples, also in one file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from ...model import JsonObject
from ..expectation import Expectation
from ..imported import Imported, RecordFault, make_expectation, read_each
from ..kind import NO_CLAIM, Claim, Kind, write_lines
from ..record import Record
from .samples import sample
from .writing import write_sample

__all__ = ["KIND"]

_REQUESTS: Final = ("user_input", "question")
_REFERENCES: Final = ("reference_outcome", "reference_tool_calls", "answer")
_KEYS: Final = frozenset({*_REQUESTS, *_REFERENCES, "trace", "agent_traces", "metadata"})


def claim(record: Record) -> Claim:
    """Claim records with a request and a trace or a reference under Floeval's keys."""
    value = record.value
    if record.is_csv or not isinstance(value, dict):
        return NO_CLAIM
    request = next((key for key in _REQUESTS if key in value), None)
    if request is None:
        return NO_CLAIM
    if isinstance(value.get("trace"), dict) and "messages" in value["trace"]:
        return Claim(3, f"{request}, trace.messages")
    if record.list_name == "samples":
        return Claim(3, f"samples[].{request}")
    references = [key for key in _REFERENCES if key in value]
    if not references or not value.keys() <= _KEYS:
        return NO_CLAIM
    is_plain = (request, *references) == ("question", "answer")  # many a table has these columns
    return Claim(1 if is_plain else 2, f"{request}, {references[0]}")


def read(records: Iterable[Record]) -> Iterator[Imported | RecordFault]:
    """Read samples: a full one is a run with its expectation, a partial one is an item."""
    return read_each(records, _read_sample)


def _read_sample(record: Record) -> Iterator[Imported]:
    read_sample = sample(record.value)
    given_trace = record.value.get("trace") or {}
    run, error = read_sample.trace, given_trace.get("error_info")
    if run is not None and isinstance(error, str) and error:
        run = run.model_copy(update={"error": error})
    yield Imported(
        record.place,
        run=run,
        expectation=_accept_any_arguments(make_expectation(read_sample.reference), record.value),
        input=read_sample.user_input,
        metadata={**(given_trace.get("metadata") or {}), **read_sample.metadata},
    )


def _accept_any_arguments(expectation: Expectation | None, value: JsonObject) -> Expectation | None:
    """Return the expectation without the arguments that the sample leaves out.

    Floeval compares such a call as one with empty arguments; in a dataset it is a call with any.
    """
    if expectation is None or expectation.expected_tool_calls is None:
        return expectation
    calls: list[Any] = value["reference_tool_calls"]
    expected = tuple(
        call if "args" in given else call.model_copy(update={"args": None})
        for call, given in zip(expectation.expected_tool_calls, calls, strict=True)
    )
    return expectation.model_copy(update={"expected_tool_calls": expected})


def write(entries: Iterable[Imported]) -> Iterator[str]:
    """Write samples as JSON lines: full ones of runs, partial ones of items."""
    return write_lines(entries, write_sample)


KIND: Final = Kind("floeval", "Floeval's agent datasets, full and partial", claim, read, write, ("samples",))
