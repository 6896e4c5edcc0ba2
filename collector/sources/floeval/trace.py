"""Traces that a function records by itself: a decorator, and calls for its turns. They become GenAI spans."""

from __future__ import annotations

import functools
import inspect
import json
import secrets
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, overload

__all__ = ["capture_trace", "log_tool_result", "log_turn"]

F = TypeVar("F", bound=Callable[..., Any])
Message = dict[str, Any]

_SCOPE: Final = "tracegrade.sources.floeval"


@dataclass(slots=True)
class _Log:
    """The messages of a run so far, and the tool calls that have no result yet."""

    messages: list[Message] = field(default_factory=list)
    open_calls: list[tuple[str, str]] = field(default_factory=list)


_CURRENT: Final[ContextVar[_Log | None]] = ContextVar("tracegrade_floeval_log", default=None)


@overload
def capture_trace(function: F, *, name: str | None = None) -> F: ...


@overload
def capture_trace(function: None = None, *, name: str | None = None) -> Callable[[F], F]: ...


def capture_trace(function: Any = None, *, name: str | None = None) -> Any:
    """Record the calls of an agent's function as runs: a decorator, also with a `name` for the agent.

    The function may be `async`; its first argument is the question. What it returns is its final response, unless
    `log_turn` logged that already; a text also has `final_response` and `messages`. Within another one that is
    captured, it belongs to the outer run. The spans go to the global tracer provider; needs opentelemetry-api.
    """
    if function is None:
        return functools.partial(capture_trace, name=name)
    agent = name or function.__name__
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def record_async(*args: Any, **options: Any) -> Any:
            with _recording(agent, args, options) as end:
                return end(await function(*args, **options))

        return record_async

    @functools.wraps(function)
    def record(*args: Any, **options: Any) -> Any:
        with _recording(agent, args, options) as end:
            return end(function(*args, **options))

    return record


def log_turn(output: str | None, tool_calls: Sequence[Mapping[str, Any]] | None = None) -> None:
    """Log a turn of the model: its text, and the tool calls that it asks for (`name`, `args`).

    Outside of a captured function it warns, and logs nothing.
    """
    if (log := _find_log("log_turn")) is None:
        return
    parts: list[Message] = [] if not output else [{"type": "text", "content": output}]
    for call in tool_calls or ():
        call_id = str(call.get("id") or secrets.token_hex(8))
        log.open_calls.append((str(call["name"]), call_id))
        parts.append({"type": "tool_call", "id": call_id, "name": call["name"], "arguments": call.get("args")})
    log.messages.append({"role": "assistant", "parts": parts})


def log_tool_result(tool_name: str, result: Any) -> None:
    """Log the result of the first tool call with this name that has none. As `log_turn` outside of a function."""
    if (log := _find_log("log_tool_result")) is None:
        return
    call = next((each for each in log.open_calls if each[0] == tool_name), None)
    if call is not None:
        log.open_calls.remove(call)
    answer = {"type": "tool_call_response", "id": call[1] if call else None, "name": tool_name, "response": result}
    log.messages.append({"role": "tool", "name": tool_name, "parts": [answer]})


@contextmanager
def _recording(agent: str, args: Sequence[Any], options: Mapping[str, Any]) -> Iterator[Callable[[Any], Any]]:
    """Record a run while the context lasts; yield the function that takes what the agent returns, and returns it."""
    if _CURRENT.get() is not None:
        yield lambda returned: returned
        return
    from opentelemetry import trace  # noqa: PLC0415 - of the extra

    log = _Log()
    token = _CURRENT.set(log)
    question = next(iter(args), None) or next(iter(options.values()), "")
    try:
        with trace.get_tracer(_SCOPE).start_as_current_span(f"invoke_agent {agent}") as span:
            span.set_attribute("gen_ai.operation.name", "invoke_agent")
            span.set_attribute("gen_ai.agent.name", agent)
            span.set_attribute("gen_ai.input.messages", _encode([_make_text("user", question)]))
            try:
                yield functools.partial(_end, log)
            finally:
                span.set_attribute("gen_ai.output.messages", _encode(log.messages))
    finally:
        _CURRENT.reset(token)


class CapturedText(str):
    """The text that a captured function returned, which is also its trace as in Floeval: with `final_response` and the
    `messages` that were logged, as those of the GenAI conventions."""

    __slots__ = ("messages",)

    messages: tuple[Message, ...]

    @property
    def final_response(self) -> str:
        return str(self)


def _end(log: _Log, returned: Any) -> Any:
    """Log what the agent returned as its response, unless it was logged; return it, a text as a CapturedText."""
    if returned is not None and (not log.messages or _read_text(log.messages[-1]) != str(returned)):
        log.messages.append(_make_text("assistant", returned))
    if type(returned) is not str:
        return returned
    captured = CapturedText(returned)
    captured.messages = tuple(log.messages)
    return captured


def _find_log(function: str) -> _Log | None:
    log = _CURRENT.get()
    if log is None:
        warnings.warn(f"{function} has no effect outside of a function with @capture_trace", stacklevel=3)
    return log


def _make_text(role: str, content: Any) -> Message:
    text = content if isinstance(content, str) else _encode(content)
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def _read_text(message: Message) -> str | None:
    texts = [part["content"] for part in message["parts"] if part["type"] == "text"]
    return texts[-1] if texts and message["role"] == "assistant" else None


def _encode(value: Any) -> str:
    return json.dumps(value, default=str)
