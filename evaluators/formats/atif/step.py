"""Reads a step: a message, the call of the model that wrote it, its tool calls, and what they returned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from ...model import (
    JsonObject,
    LlmCall,
    Message,
    MessagePart,
    ReasoningPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
)
from ...pricing.model_name import model_name
from ..field_values import count_at, list_at, object_at, text_at, time_at
from ..spelling import Unreadable, amount, record
from .beside import KEY, restore
from .content import describe_content, read_parts

__all__ = ["NOT_MADE", "Result", "Step", "read_call", "read_llm_call", "read_step"]

_ROLES: Final = {"system": "system", "user": "user", "agent": "assistant"}
NOT_MADE: Final = "not_made"
"""The mark of a call that a message requests and the run did not make, as in messages of earlier runs."""

_ERROR_MARKS: Final = ("is_error", "tool_result_is_error")
_REASONING: Final = ("reasoning_output_tokens", "reasoning_tokens")
_CACHE_WRITES: Final = ("cache_creation_input_tokens", "cache_write_input_tokens")


@dataclass(frozen=True, slots=True)
class Result:
    """What came back: to the call with this id, or to none. `sub_agents` are the trajectories that it refers to."""

    call_id: str | None
    content: str | None
    is_error: bool = False
    sub_agents: tuple[JsonObject, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """A step. `calls` are those that it requests, `made` those of them that were made in this run.

    `is_copied` says that it repeats one of an earlier trajectory, `continues` that it begins no new run, `is_silent`
    that it has no message, but only the call of a model.
    """

    role: str
    parts: tuple[MessagePart, ...]
    time: datetime | None
    llm_call: LlmCall | None
    calls: tuple[ToolCall, ...]
    made: tuple[ToolCall, ...]
    results: tuple[Result, ...]
    is_copied: bool = False
    continues: bool = False
    is_silent: bool = False
    source: JsonObject = field(default_factory=dict)

    @property
    def messages(self) -> Iterator[Message]:
        """The message of the step, and one for each result."""
        requests = tuple(
            ToolCallPart(id=call.id, name=call.name, arguments=call.args_text if call.args is None else call.args)
            for call in self.calls
        )
        has_message = bool(self.parts or requests) or not (self.is_silent or self.role == "system")
        span_id = None if self.llm_call is None else self.llm_call.span_id
        if has_message:
            yield Message(role=self.role, parts=(*self.parts, *requests), span_id=span_id, time=self.time)
        names = {call.id: call.name for call in self.calls}
        for result in self.results:
            if result.content is not None or result.call_id is not None:
                part = ToolCallResponsePart(
                    id=result.call_id,
                    name=names.get(result.call_id),
                    response=result.content,
                    is_error=result.is_error,
                )
                yield Message(role="tool", parts=(part,))


def read_step(value: object, place: str, default_model: str | None) -> Step:
    """Return the step at `place`. Raises ValueError that names the field."""
    item = record(value, place)
    source = text_at(item, "source", place)
    if source not in _ROLES:
        raise Unreadable(f"{place}.source is {source!r}; write system, user or agent")
    if "message" not in item:
        raise Unreadable(f'{place}.message is missing; write the text, or "" if there is none')
    results = tuple(_read_results(item, place))
    reasoning = text_at(item, "reasoning_content", place)
    parts = read_parts(item["message"], f"{place}.message")
    calls = [
        (read_call(call, f"{place}.tool_calls[{index}]", results), _is_made(call))
        for index, call in enumerate(list_at(item, "tool_calls", place))
    ]
    beside = (object_at(item, "extra", place) or {}).get(KEY)
    return Step(
        role=_ROLES[source],
        parts=(*((ReasoningPart(content=reasoning),) if reasoning else ()), *parts),
        time=time_at(item, "timestamp", place),
        llm_call=read_llm_call(item, place, default_model) if source == "agent" else None,
        calls=tuple(call for call, _ in calls),
        made=tuple(call for call, is_made in calls if is_made),
        results=results,
        is_copied=item.get("is_copied_context") is True,
        continues=isinstance(beside, dict) and beside.get("continues") is True,
        is_silent=isinstance(beside, dict) and beside.get("is_silent") is True,
        source=item,
    )


def _read_results(item: JsonObject, place: str) -> Iterator[Result]:
    observation = object_at(item, "observation", place) or {}
    where = f"{place}.observation"
    for index, value in enumerate(list_at(observation, "results", where)):
        at = f"{where}.results[{index}]"
        result = record(value, at)
        extra = object_at(result, "extra", at) or {}
        refs = list_at(result, "subagent_trajectory_ref", at)
        yield Result(
            text_at(result, "source_call_id", at),
            describe_content(result.get("content"), f"{at}.content"),
            is_error=any(extra.get(mark) is True for mark in _ERROR_MARKS),
            sub_agents=tuple(record(ref, f"{at}.subagent_trajectory_ref[{number}]") for number, ref in enumerate(refs)),
        )


def read_call(value: object, place: str, results: tuple[Result, ...]) -> ToolCall:
    """Return a call with its result among those of its step. Raises ValueError that names the field."""
    item = record(value, place)
    call_id, name = text_at(item, "tool_call_id", place), text_at(item, "function_name", place)
    if not name:
        raise Unreadable(f"{place}.function_name is missing; write the name of the tool")
    if "arguments" not in item:
        raise Unreadable(f"{place}.arguments is missing; write an object, {{}} if there are none")
    own_results = [result for result in results if call_id is not None and result.call_id == call_id]
    contents = [result.content for result in own_results if result.content is not None]
    is_error = any(result.is_error for result in own_results)
    implied = ToolCall(
        name=name,
        id=call_id,
        args=record(item["arguments"], f"{place}.arguments"),
        result="\n".join(contents) if contents else None,
        status=("error" if is_error else "ok") if own_results else None,
        source="message",
    )
    extra = object_at(item, "extra", place) or {}
    return restore(implied, extra.get(KEY), f"{place}.extra.{KEY}", without=(NOT_MADE,))


def _is_made(call: Any) -> bool:
    beside = (call.get("extra") or {}).get(KEY)
    return not (isinstance(beside, dict) and beside.get(NOT_MADE) is True)


def read_llm_call(item: JsonObject, place: str, default_model: str | None) -> LlmCall | None:
    """Return the call of the model that wrote a step; None if the step says nothing of it, or that there was none."""
    metrics, name = object_at(item, "metrics", place), text_at(item, "model_name", place)
    count = count_at(item, "llm_call_count", place)
    if count == 0 or (metrics is None and name is None and count is None):
        return None
    figures, where = metrics or {}, f"{place}.metrics"
    extra = object_at(figures, "extra", where) or {}
    used = default_model if name is None else name
    implied = LlmCall(
        span_id=f"step-{item.get('step_id')}",
        model=None if used is None else model_name(used),
        response_model=name,
        input_tokens=count_at(figures, "prompt_tokens", where),
        output_tokens=count_at(figures, "completion_tokens", where),
        cached_input_tokens=count_at(figures, "cached_tokens", where),
        cache_write_input_tokens=_first_count(extra, _CACHE_WRITES),
        reasoning_tokens=_first_count(extra, _REASONING),
        cost_usd=amount(figures, "cost_usd", where),
    )
    beside = (object_at(item, "extra", place) or {}).get(KEY)
    changes = beside.get("llm_call") if isinstance(beside, dict) else None
    return restore(implied, changes, f"{place}.extra.{KEY}.llm_call")


def _first_count(extra: JsonObject, keys: tuple[str, ...]) -> int | None:
    """Return the first of these counts. What others write under `extra` is not checked."""
    values: Iterator[Any] = (extra.get(key) for key in keys)
    return next(
        (value for value in values if isinstance(value, int) and not isinstance(value, bool) and value >= 0), None
    )
