"""A run as a conversation: what was said, the calls where they were made, sub-agents within."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

from ...answers.run import LlmCall, Message, RunDetail, SubRun, ToolCall
from ...read.story import Tree
from .numbering import Numbering

__all__ = ["DEEPEST", "Entry", "Piece", "list_entries"]

Kind: TypeAlias = Literal["message", "call", "model_error", "sub_agent", "guardrail", "ending"]

DEEPEST: Final = 10
"""How many sub-agents below each other have their entries on the page; a page of its own has what is deeper."""

_AGENT: Final = "assistant"
_TOOL_ROLES: Final = frozenset({"tool", "function"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a message: `kind` says what it is, and `number` which of the message."""

    kind: str
    content: Any
    number: int


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a conversation. `anchor` is its id on the page.

    A message has a role and pieces; a call its number in the run, from 1; a sub-agent its own entries, unless it is
    too deep below the run. `is_error` says that it failed.
    """

    kind: Kind
    anchor: str
    time: datetime | None
    role: str = ""
    message: Message | None = None
    pieces: tuple[Piece, ...] = ()
    call: ToolCall | None = None
    number: int = 0
    llm_call: LlmCall | None = None
    guardrail: Mapping[str, Any] | None = None
    sub_run: SubRun | None = None
    entries: tuple[Entry, ...] = ()
    text: str | None = None
    is_error: bool = False
    is_too_deep: bool = False


def list_entries(run: RunDetail, tree: Tree, numbering: Numbering) -> list[Entry]:
    """Return the conversation of a run."""
    entries = _tell(run, run, tree, numbering, depth=0)
    entries = _with_ends(run, entries)
    if run.error and not any(entry.call and entry.call.error == run.error for entry in entries):
        entries.append(Entry("ending", "error", run.ended_at, text=run.error, is_error=True))
    if run.interrupt:
        entries.append(Entry("ending", "interrupt", run.ended_at, text=run.interrupt))
    return entries


def _tell(owner: RunDetail | SubRun, run: RunDetail, tree: Tree, numbering: Numbering, *, depth: int) -> list[Entry]:
    """Return the entries of a run in the tree: messages in their order, and where they belong in time what no message
    mentions."""
    run_id = owner.agent_trace_id
    calls = _Calls(numbering.calls_made_by(run_id), numbering)
    llm_calls = tree.llm_calls.get(run_id, [])
    models: dict[str | None, LlmCall] = {call.span_id: call for call in llm_calls if call.span_id is not None}
    entries: list[Entry] = []
    for message in tree.messages.get(run_id, []):
        entries += _read_message(message, calls, models, prefix=numbering.prefix(run_id))
    others = [
        *calls.list_unplaced(),
        *(_make_model_error(call, numbering.prefix(run_id)) for call in llm_calls if call.error),
        *_list_guardrails(owner, numbering.prefix(run_id)),
        *(_make_sub_agent(each, run, tree, numbering, depth=depth + 1) for each in numbering.children_of(run_id)),
    ]
    return _merge(entries, others)


class _Calls:
    """The calls of a run, each of which a message mentions, or has a place by its time."""

    def __init__(self, calls: Sequence[ToolCall], numbering: Numbering) -> None:
        self._unplaced = {call.position: call for call in calls}
        self._numbering = numbering
        self._by_id = _group(calls, lambda call: call.tool_call_id)
        self._by_name = _group(calls, lambda call: call.name if call.tool_call_id is None else None)

    def take(self, part: Mapping[str, Any]) -> Entry | None:
        """Return the entry of the call that a part of a message asks for; None if it was not recorded."""
        waiting = self._by_id.get(str(part.get("id"))) or self._by_name.get(str(part.get("name")))
        if not waiting:
            return None
        call = waiting.popleft()
        del self._unplaced[call.position]
        return self._make_entry(call)

    def knows(self, part: Mapping[str, Any]) -> bool:
        """Return whether the response in a message is the result of a recorded call."""
        return self._numbering.has_call(part.get("id"), part.get("name"))

    def list_unplaced(self) -> list[Entry]:
        """Return the calls that no message has mentioned."""
        return [self._make_entry(call) for call in self._unplaced.values()]

    def _make_entry(self, call: ToolCall) -> Entry:
        number = call.position + 1
        is_error = call.error is not None or call.status == "error"
        return Entry("call", f"call-{number}", call.started_at, call=call, number=number, is_error=is_error)


def _group(calls: Iterable[ToolCall], name: Callable[[ToolCall], str | None]) -> dict[str | None, deque[ToolCall]]:
    """Return the calls by a name that they have, in order."""
    groups: dict[str | None, deque[ToolCall]] = {}
    for call in calls:
        if (key := name(call)) is not None:
            groups.setdefault(key, deque()).append(call)
    return groups


def _read_message(message: Message, calls: _Calls, models: Mapping[str | None, LlmCall], *, prefix: str) -> list[Entry]:
    parts = [part for part in message.parts or [] if isinstance(part, dict)] if isinstance(message.parts, list) else []
    pieces: list[Piece] = []
    made: list[Entry] = []
    for number, part in enumerate(parts):
        match part.get("type"):
            case "tool_call":
                entry = calls.take(part)
                made.append(
                    entry or _make_unrecorded(part, message, f"{prefix}message-{message.position + 1}-{number}")
                )
            case "tool_call_response" if calls.knows(part):
                pass
            case _:
                pieces.append(_make_piece(part, number))
    if not parts and message.content:
        pieces.append(Piece("text", message.content, 0))
    if not pieces:
        return made
    is_result = all(piece.kind == "result" for piece in pieces)
    role = "tool" if is_result or message.role in _TOOL_ROLES else message.role
    said = Entry("message", f"{prefix}message-{message.position + 1}", message.time, role, message, tuple(pieces))
    model = models.get(message.span_id) if message.role == _AGENT else None
    return [replace(said, llm_call=model), *made]


def _make_piece(part: Mapping[str, Any], number: int) -> Piece:
    match part.get("type"):
        case "text" | "reasoning" as kind:
            return Piece(str(kind), part.get("content"), number)
        case "tool_call_response":
            return Piece("result", part.get("response"), number)
        case _:
            return Piece(str(part.get("kind") or part.get("type") or "other"), part.get("content"), number)


def _make_unrecorded(part: Mapping[str, Any], message: Message, anchor: str) -> Entry:
    """Return the entry of a call that a model asked for, and of which nothing else was recorded."""
    arguments = part.get("arguments")
    call = ToolCall(
        agent_trace_id=message.agent_trace_id,
        trace_id=message.trace_id,
        position=-1,
        tool_call_id=part.get("id"),
        name=str(part.get("name")),
        args=arguments,
        args_text=None,
        result=None,
        error=None,
        status=None,
        started_at=None,
        duration_ms=None,
        span_id=None,
        source="message",
        agent_name=None,
        child_agent_trace_id=None,
        metadata={},
        is_foreign=False,
    )
    return Entry("call", anchor, message.time, call=call)


def _make_model_error(call: LlmCall, prefix: str) -> Entry:
    anchor = f"{prefix}model-{call.position + 1}"
    return Entry("model_error", anchor, call.started_at, llm_call=call, text=call.error, is_error=True)


def _list_guardrails(owner: RunDetail | SubRun, prefix: str) -> Iterator[Entry]:
    """Yield the decisions of guardrails in a run; one that denied is no error of the run."""
    for number, guardrail in enumerate(owner.guardrails or (), start=1):
        time = None if guardrail["time"] is None else datetime.fromisoformat(guardrail["time"]).replace(tzinfo=None)
        yield Entry("guardrail", f"{prefix}guardrail-{number}", time, text=guardrail["reason"], guardrail=guardrail)


def _make_sub_agent(sub_run: SubRun, run: RunDetail, tree: Tree, numbering: Numbering, *, depth: int) -> Entry:
    is_too_deep = depth > DEEPEST
    entries = () if is_too_deep else tuple(_tell(sub_run, run, tree, numbering, depth=depth))
    is_error = sub_run.error is not None
    anchor = numbering.anchor(sub_run.agent_trace_id)
    return Entry(
        "sub_agent",
        anchor,
        sub_run.started_at,
        sub_run=sub_run,
        entries=entries,
        is_error=is_error,
        is_too_deep=is_too_deep,
    )


def _merge(entries: list[Entry], others: Sequence[Entry]) -> list[Entry]:
    """Put other entries before the first one that began later; those without a time come last."""
    timed = sorted(
        ((other.time, number) for number, other in enumerate(others) if other.time is not None), reverse=True
    )
    merged: list[Entry] = []
    for entry in entries:
        while timed and entry.time is not None and timed[-1][0] < entry.time:
            merged.append(others[timed.pop()[1]])
        merged.append(entry)
    later = [others[number] for _, number in reversed(timed)]
    return [*merged, *later, *(other for other in others if other.time is None)]


def _with_ends(run: RunDetail, entries: list[Entry]) -> list[Entry]:
    """Add the request and the final answer of a run if no message has them."""
    said = {(entry.role == _AGENT, _text_of(entry)) for entry in entries if entry.kind == "message"}
    has_request = any(not is_agent for is_agent, _ in said)
    if run.input is not None and not has_request:
        entries = [_make_end(run, "input", "user", run.input), *entries]
    if run.final_response is not None and (True, run.final_response.strip()) not in said:
        entries = [*entries, _make_end(run, "final_response", _AGENT, run.final_response)]
    return entries


def _make_end(run: RunDetail, field: str, role: str, text: str) -> Entry:
    time = run.started_at if role == "user" else run.ended_at
    return Entry("message", field.replace("_", "-"), time, role, pieces=(Piece(field, text, 0),))


def _text_of(entry: Entry) -> str:
    return "\n".join(str(piece.content) for piece in entry.pieces if piece.kind == "text").strip()
