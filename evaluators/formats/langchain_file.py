"""Files of message lists of LangChain and LangGraph, in each of their forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from ..model import AgentTrace, JsonObject, LlmCall, ToolCall
from . import openai
from .imported import Imported, RecordFault
from .kind import NO_CLAIM, Claim, Kind
from .langchain_messages import is_message, unwrap_messages
from .record import Record
from .trajectory import run_of_messages
from .trajectory_file import first_message, read_beside, read_tools, read_trajectories

__all__ = ["KIND", "run_of_langchain"]

_KNOWN: Final = frozenset({"messages", "tools", "functions"})


def claim(record: Record) -> Claim:
    """Claim messages with LangChain's types, lists of them, and states with `messages`."""
    message = None if record.is_csv else first_message(record.value)
    if message is None or not is_message(message):
        return NO_CLAIM
    if message.get("lc") is not None:
        return Claim(3, "lc, constructor")
    return Claim(3, "type, data") if "data" in message else Claim(2, f"type: {message['type']}")


def read(records: Iterable[Record]) -> Iterator[Imported | RecordFault]:
    """Read message lists as runs."""
    return read_trajectories(records, _read_state)


def _read_state(record: Record) -> Iterator[Imported]:
    run = run_of_langchain(record.value["messages"], "messages", tool_definitions=read_tools(record.value))
    yield Imported(record.place, run=run, input=run.input, **read_beside(record.value, _KNOWN))


def run_of_langchain(messages: object, place: str, **fields: Any) -> AgentTrace:
    """Return the run in messages of LangChain. Raises ValueError that names `place`."""
    unwrapped = unwrap_messages(messages, place)
    llm_calls = tuple(call for message in unwrapped if (call := _read_llm_call(message)) is not None)
    run = run_of_messages(openai.messages(unwrapped, place=place), **fields)
    return run.model_copy(
        update={
            "tool_calls": tuple(_mark_invalid(run.tool_calls, unwrapped)),
            "llm_calls": llm_calls,
            "model": next((call.model for call in reversed(llm_calls) if call.model), None),
            **{
                name: _sum(getattr(call, name) for call in llm_calls)
                for name in ("input_tokens", "output_tokens", "cached_input_tokens")
            },
        }
    )


def _mark_invalid(calls: Iterable[ToolCall], messages: Iterable[JsonObject]) -> Iterator[ToolCall]:
    """Yield the calls; one that LangChain could not parse was not executed, unless it has a result."""
    errors = {
        call.get("id"): call.get("error")
        for message in messages
        for call in message["invalid"]
        if isinstance(call, dict)
    }
    for call in calls:
        if call.id is None or call.id not in errors or call.result is not None:
            yield call
            continue
        error = errors[call.id]
        yield call.model_copy(update={"status": "not_executed", "error": error if isinstance(error, str) else None})


def _read_llm_call(message: JsonObject) -> LlmCall | None:
    """Return the model call that wrote a message; None if nothing is recorded of it."""
    about, usage = message.get("response_metadata"), message.get("usage_metadata")
    if message["role"] != "assistant" or not (about or usage):
        return None
    about, usage = _object(about), _object(usage)
    read_tokens, written_tokens = _object(usage.get("input_token_details")), _object(usage.get("output_token_details"))
    model, reason = _text(about, "model_name", "model"), _text(about, "finish_reason", "stop_reason")
    return LlmCall(
        model=model,
        response_model=model,
        response_id=_text(about, "id"),
        finish_reasons=None if reason is None else (reason,),
        input_tokens=_count(usage.get("input_tokens")),
        output_tokens=_count(usage.get("output_tokens")),
        cached_input_tokens=_count(read_tokens.get("cache_read")),
        cache_write_input_tokens=_count(read_tokens.get("cache_creation")),
        cache_write_1h_input_tokens=_count(read_tokens.get("ephemeral_1h_input_tokens")),
        audio_input_tokens=_count(read_tokens.get("audio")),
        reasoning_tokens=_count(written_tokens.get("reasoning")),
        audio_output_tokens=_count(written_tokens.get("audio")),
    )


def _object(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _text(item: Mapping[str, Any], *keys: str) -> str | None:
    return next((item[key] for key in keys if isinstance(item.get(key), str)), None)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _sum(counts: Iterable[int | None]) -> int | None:
    recorded: Sequence[int] = [count for count in counts if count is not None]
    return sum(recorded) if recorded else None


KIND: Final = Kind("langchain", "message lists of LangChain and LangGraph", claim, read)
