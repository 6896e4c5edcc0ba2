"""Runs of all shapes, as tasks and readers of files make them.

The runs are consistent: their messages, calls and times tell the same story in the same order. What assembly decides by
itself is left out: a failure after which no answer comes, for example, is the error of the run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st

from tracegrade.evaluators.model import (
    AgentTrace,
    Guardrail,
    LlmCall,
    Message,
    MessagePart,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
    ToolDefinition,
)

__all__ = ["AT", "WORDS", "Clock", "draw_call", "runs"]

AT: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""When runs without a time are written."""

Draw: TypeAlias = Callable[[st.SearchStrategy[Any]], Any]

WORDS: Final = st.text("abcxyzé漢", min_size=1, max_size=5)
_ODD: Final = (
    "",
    " ",
    "null",
    "{}",
    "[]",
    '"x"',
    '{"a": 1}',
    "{'a': 1}",
    '[{"text": "x"}]',
    '{"type": "text", "text": "x"}',
    '{"content": [{"type": "text", "text": "x"}], "isError": false}',
    "[REDACTED]",
    "ValueError('x')",
    "Traceback (most recent call last)\n  File\nValueError: x",
    "failed",
    "\N{GRINNING FACE}\n\t\x00",
)
_TEXTS: Final = st.text(max_size=8) | st.sampled_from(_ODD)
_ERRORS: Final = _TEXTS.filter(lambda text: text != "" and "Traceback" not in text)
"""What failed: the text of an error is read without a stack."""
_SPOKEN: Final = _TEXTS.filter(lambda text: text.strip() not in {"", "[REDACTED]"})
"""What somebody says: a placeholder in a message is read as one."""
_VALUES: Final = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=5,
)
_OBJECTS: Final = st.dictionaries(_TEXTS, _VALUES, max_size=3)
_METADATA: Final = st.dictionaries(
    st.sampled_from(["shop.a", "shop.b"]),
    st.booleans() | st.text(max_size=8) | st.lists(_VALUES, max_size=2) | _OBJECTS,
)
_COUNTS: Final = st.none() | st.integers(0, 10**6)


@dataclass
class Clock:
    """A time that goes on; nobody may record it."""

    is_recorded: bool
    now: datetime = AT - timedelta(days=1)

    def tick(self, draw: Draw, microseconds: int | None = None) -> datetime | None:
        """The next time, or None."""
        self.now += timedelta(microseconds=draw(st.integers(1000, 10**7)) if microseconds is None else microseconds)
        return self.now if self.is_recorded and draw(st.integers(0, 3)) else None


def draw_call(draw: Draw, clock: Clock, call_id: str | None, *, statuses: list[str | None], is_odd: bool) -> ToolCall:
    """A tool call that begins now; an odd one may have arguments that are no object."""
    args = draw(st.none() | _OBJECTS | (_TEXTS if is_odd else st.nothing()))
    asked: dict[str, Any] = {
        "id": call_id,
        "args": args if isinstance(args, dict) else None,
        "args_text": args if isinstance(args, str) else None,
    }
    status = draw(st.sampled_from(statuses))
    if status not in {"ok", "error"}:
        return ToolCall(name=f"open {draw(WORDS)}", status=status, source="message", **asked)
    return ToolCall(
        name=draw(WORDS),
        status=status,
        result=draw(st.none() | _TEXTS),
        error=draw(_ERRORS) if status == "error" else None,
        started_at=clock.tick(draw),
        duration_ms=draw(st.none() | st.floats(0, 1000)),
        metadata=draw(_METADATA),
        **asked,
    )


@st.composite
def runs(draw: Draw) -> AgentTrace:
    """A run without sub-agents."""
    story = _Story(draw, Clock(draw(st.booleans())), draw(st.sampled_from(["none", "apart", "with messages"])))
    began_at = story.clock.tick(draw)
    answer = draw(st.none() | st.just("") | _SPOKEN)
    question = story.open(draw)
    has_ids = draw(st.booleans())
    statuses: list[str | None] = ["ok", "ok", draw(st.sampled_from(["not_executed", None]))]
    for number in range(draw(st.integers(0, 4))):
        story.call_tool(draw, f"call {number}" if has_ids else None, statuses, has_answer=bool(answer))
    if answer is not None:
        story.answer(draw, answer)
    has_failed = any(call.error for call in story.tool_calls)
    error = draw(st.none() | (WORDS.map("Boom: {}".format) if has_failed else _ERRORS))
    is_silent = any(call.status in {"ok", "error"} and call.result is None for call in story.tool_calls)
    ended_at = story.clock.tick(draw, 10**9)
    is_partial = ended_at is None and draw(st.booleans())
    is_located = story.mode == "with messages"
    return AgentTrace(
        agent_trace_id=draw(st.sampled_from(["", "session 7", f"{7:032x}-{9:016x}"])),
        agent_name=draw(st.none() | WORDS),
        agent_id=draw(st.none() | WORDS),
        agent_version=draw(WORDS),
        service_name=draw(st.none() | WORDS),
        service_version=draw(st.none() | WORDS),
        environment=draw(st.none() | WORDS),
        session_id=draw(st.none() | WORDS),
        user_id=draw(st.none() | WORDS),
        input=question,
        messages=tuple(story.messages) if is_located or draw(st.booleans()) else (),
        tool_calls=tuple(story.tool_calls),
        tool_definitions=draw(st.none() | _definitions()),
        final_response=answer,
        reasoning_steps=tuple(story.reasoning) if is_located else (),
        llm_calls=tuple(story.llm_calls),
        **_tokens(draw, story),
        started_at=began_at,
        ended_at=ended_at,
        duration_ms=None if began_at is None or ended_at is None else (ended_at - began_at) / timedelta(milliseconds=1),
        guardrails=draw(st.none() | _guardrails()),
        error=error,
        interrupt=None if error is not None or is_silent or is_partial else draw(st.none() | WORDS),
        completeness="partial" if is_partial else "complete",
        gaps=draw(st.sampled_from([(), ("redacted",)])),
        experiment_id=draw(st.none() | WORDS),
    )


def _guardrails() -> st.SearchStrategy[tuple[Guardrail, ...]]:
    decisions = st.sampled_from([None, "allow", "deny", "quarantine"])
    guards = st.builds(Guardrail, name=WORDS, decision=decisions, reason=st.none() | WORDS, target=st.none() | WORDS)
    return st.lists(guards, min_size=1, max_size=2).map(tuple)


def _definitions() -> st.SearchStrategy[tuple[ToolDefinition, ...]]:
    tools = st.builds(ToolDefinition, name=WORDS, description=st.none() | _TEXTS, input_schema=st.none() | _OBJECTS)
    return st.lists(tools, min_size=1, max_size=3, unique_by=lambda tool: tool.name).map(tuple)


def _tokens(draw: Draw, story: _Story) -> dict[str, Any]:
    names = ("input_tokens", "output_tokens", "cached_input_tokens")
    if not story.llm_calls:
        counts = _counts(draw)
        return {name: counts[name] for name in names}
    recorded = {
        name: [value for call in story.llm_calls if (value := getattr(call, name)) is not None] for name in names
    }
    return {name: sum(values) if values else None for name, values in recorded.items()}


@dataclass
class _Story:
    """What happens in a run, in order: messages, model calls and tool calls."""

    draw: Draw
    clock: Clock
    mode: str
    messages: list[Message] = field(default_factory=list)
    llm_calls: list[LlmCall] = field(default_factory=list)
    tool_calls: list[ToolCall] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    _heard: list[Message] = field(default_factory=list)

    def open(self, draw: Draw) -> str:
        """Say the question, perhaps after instructions and an earlier turn."""
        if draw(st.booleans()):
            self._hear("system", TextPart(content=draw(_TEXTS.filter(lambda text: text != "[REDACTED]"))))
        if draw(st.booleans()):
            self._hear("user", TextPart(content=draw(_SPOKEN)))
            self._hear("assistant", ToolCallPart(id="call 0", name="earlier", arguments={}))
            self._hear("tool", ToolCallResponsePart(id="call 0", response="done"))
            self._hear("assistant", TextPart(content=draw(_SPOKEN)))
        question: str = draw(_SPOKEN)
        self._hear("user", TextPart(content=question))
        return question

    def call_tool(self, draw: Draw, call_id: str | None, statuses: list[str | None], *, has_answer: bool) -> None:
        """Let the model ask for a tool, which is called."""
        ask = self._ask_model(draw)
        allowed = [*statuses, "error"] if has_answer else statuses
        call = draw_call(draw, self.clock, call_id, statuses=allowed, is_odd=has_answer)
        parts: list[MessagePart] = [ReasoningPart(content=text) for text in draw(st.lists(_SPOKEN, max_size=1))]
        self.reasoning += [part.content for part in parts if isinstance(part, ReasoningPart)]
        parts += [TextPart(content=text) for text in draw(st.lists(_SPOKEN, max_size=1))]
        args = call.args_text if call.args is None else call.args
        ask(*parts, ToolCallPart(id=call.id, name=call.name, arguments=args))
        self.tool_calls.append(call)
        is_returned = call.id is not None and call.status in {"ok", "error"} and call.result is not None
        if is_returned and draw(st.booleans()):
            is_error = call.status == "error"
            self._hear("tool", ToolCallResponsePart(id=call.id, response=call.result, is_error=is_error))

    def answer(self, draw: Draw, answer: str) -> None:
        """Let the model answer."""
        self._ask_model(draw)(*([TextPart(content=answer)] if answer else []))

    def _hear(self, role: str, *parts: MessagePart) -> None:
        message = Message(role=role, parts=parts, name=self.draw(st.none() | WORDS))
        (self._heard if self.mode == "with messages" else self.messages).append(message)

    def _ask_model(self, draw: Draw) -> Callable[..., None]:
        """Call the model with what it has not heard; the result takes the parts of its answer."""
        if self.mode == "none":
            return lambda *parts: self.messages.append(Message(role="assistant", parts=parts))
        began_at = self.clock.tick(draw)
        microseconds = draw(st.integers(1, 10**6))
        self.clock.now += timedelta(microseconds=microseconds)
        ended_at = None if began_at is None else self.clock.now
        number = len(self.llm_calls) + 1
        span_id = f"{number:016x}" if self.mode == "with messages" else None
        duration_ms = None if began_at is None else microseconds / 1000
        self.llm_calls.append(_draw_model(draw, number, span_id=span_id, started_at=began_at, duration_ms=duration_ms))
        located = {"span_id": span_id, "time": began_at}
        self.messages += [message.model_copy(update=located) for message in self._heard]
        self._heard.clear()
        time = ended_at if span_id is not None else None
        return lambda *parts: self.messages.append(Message(role="assistant", parts=parts, span_id=span_id, time=time))


def _draw_model(draw: Draw, number: int, **fields: Any) -> LlmCall:
    return LlmCall(
        provider_name=draw(st.none() | WORDS),
        request_model=draw(WORDS),
        response_model=draw(st.none() | WORDS),
        response_id=f"response {number}",
        prompt_name=draw(st.none() | WORDS),
        prompt_version=draw(st.none() | WORDS),
        reasoning_level=draw(st.none() | WORDS),
        is_compacted=draw(st.sampled_from([None, True])),
        previous_response_id=draw(st.none() | WORDS),
        finish_reasons=draw(st.none() | st.lists(WORDS, min_size=1, max_size=2).map(tuple)),
        time_to_first_token_ms=draw(st.none() | st.floats(0, 1000)),
        **_counts(draw),
        **fields,
    )


def _counts(draw: Draw) -> dict[str, int | None]:
    """Return the tokens of a model call: no part is larger than its whole, and an exchange takes some."""
    sent, answered, cached, reasoning = (draw(_COUNTS) or None for _ in range(4))
    return {
        "input_tokens": sent,
        "output_tokens": answered,
        "cached_input_tokens": None if cached is None or sent is None else min(cached, sent),
        "reasoning_tokens": None if reasoning is None or answered is None else min(reasoning, answered),
    }
