"""A run while its lines are read: what Codex did from one prompt to the next.

The items of a response follow each other, and `token_count` ends them. An item after the output of a tool is of the
next response.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from ...model import (
    AgentTrace,
    GenericPart,
    JsonObject,
    LlmCall,
    Message,
    MessagePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolCallResponsePart,
)
from ..field_values import count_at, object_at, text_at
from ..run_draft import RunDraft
from ..run_id import ids_of_run
from ..spelling import amount
from .call import answered_call, read_call
from .line import Line, text_of_content
from .output import read_event, read_output

__all__ = ["TOKENS", "Turn", "read_usage"]

TOKENS: Final = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cached_input_tokens": "cached_input_tokens",
    "cache_write_input_tokens": "cache_write_input_tokens",
    "reasoning_tokens": "reasoning_output_tokens",
}


class Turn:
    """A run so far. `turn_id` is Codex' own, which the first versions do not have."""

    def __init__(self, place: str, time: datetime | None, turn_id: str | None) -> None:
        self.place = place
        self.turn_id = turn_id
        self.prompt: str | None = None
        self.started_at = time
        self.ended_at: datetime | None = None
        self.is_done = False
        self.is_interrupted = False
        self.error: str | None = None
        self.figures: dict[str, Any] = {}
        self.draft = RunDraft()
        self._response: int | None = None
        self._has_output = False

    @property
    def has_answer(self) -> bool:
        """Whether the agent did anything."""
        return self.error is not None or any(message.role == "assistant" for message in self.draft.messages)

    @property
    def is_finished(self) -> bool:
        """Whether nothing more can happen in it."""
        is_ended = self.is_done or self.is_interrupted or self.error is not None
        return is_ended or self._find_final_response() is not None

    def add_message(self, role: str, text: str, time: datetime | None) -> None:
        """Add a message that is not the model's."""
        self._response = None
        self.draft.messages.append(Message(role=role, parts=(TextPart(content=text),), time=time))

    def add_item(self, line: Line, model: LlmCall) -> None:
        """Add an item of a response, or the output of a tool; `model` is a call of the current model.

        Raises ValueError that names the field.
        """
        kind, payload = line.kind or "", line.payload
        if (call_id := answered_call(kind, payload)) is not None:
            self._answer(line, call_id)
        elif (call := read_call(kind, payload)) is not None:
            if self.draft.add_call(call):
                given = call.args_text if call.args is None else call.args
                self._extend(line, model, ToolCallPart(id=call.id, name=call.name, arguments=given))
        elif kind == "reasoning":
            text = text_of_content(payload.get("content")) or text_of_content(payload.get("summary"))
            self._extend(line, model, *([ReasoningPart(content=text)] if text else []))
        elif kind == "message":
            text = text_of_content(payload.get("content"))
            self._extend(line, model, *([TextPart(content=text)] if text else []))
        else:
            self._extend(line, model, GenericPart(kind=kind))
        self.touch(line)

    def _extend(self, line: Line, model: LlmCall, *parts: MessagePart) -> None:
        if self._response is None or self._has_output:
            self._response, self._has_output = len(self.draft.messages), False
            call_id = f"response-{len(self.draft.llm_calls) + 1}"
            self.draft.messages.append(Message(role="assistant", span_id=call_id, time=line.time))
            self.draft.llm_calls.append(model.model_copy(update={"span_id": call_id}))
        self.draft.extend_message(self._response, parts)

    def _answer(self, line: Line, call_id: str) -> None:
        fields = read_output(line.payload.get("output"))
        call = self.draft.find_call(call_id)
        if call is not None:
            if fields["duration_ms"] is None:
                fields["duration_ms"] = call.duration_ms
            self.draft.complete_call(call_id, **{**fields, "metadata": {**call.metadata, **fields["metadata"]}})
        part = ToolCallResponsePart(
            id=call_id,
            name=None if call is None else call.name,
            response=fields["result"],
            is_error=fields["status"] == "error",
        )
        self.draft.messages.append(Message(role="tool", parts=(part,), time=line.time))
        self._has_output = True

    def add_usage(self, usage: JsonObject) -> None:
        """End the response with its tokens; without a response before, they are those of an earlier one, repeated.

        Raises ValueError that names the field.
        """
        tokens = {name: count_at(usage, key, "payload.info.last_token_usage") for name, key in TOKENS.items()}
        if self._response is None:
            return
        self.draft.llm_calls[-1] = self.draft.llm_calls[-1].model_copy(update=tokens)
        self._response, self._has_output = None, False

    def add_event(self, line: Line) -> None:
        """Note the end of a call, or of the run. Raises ValueError that names the field."""
        kind, payload = line.kind or "", line.payload
        call_id = payload.get("call_id")
        call = self.draft.find_call(call_id) if isinstance(call_id, str) and kind.endswith("_end") else None
        if call is not None and call.id is not None:
            fields = read_event(payload)
            self.draft.complete_call(call.id, **{**fields, "metadata": {**call.metadata, **fields.get("metadata", {})}})
        elif kind in {"task_complete", "turn_complete"}:
            self.is_done = True
            self.figures["duration_ms"] = amount(payload, "duration_ms", "payload")
            answer = text_at(payload, "last_agent_message", "payload")
            if self._find_final_response() is None and answer is not None:
                self.figures["final_response"] = answer
            self.touch(line)
        elif kind == "turn_aborted":
            self.is_interrupted = True
            self.touch(line)
        elif kind == "error":
            self.error = text_at(payload, "message", "payload")

    def touch(self, line: Line) -> None:
        """Note that the run went on until this line."""
        self.ended_at = line.time or self.ended_at

    def _find_final_response(self) -> str | None:
        said = [message for message in self.draft.messages if message.role in {"assistant", "tool"}]
        return None if not said or said[-1].role == "tool" or said[-1].tool_calls else said[-1].text

    def finish(self, run_id: str, **fields: Any) -> AgentTrace:
        """Return the run, with further `fields`."""
        duration_ms = None
        ended_at = None if fields.get("completeness") == "partial" else self.ended_at
        if self.started_at is not None and ended_at is not None and ended_at >= self.started_at:
            duration_ms = (ended_at - self.started_at).total_seconds() * 1000
        is_failed = self.is_interrupted or (self.error is not None and not self.is_done)
        own = {
            **ids_of_run(run_id),
            "input": self.prompt,
            "final_response": None if is_failed else self._find_final_response(),
            "error": self.error if is_failed else None,
            "started_at": self.started_at,
            "ended_at": ended_at,
            "duration_ms": duration_ms,
        }
        recorded = {name: value for name, value in self.figures.items() if value is not None}
        return self.draft.finish(**{**own, **recorded, **fields})


def read_usage(payload: JsonObject, previous: JsonObject | None) -> tuple[JsonObject | None, JsonObject | None]:
    """Return the tokens of the last response and those of all so far, in a `token_count`.

    The former may be missing; then they are what the latter has more than the `previous` total.
    """
    info = object_at(payload, "info", "payload") or {}
    last, total = (
        object_at(info, "last_token_usage", "payload.info"),
        object_at(info, "total_token_usage", "payload.info"),
    )
    if last is None and total is not None:
        before = previous or {}
        last = {
            key: value - before.get(key, 0)
            for key, value in total.items()
            if isinstance(value, int) and isinstance(before.get(key, 0), int) and value >= before.get(key, 0)
        }
    return last, total or previous
