"""A run while its lines are read: what an agent did from one prompt to the next, or a sub-agent from start to end.

An answer of the model is split over several lines with the id of its message, and its usage is repeated on each. The
tokens of its input are those that were read from the cache, written to it, and neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
)
from ...pricing.model_name import model_name
from ..field_values import count_at, object_at, text_at
from ..run_draft import RunDraft, sum_known
from ..run_id import ids_of_run
from ..spelling import amount, arguments
from .line import Line
from .result import describe_part, read_result_fields

__all__ = ["Turn"]

_SYNTHETIC: Final = "<synthetic>"
_CALLS: Final = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_PARTS: Final[Mapping[str, tuple[type[TextPart | ReasoningPart], str]]] = {
    "text": (TextPart, "text"),
    "thinking": (ReasoningPart, "thinking"),
}
_INPUTS: Final = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


class Turn:
    """A run so far. `is_command` says that a slash command began it, after which the agent need not have done anything.

    `spawned` has the ids of sub-agents by the calls that started them.
    """

    def __init__(self, line: Line, prompt: str | None, *, is_command: bool = False) -> None:
        self.place = line.place
        self.key = line.uuid
        self.last_key = line.uuid
        self.prompt = prompt
        self.is_command = is_command
        self.is_interrupted = False
        self.started_at = line.time
        self.ended_at: datetime | None = None
        self.error: str | None = None
        self.figures: dict[str, Any] = {}
        self.spawned: dict[str, str] = {}
        self.draft = RunDraft()
        self._messages: dict[str, tuple[int, int | None, list[JsonObject]]] = {}
        if prompt is not None:
            self.add_text(line, prompt)

    @property
    def has_answer(self) -> bool:
        """Whether the agent did anything."""
        return self.error is not None or any(message.role == "assistant" for message in self.draft.messages)

    def touch(self, line: Line) -> None:
        """Note that the run went on until this line."""
        self.last_key = line.uuid or self.last_key
        self.ended_at = line.time or self.ended_at

    def add_text(self, line: Line, text: str) -> None:
        """Add a message of the user, or of the program in its name."""
        self.draft.messages.append(Message(role="user", parts=(TextPart(content=text),), time=line.time))

    def add_answer(self, line: Line) -> None:
        """Add a part of the model's answer. Raises ValueError that names the field."""
        if line.message.get("model") == _SYNTHETIC:
            if line.value.get("isApiErrorMessage") is True or line.value.get("error"):
                self.error = line.text
            return
        llm_call = _read_llm_call(line)
        self.error = None
        message_id = line.message.get("id")
        known = self._messages.get(message_id) if isinstance(message_id, str) else None
        if known is None:
            known = len(self.draft.messages), len(self.draft.llm_calls), []
            self.draft.messages.append(Message(role="assistant", span_id=llm_call.span_id, time=line.time))
            self.draft.llm_calls.append(llm_call)
            if isinstance(message_id, str):
                self._messages[message_id] = known
        position, call_position, blocks = known
        new_blocks = [block for block in line.blocks if block not in blocks]
        blocks += new_blocks
        self.draft.extend_message(position, list(self._read_blocks(new_blocks)))
        if call_position is not None:
            self.draft.llm_calls[call_position] = _merge(self.draft.llm_calls[call_position], llm_call)

    def _read_blocks(self, blocks: list[JsonObject]) -> Iterator[MessagePart]:
        for block in blocks:
            sort = block.get("type")
            if sort in _CALLS:
                yield from self._read_call(block)
            elif isinstance(block.get("tool_use_id"), str):  # the result of a tool that the provider ran
                self.draft.messages.extend(self._answer(block, None, None))
            elif isinstance(sort, str) and sort in _PARTS:
                part, key = _PARTS[sort]
                if isinstance(block.get(key), str) and block[key]:
                    yield part(content=block[key])
            else:
                yield GenericPart(kind=str(sort), content={"description": describe_part(block)})

    def _read_call(self, block: JsonObject) -> Iterator[MessagePart]:
        name, call_id = block.get("name"), block.get("id")
        if not isinstance(name, str) or not name:
            return
        given = arguments(block.get("input"))
        call_id = call_id if isinstance(call_id, str) else None
        call = ToolCall(
            name=name,
            id=call_id,
            args=given if isinstance(given, dict) else None,
            args_text=given if isinstance(given, str) else None,
            status=None,
            source="message",
        )
        if self.draft.add_call(call):
            yield ToolCallPart(id=call_id, name=name, arguments=given)

    def add_results(self, line: Line) -> bool:
        """Add the results of tools in this line; return whether it has any."""
        blocks = [block for block in line.blocks if block.get("type") == "tool_result"]
        recorded = line.tool_use_result if len(blocks) == 1 else None
        for block in blocks:
            self.draft.messages.extend(self._answer(block, recorded, line.time))
        if len(blocks) == 1 and (agent_id := _find_spawned_agent(line)) is not None:
            self.spawned[str(blocks[0].get("tool_use_id"))] = agent_id
        return bool(blocks)

    def _answer(self, block: JsonObject, recorded: Any, time: datetime | None) -> list[Message]:
        call_id = block.get("tool_use_id")
        fields = read_result_fields(block, recorded)
        call = self.draft.find_call(call_id) if isinstance(call_id, str) else None
        if call is not None and call.result is not None:
            return []  # a line that was repeated when the session was compacted
        if call is not None and call.id is not None:
            self.draft.complete_call(call.id, **fields)
        part = ToolCallResponsePart(
            id=str(call_id) if call_id is not None else None,
            name=None if call is None else call.name,
            response=fields["result"],
            is_error=block.get("is_error") is True,
        )
        return [Message(role="tool", parts=(part,), time=time)]

    def add_result_line(self, line: Line) -> None:
        """Note the totals in the last line of stream-json: time, costs of the run with its sub-agents, error."""
        value = line.value
        self.figures["duration_ms"] = amount(value, "duration_ms")
        self.figures["total_cost_usd"] = amount(value, "total_cost_usd")
        answer = text_at(value, "result")
        if value.get("is_error") is True:
            self.error = answer or text_at(value, "subtype")
        elif answer is not None:
            self.figures["final_response"] = answer
        self.touch(line)

    @property
    def is_finished(self) -> bool:
        """Whether nothing more can happen in it: it was answered, interrupted, or failed."""
        return self.is_interrupted or self.error is not None or self._find_final_response() is not None

    def _find_final_response(self) -> str | None:
        said = [message for message in self.draft.messages if message.role in {"assistant", "tool"}]
        if not said or said[-1].role == "tool" or said[-1].tool_calls:
            return None
        return said[-1].text or ""

    def finish(self, run_id: str, **fields: Any) -> AgentTrace:
        """Return the run, with further `fields`."""
        duration_ms = None
        ended_at = None if fields.get("completeness") == "partial" else self.ended_at
        if self.started_at is not None and ended_at is not None and ended_at >= self.started_at:
            duration_ms = (ended_at - self.started_at).total_seconds() * 1000
        has_ended = self.is_interrupted or self.error is not None
        recorded = {name: value for name, value in self.figures.items() if value is not None}
        own = {
            **ids_of_run(run_id),
            "input": self.prompt,
            "final_response": None if has_ended else self._find_final_response(),
            "error": self.error,
            "started_at": self.started_at,
            "ended_at": ended_at,
            "duration_ms": duration_ms,
        }
        return self.draft.finish(**{**own, **recorded, **fields})


def _find_spawned_agent(line: Line) -> str | None:
    """Return the id of the sub-agent whose result is in this line."""
    recorded = line.tool_use_result
    agent_id = recorded.get("agentId") if isinstance(recorded, dict) else None
    if agent_id is None and not line.is_sidechain:  # in a line of a sub-agent it is its own
        agent_id = line.value.get("agentId")
    return agent_id if isinstance(agent_id, str) and agent_id else None


def _read_llm_call(line: Line) -> LlmCall:
    message, usage = line.message, object_at(line.message, "usage", "message") or {}
    tokens = {key: count_at(usage, key, "message.usage") for key in (*_INPUTS, "output_tokens")}
    lifetimes = object_at(usage, "cache_creation", "message.usage") or {}
    name, reason = message.get("model"), message.get("stop_reason")
    has_input = tokens["input_tokens"] is not None
    response_id = message["id"] if isinstance(message.get("id"), str) else None
    return LlmCall(
        span_id=response_id or line.uuid,
        provider_name="anthropic",
        model=model_name(name) if isinstance(name, str) else None,
        response_model=name if isinstance(name, str) else None,
        response_id=response_id,
        finish_reasons=(reason,) if isinstance(reason, str) else None,
        input_tokens=sum_known([tokens[key] for key in _INPUTS]) if has_input else None,
        output_tokens=tokens["output_tokens"],
        cached_input_tokens=tokens["cache_read_input_tokens"],
        cache_write_input_tokens=tokens["cache_creation_input_tokens"],
        cache_write_1h_input_tokens=count_at(lifetimes, "ephemeral_1h_input_tokens", "message.usage.cache_creation"),
    )


def _merge(earlier: LlmCall, later: LlmCall) -> LlmCall:
    """Return the call with the larger usage, which grows while the answer is streamed, and the last stop reason."""
    larger = later if (later.output_tokens or 0) >= (earlier.output_tokens or 0) else earlier
    finish_reasons = later.finish_reasons or earlier.finish_reasons
    return larger.model_copy(update={"finish_reasons": finish_reasons})
