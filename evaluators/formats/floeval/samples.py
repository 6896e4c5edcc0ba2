"""Reads the samples of a dataset; errors name the place of what cannot be read."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...model import AgentTrace, ExpectedCall, JsonObject, Reference
from ..spelling import refuse_misspelt
from .record import Record, RecordedRun
from .run import run_of

__all__ = ["Sample", "dataset", "sample"]

_ROLES: Final = ("human", "user", "system", "ai", "assistant", "tool")
_WORDS: Final = {
    "model_type": "expected an object",
    "model_attributes_type": "expected an object",
    "union_tag_not_found": "it has no role",
}


_KEYS: Final = ("question", "answer", *Record.model_fields)


class Sample(BaseModel):
    """One sample. `user_input`, `reference_outcome` and `metadata` are as in the file; `trace` has the reference."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["full", "partial"]
    user_input: str | JsonObject
    reference_outcome: str | JsonObject | None = None
    trace: AgentTrace | None = Field(default=None, description="None in a partial sample, which has not been run yet")
    reference: Reference | None = None
    metadata: JsonObject = Field(default_factory=dict)


def dataset(name: str, text: str, *, strict_roles: bool = False) -> tuple[Sample, ...]:
    """Return the samples in the `text` of a file; the format is that of the suffix of `name`.

    Raises ValueError that names the line or the sample that cannot be read, and if there are no samples.
    """
    match PurePath(name).suffix:
        case ".jsonl":
            places = _lines(text)
        case ".json":
            places = _listed(text)
        case suffix:
            raise ValueError(f"{name}: a Floeval dataset ends in .json or .jsonl, not in {suffix or 'nothing'!r}")
    samples = tuple(_placed(record, place, strict_roles=strict_roles) for place, record in places)
    if not samples:
        raise ValueError(f"{name}: there are no samples in it")
    return samples


def sample(record: object, *, strict_roles: bool = False) -> Sample:
    """Return the sample in one record. With `strict_roles` the roles `user` and `system` are errors, as in Floeval.

    Raises ValueError that names the key.
    """
    if not isinstance(record, dict):
        raise ValueError("a sample has to be an object")  # noqa: TRY004 - one type of error for all that cannot be read
    refuse_misspelt(record, _KEYS, "the sample")
    request = record.get("user_input") or record.get("question")
    if not request:
        raise ValueError("neither user_input nor question is given")
    outcome = record.get("reference_outcome") or record.get("answer")
    try:
        sample_record = Record.model_validate({**record, "user_input": request, "reference_outcome": outcome})
        if strict_roles and sample_record.trace:
            _refuse_further_roles(sample_record.trace)
        return _sample(sample_record)
    except ValidationError as error:
        raise ValueError("; ".join(map(_fault, error.errors(include_input=False)[:3]))) from error
    except RecursionError as error:
        raise ValueError("user_input or reference_outcome: the object is nested too deeply") from error


def _refuse_further_roles(trace: RecordedRun) -> None:
    for position, message in enumerate(trace.messages):
        if message.role in {"user", "system"}:
            raise ValueError(f"trace.messages[{position}].role: {message.role} is not human, ai, assistant or tool")


def _fault(fault: Any) -> str:
    *above, last = fault["loc"]
    # after its position, pydantic names the role by which it read a message
    steps = [step for at, step in enumerate(above) if step not in _ROLES or not isinstance(above[at - 1], int)]
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in (*steps, last)).removeprefix(".")
    if fault["type"] == "union_tag_invalid":
        return f"{place}.role: {fault['ctx']['tag']!r} is not a role; write {', '.join(_ROLES[:-1])} or {_ROLES[-1]}"
    return f"{place}: {_WORDS.get(fault['type']) or fault['msg'].removeprefix('Value error, ')}"


def _lines(text: str) -> Iterator[tuple[str, object]]:
    for number, line in enumerate(io.StringIO(text, newline=None), 1):  # str.splitlines would also split within texts
        if line.strip():
            yield f"line {number}", _parsed(line.strip(), f"line {number}")


def _listed(text: str) -> Iterator[tuple[str, object]]:
    whole = _parsed(text, "the file")
    samples = whole.get("samples") if isinstance(whole, dict) else None
    if not isinstance(samples, list):
        raise ValueError("the file has to be an object with a list of samples")  # noqa: TRY004 - as above
    return ((f"sample {number}", record) for number, record in enumerate(samples, 1))


def _parsed(text: str, place: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{place} is not JSON: {error}") from error


def _placed(record: object, place: str, *, strict_roles: bool) -> Sample:
    try:
        return sample(record, strict_roles=strict_roles)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error


def _sample(sample_record: Record) -> Sample:
    reference = _reference(sample_record)
    return Sample(
        kind="partial" if sample_record.trace is None else "full",
        user_input=sample_record.user_input,
        reference_outcome=sample_record.reference_outcome,
        trace=None
        if sample_record.trace is None
        else run_of(sample_record.trace, _as_text(sample_record.user_input), reference),
        reference=reference,
        metadata=sample_record.metadata,
    )


def _reference(sample_record: Record) -> Reference | None:
    calls = sample_record.reference_tool_calls
    if calls is None and sample_record.reference_outcome is None:
        return None
    return Reference(
        expected_response=None
        if sample_record.reference_outcome is None
        else _as_text(sample_record.reference_outcome),
        expected_tool_calls=None if calls is None else tuple(ExpectedCall(name=it.name, args=it.args) for it in calls),
    )


def _as_text(value: str | JsonObject) -> str:
    return value if isinstance(value, str) else json.dumps(value)
