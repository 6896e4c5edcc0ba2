"""Floeval's agent datasets: `.json` with a list of `samples`, or `.jsonl` with one a line.

A sample is full when it has a `trace`, else partial: then an agent is still to be run. Read is what Floeval 2.0.0 reads
(AgentDatasetLoader), with its two aliases and its defaults, and the roles `user` and `system` besides. What it
refuses or fails at is refused: null where something should stand, OpenAI's form of tool calls, other files.
`agent_traces` of workflows are left out.
"""

from __future__ import annotations

import io
import json
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator

from ..model import (
    AgentTrace,
    ExpectedCall,
    JsonObject,
    Message,
    MessagePart,
    Reference,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
)

__all__ = ["Sample", "dataset", "sample"]

_OUR_ROLES: Final = {"human": "user", "ai": "assistant"}
_YEAR_10000_S: Final = 253_402_300_800
_WORDS: Final = {
    "model_type": "an object is wanted",
    "model_attributes_type": "an object is wanted",
    "union_tag_not_found": "it has no role",
}


def _text_or_object(value: object) -> object:
    if not isinstance(value, (str, dict)):
        raise ValueError("text or an object is wanted")  # noqa: TRY004 - pydantic makes the message of a ValueError
    return value


TextOrObject: TypeAlias = Annotated[Any, AfterValidator(_text_or_object)]
Seconds: TypeAlias = Annotated[float, Field(ge=0, lt=_YEAR_10000_S, allow_inf_nan=False)]


class Sample(BaseModel):
    """One sample. `user_input`, `reference_outcome` and `metadata` as they were written; `trace` has the reference."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["full", "partial"]
    user_input: str | JsonObject
    reference_outcome: str | JsonObject | None = None
    trace: AgentTrace | None = Field(default=None, description="None in a partial sample: nothing was run yet")
    reference: Reference | None = None
    metadata: JsonObject = Field(default_factory=dict)


class _Call(BaseModel):
    name: str = Field(min_length=1)
    args: JsonObject = Field(default_factory=dict)
    id: Any = None


class _Said(BaseModel):
    role: Literal["human", "user", "system"]
    content: str = ""


class _Turn(BaseModel):
    role: Literal["ai", "assistant"]
    content: str = ""
    tool_calls: list[_Call] = Field(default_factory=list)


class _Answer(BaseModel):
    role: Literal["tool"]
    content: str = ""
    tool_name: str = ""
    tool_call_id: str | None = None


class _Trace(BaseModel):
    messages: list[Annotated[_Said | _Turn | _Answer, Field(discriminator="role")]] = Field(min_length=1)
    final_response: str = ""
    agent_name: str | None = None
    start_time: Seconds | None = None
    end_time: Seconds | None = None
    total_tokens: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    metadata: JsonObject = Field(default_factory=dict)


class _Record(BaseModel):
    user_input: TextOrObject
    reference_outcome: TextOrObject | None = None
    reference_tool_calls: list[_Call] | None = None
    trace: _Trace | None = None
    metadata: JsonObject = Field(default_factory=dict)

    @field_validator("trace", mode="before")
    @classmethod
    def _is_there(cls, trace: object) -> object:
        if trace is None:
            raise ValueError("null is no trace; leave the key out of a partial sample")
        return trace


def dataset(name: str, text: str, *, strict_roles: bool = False) -> tuple[Sample, ...]:
    """The samples of a file; `name` says by its ending which format `text` is in.

    Raises ValueError naming the line or the sample that cannot be read, and also where there is none at all.
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
    """The sample that one record tells of. With `strict_roles` messages of `user` and `system` are refused, as there.

    Raises ValueError naming the key.
    """
    if not isinstance(record, dict):
        raise ValueError("a sample has to be an object")  # noqa: TRY004 - one kind of error for whatever cannot be read
    asked = record.get("user_input") or record.get("question")
    if not asked:
        raise ValueError("neither user_input nor question says what was asked")
    outcome = record.get("reference_outcome") or record.get("answer")
    try:
        told = _Record.model_validate({**record, "user_input": asked, "reference_outcome": outcome})
        if strict_roles and told.trace:
            _refuse_further_roles(told.trace)
        return _sample(told)
    except ValidationError as error:
        raise ValueError("; ".join(map(_fault, error.errors(include_input=False)[:3]))) from error
    except RecursionError as error:
        raise ValueError("user_input or reference_outcome: the object is nested too deeply") from error


def _refuse_further_roles(trace: _Trace) -> None:
    for position, message in enumerate(trace.messages):
        if message.role in {"user", "system"}:
            raise ValueError(f"trace.messages.{position}.role: {message.role} is not human, ai, assistant or tool")


def _fault(fault: Any) -> str:
    place = ".".join(str(step) for step in fault["loc"])
    return f"{place}: {_WORDS.get(fault['type']) or fault['msg'].removeprefix('Value error, ')}"


def _lines(text: str) -> Iterator[tuple[str, object]]:
    for number, line in enumerate(io.StringIO(text, newline=None), 1):  # str.splitlines would break inside of texts
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
        raise ValueError(f"{place} is no JSON: {error}") from error


def _placed(record: object, place: str, *, strict_roles: bool) -> Sample:
    try:
        return sample(record, strict_roles=strict_roles)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error


def _sample(told: _Record) -> Sample:
    reference = _reference(told)
    return Sample(
        kind="partial" if told.trace is None else "full",
        user_input=told.user_input,
        reference_outcome=told.reference_outcome,
        trace=None if told.trace is None else _trace(told.trace, _as_text(told.user_input), reference),
        reference=reference,
        metadata=told.metadata,
    )


def _reference(told: _Record) -> Reference | None:
    calls = told.reference_tool_calls
    if calls is None and told.reference_outcome is None:
        return None
    return Reference(
        expected_response=None if told.reference_outcome is None else _as_text(told.reference_outcome),
        expected_tool_calls=None if calls is None else tuple(ExpectedCall(name=it.name, args=it.args) for it in calls),
    )


def _as_text(value: str | JsonObject) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _trace(told: _Trace, asked: str, reference: Reference | None) -> AgentTrace:
    start, end = told.start_time, told.end_time
    return AgentTrace(
        agent_name=told.agent_name,
        input=asked,
        messages=tuple(map(_message, told.messages)),
        tool_calls=_tool_calls(told.messages),
        final_response=told.final_response if "final_response" in told.model_fields_set else None,
        input_tokens=told.prompt_tokens,
        output_tokens=told.completion_tokens,
        started_at=None if start is None else _at(start),
        ended_at=None if end is None else _at(end),
        duration_ms=None if start is None or end is None or end < start else (end - start) * 1000,
        reference=reference,
    )


def _at(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _message(told: _Said | _Turn | _Answer) -> Message:
    return Message(role=_OUR_ROLES.get(told.role, told.role), parts=tuple(_parts(told)))


def _parts(told: _Said | _Turn | _Answer) -> Iterator[MessagePart]:
    if isinstance(told, _Answer):
        yield ToolCallResponsePart(id=told.tool_call_id, name=told.tool_name or None, response=told.content)
        return
    if told.content:
        yield TextPart(content=told.content)
    if isinstance(told, _Turn):
        yield from (ToolCallPart(id=_id(call), name=call.name, arguments=call.args) for call in told.tool_calls)


def _id(call: _Call) -> str | None:
    return call.id if isinstance(call.id, str) else None


class _Waiting:
    """Calls that wait for their answers."""

    def __init__(self) -> None:
        self._by_id: dict[str, int] = {}
        self._by_tool: defaultdict[str, deque[int]] = defaultdict(deque)
        self._answered: set[int] = set()

    def add(self, position: int, call: _Call) -> None:
        if (call_id := _id(call)) is not None:
            self._by_id[call_id] = position
        self._by_tool[call.name].append(position)

    def answered(self, told: _Answer) -> int | None:
        """The position of the call with the answer's id, else of the first of its tool; None when none waits."""
        named = self._by_id.get(told.tool_call_id) if told.tool_call_id else None
        queue = self._by_tool[told.tool_name]
        while named is None or named in self._answered:
            if not queue:
                return None
            named = queue.popleft()
        self._answered.add(named)
        return named


def _tool_calls(messages: Sequence[_Said | _Turn | _Answer]) -> tuple[ToolCall, ...]:
    calls: list[_Call] = []
    results: dict[int, str] = {}
    waiting = _Waiting()
    for message in messages:
        if isinstance(message, _Turn):
            for position, call in enumerate(message.tool_calls, len(calls)):
                waiting.add(position, call)
            calls += message.tool_calls
        elif isinstance(message, _Answer) and (answered := waiting.answered(message)) is not None:
            results[answered] = message.content
    return tuple(
        ToolCall(id=_id(call), name=call.name, args=call.args, result=results.get(position), source="message")
        for position, call in enumerate(calls)
    )
