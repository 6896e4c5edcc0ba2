"""Contents of a run at their own URLs, whole, as plain text: browsers never take them for a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from starlette.responses import PlainTextResponse, Response

from ...answers.span import Span
from ...http.reads import answer_read
from ...read.run import read_found
from ...read.run_parts import Part
from ...read.source import Read
from ...read.story import RunPlace, read_judge_calls, read_span, read_tree
from ..errors import PageError
from ..page import page
from ..visit import Visit
from ..whole_number import as_whole_number
from .content import as_whole_text
from .reading import find_run_of, read_at

__all__ = ["show_text"]

_CALLS: Final[tuple[Part, ...]] = ("tool_calls",)
_SCORES: Final[tuple[Part, ...]] = ("scores",)
_SUB_RUNS: Final[tuple[Part, ...]] = ("sub_runs",)
_FIELDS: Final = frozenset({"input", "final_response", "error"})
_CALL_FIELDS: Final = frozenset({"args", "result", "error"})


@page("GET", "/runs/{id}/text/{place:path}", parameters=("at",))
async def show_text(visit: Visit) -> Response:
    """Answer with one content: `call:2:result`, `message:RUN:3:0`, `span:ab12:attribute:KEY` and so on."""
    at, id_, name = read_at(visit), visit.path("id"), visit.path("place")

    def read(own: Read) -> Any:
        place = find_run_of(own, id_, at)
        return _find(own, place, name.split(":"))

    value = await answer_read(visit.site.api, visit.request, lambda sources: read(sources.own))
    if value is None:
        raise PageError(404, "There is no such content", f"{name[:200]} is not recorded in the run {id_[:100]}.")
    return PlainTextResponse(as_whole_text(value))


def _find(read: Read, place: RunPlace, names: list[str]) -> Any:  # noqa: PLR0911 - one line a kind
    """Return the content that has a name; None if there is none."""
    match names:
        case ["field", field] if field in _FIELDS:
            return getattr(read_found(read, place, parts=()), field)
        case ["call", position, field] if field in _CALL_FIELDS:
            return _find_in_call(read, place, position=as_whole_number(position), field=field)
        case ["message", run_id, position, part]:
            numbers = as_whole_number(position), as_whole_number(part)
            return _find_message(read, place, run_id=run_id, numbers=numbers)
        case ["question" | "answer" as side, judge_call_id]:
            return _find_judge_call(read, place, judge_call_id=judge_call_id, is_question=side == "question")
        case ["details", score_id]:
            scores = read_found(read, place, parts=_SCORES).scores or []
            return next((score.details for score in scores if score.score_id == score_id), None)
        case ["span", span_id, kind, *rest]:
            span = read_span(read, place, span_id)
            return None if span is None else _find_in_span(span, kind, ":".join(rest))
        case _:
            return None


def _find_in_call(read: Read, place: RunPlace, *, position: int | None, field: str) -> Any:
    calls = read_found(read, place, parts=_CALLS).tool_calls or []
    call = next((each for each in calls if each.position == position), None)
    if call is None:
        return None
    return call.args_text if field == "args" and call.args is None else getattr(call, field)


def _find_message(read: Read, place: RunPlace, *, run_id: str, numbers: tuple[int | None, int | None]) -> Any:
    """Return the part of a message by the position of the message and the number of the part; None if there is none."""
    position, part = numbers
    if part is None:
        return None
    run = read_found(read, place, parts=_SUB_RUNS)
    messages = read_tree(read, place, run.sub_runs or []).messages.get(run_id, [])
    message = next((each for each in messages if each.position == position), None)
    if message is None:
        return None
    parts = message.parts if isinstance(message.parts, list) else []
    found = parts[part] if part < len(parts) and isinstance(parts[part], Mapping) else {}
    return found.get("content", found.get("response", message.content))


def _find_judge_call(read: Read, place: RunPlace, *, judge_call_id: str, is_question: bool) -> Any:
    run = read_found(read, place, parts=_SUB_RUNS)
    ids = [run.agent_trace_id, *(each.agent_trace_id for each in run.sub_runs or [])]
    calls = read_judge_calls(read, place, ids)
    call = next((each for each in calls if each.judge_call_id == judge_call_id), None)
    if call is None:
        return None
    value, key = (call.request, "prompt") if is_question else (call.response, "text")
    return value.get(key, value) if isinstance(value, Mapping) else value


def _find_in_span(span: Span, kind: str, name: str) -> Any:
    match kind:
        case "attribute":
            return (span.attributes or {}).get(name)
        case "resource":
            return (span.resource or {}).get(name)
        case "event":
            number = as_whole_number(name)
            return None if number is None else next(iter((span.events or [])[number : number + 1]), None)
        case "links":
            return span.links
        case _:
            return None
