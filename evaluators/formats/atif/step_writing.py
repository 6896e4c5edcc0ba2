"""Writes the steps of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from ...model import (
    AgentTrace,
    JsonObject,
    LlmCall,
    Message,
    ReasoningPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
)
from ..requested_call import call_of_part, take_call
from ..trajectory import messages_of_run
from .beside import KEY, differences
from .content import write_content
from .step import NOT_MADE, read_llm_call, read_step
from .version import COPIED_CONTEXT, SUB_AGENTS

__all__ = ["StepWriter"]

_SOURCES: Final = {"assistant": "agent", "user": "user"}
_OTHER: Final = "system"


class _Request(NamedTuple):
    """A call that a message requests, and whether the run made it."""

    call: ToolCall
    is_made: bool


class StepWriter:
    """Writes the messages and calls of one run as steps; `own_calls` are those that are not a sub-agent's."""

    def __init__(self, run: AgentTrace, own_calls: Sequence[ToolCall], *, minor: int) -> None:
        self._run = run
        self._minor = minor
        self._messages = messages_of_run(run)
        self._waiting = list(own_calls)
        self._llm_calls = {call.span_id: call for call in run.llm_calls if call.span_id is not None}
        self._loose_llm_calls = [call for call in run.llm_calls if call.span_id is None]
        self._answered = {
            part.id for message in self._messages for part in message.parts if isinstance(part, ToolCallResponsePart)
        }
        self._open: dict[str, JsonObject] = {}
        self._steps: list[JsonObject] = []
        self._own: list[tuple[JsonObject, Sequence[_Request]]] = []

    def write(self) -> list[JsonObject]:
        """Return the steps, numbered from 1."""
        beginning = _find_beginning(self._run, self._messages)
        has_answer = False
        for index, message in enumerate(self._messages):
            is_copied = index < beginning
            if is_copied and self._minor < COPIED_CONTEXT:
                continue
            step = self._write_message(message, is_copied=is_copied)
            if step is not None and step["source"] == "user" and has_answer and not is_copied:
                _put_beside(step, {"continues": True})
            has_answer = has_answer or (step is not None and step["source"] == "agent" and not is_copied)
        if self._waiting:
            left = [_Request(call, is_made=True) for call in self._waiting]
            self._add_calls(self._add("agent", ""), left, are_own=True)
        for llm_call in (*self._llm_calls.values(), *self._loose_llm_calls):
            step = self._add("agent", "")
            _put_beside(step, {"is_silent": True})
            self._add_llm_call(step, llm_call)
        if self._minor >= SUB_AGENTS:
            self._complete_calls()
        return self._steps or [self._add(_OTHER, "")]

    def _add(self, source: str, message: str | list[JsonObject], **fields: Any) -> JsonObject:
        step = {"step_id": len(self._steps) + 1, "source": source, "message": message, **fields}
        self._steps.append(step)
        return step

    def _write_message(self, message: Message, *, is_copied: bool) -> JsonObject | None:
        """Write a message as a step, and its results to the steps of their calls; return the step, if it has one."""
        results = [part for part in message.parts if isinstance(part, ToolCallResponsePart)]
        for part in results:
            self._add_result(part)
        if message.role == "tool" or (results and len(results) == len(message.parts)):
            return None
        source = _SOURCES.get(message.role, _OTHER)
        step = self._add(source, write_content(message.parts, self._minor))
        if message.time is not None:
            step["timestamp"] = message.time.isoformat()
        if is_copied:
            step["is_copied_context"] = True
        if source == "agent":
            self._add_agent_fields(step, message, is_copied=is_copied)
        return step

    def _add_agent_fields(self, step: JsonObject, message: Message, *, is_copied: bool) -> None:
        thoughts = [part.content for part in message.parts if isinstance(part, ReasoningPart)]
        llm_call = None if is_copied or message.span_id is None else self._llm_calls.pop(message.span_id, None)
        requested = [part for part in message.parts if isinstance(part, ToolCallPart)]
        if thoughts:
            step["reasoning_content"] = "\n".join(thoughts)
        if llm_call is not None:
            self._add_llm_call(step, llm_call)
        elif self._run.llm_calls and requested and not thoughts and not is_copied and self._minor >= SUB_AGENTS:
            step["llm_call_count"] = 0
        if requested:
            self._add_calls(step, [self._take(part, is_copied=is_copied) for part in requested], are_own=not is_copied)

    def _take(self, part: ToolCallPart, *, is_copied: bool) -> _Request:
        """Return the call that a message requests, and whether it is one that this run made."""
        if is_copied:
            return _Request(call_of_part(part), is_made=False)
        count = len(self._waiting)
        call = take_call(part, self._waiting)
        return _Request(call, is_made=len(self._waiting) < count)

    def _add_calls(self, step: JsonObject, requests: Sequence[_Request], *, are_own: bool) -> None:
        if are_own:
            self._own.append((step, requests))
        written: list[JsonObject] = []
        step["tool_calls"] = written
        for number, (call, _) in enumerate(requests):
            taken = {item["tool_call_id"] for item in written}
            call_id = call.id if call.id and call.id not in taken else f"call_{step['step_id']}_{number}"
            written.append({"tool_call_id": call_id, "function_name": call.name, "arguments": call.args or {}})
            self._open[call_id] = step
            if call.result is not None and call.id not in self._answered:
                self._append_result(step, call_id, call.result, is_error=call.status == "error")

    def _add_result(self, part: ToolCallResponsePart) -> None:
        step = self._open.get(part.id) if part.id is not None else None
        target = step or next((step for step in reversed(self._steps) if step["source"] == "agent"), None)
        target = target or self._add(_OTHER, "")
        self._append_result(target, part.id if step is not None else None, part.response, is_error=part.is_error)

    def _append_result(self, step: JsonObject, call_id: str | None, content: str | None, *, is_error: bool) -> None:
        results = step.setdefault("observation", {"results": []})["results"]
        extra = {"extra": {"is_error": True}} if is_error and self._minor >= SUB_AGENTS else {}
        results.append({"source_call_id": call_id, "content": content, **extra})

    def _add_llm_call(self, step: JsonObject, call: LlmCall) -> None:
        name = call.response_model or call.request_model
        extra = _without_none(
            {
                "reasoning_output_tokens": call.reasoning_tokens,
                "cache_creation_input_tokens": call.cache_write_input_tokens,
            }
        )
        metrics = _without_none(
            {
                "prompt_tokens": call.input_tokens,
                "completion_tokens": call.output_tokens,
                "cached_tokens": call.cached_input_tokens,
                "cost_usd": call.cost_usd,
                "extra": extra or None,
            }
        )
        step.update(_without_none({"model_name": name, "metrics": metrics if metrics or name is None else None}))
        implied = read_llm_call(step, "step", self._run.model)
        changes = {} if implied is None else differences(call, implied)
        if changes:
            _put_beside(step, {"llm_call": changes})

    def _complete_calls(self) -> None:
        """Note what calls have and a reader would not get from their steps."""
        for step, requests in self._own:
            implied_calls = read_step(step, "step", None).calls
            for item, (call, is_made), implied in zip(step["tool_calls"], requests, implied_calls, strict=True):
                changes = differences(call, implied) if is_made else {NOT_MADE: True}
                if changes:
                    item["extra"] = {KEY: changes}


def _find_beginning(run: AgentTrace, messages: Sequence[Message]) -> int:
    """Return the position of the first message that is not of an earlier run: the last with the run's input."""
    prompts = [at for at, message in enumerate(messages) if message.role == "user" and message.text == run.input]
    if run.input is None or not prompts:
        return 0
    has_answer = any(message.role == "assistant" for message in messages[: prompts[-1]])
    return prompts[-1] if has_answer else 0


def _put_beside(step: JsonObject, values: JsonObject) -> None:
    step.setdefault("extra", {}).setdefault(KEY, {}).update(values)


def _without_none(item: JsonObject) -> JsonObject:
    return {key: value for key, value in item.items() if value is not None}
