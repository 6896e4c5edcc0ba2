"""Reads runs as AgentV writes them into files: what a provider returned, a result, or the trace of earlier releases.

A result names its case and has scores beside the run. Those of releases whose flags for traces did nothing have only a
summary of the calls, so that the calls of their runs are not recorded.
Source: @agentv/core 2.7.0 (`dataset.baseline.jsonl`, `static-trace.json`) and 4.42.4 (`eval.results.jsonl`).
"""

from __future__ import annotations

from typing import Final

from ...model import AgentTrace, JsonObject, Message
from .. import CALLS_NOT_RECORDED
from ..field_values import object_at, text_at
from ..imported import Imported
from ..spelling import first, text_of
from .event_list import read_events
from .run import LATER_MESSAGES, MESSAGES, read_figures, read_messages, read_run

__all__ = ["ANSWERS", "CASES", "SUMMARIES", "find_user_text", "read_row"]

CASES: Final = ("eval_id", "test_id", "id")
SUMMARIES: Final = ("trace_summary", "trace")
ANSWERS: Final = ("candidate_answer", "answer", "text")
_READ: Final = frozenset(
    {*CASES, *ANSWERS, MESSAGES, LATER_MESSAGES, "conversation_id", "duration_ms", "cost_usd", "token_usage"}
    | {"start_time", "end_time", "error", "input", "question", "lm_provider_request"}
)


def read_row(row: JsonObject, place: str) -> Imported:
    """Return the run in an object of a file, with what the file says of it beside. Raises ValueError."""
    run, request = _read_calls(row), _read_input(row)
    figures = read_figures(_find_summary(row))
    update = {name: value for name, value in figures.items() if getattr(run, name) is None}
    update["input"] = request
    update["session_id"] = text_at(row, "conversation_id")
    if (error := text_of(row.get("error"))) is not None:
        update["error"] = error
    if run.final_response is None:
        update["final_response"] = _read_answer(row)
    read = _READ | ({"trace"} if isinstance(row.get("trace"), list) else set())
    return Imported(
        place,
        id=_as_id(first(row, CASES)),
        run=run.model_copy(update=update),
        input=request,
        metadata={key: value for key, value in row.items() if key not in read},
    )


def _read_calls(row: JsonObject) -> AgentTrace:
    """Return the run with its messages and calls, from whichever form the row has them in."""
    if row.get(MESSAGES) is not None or isinstance(row.get(LATER_MESSAGES), list):
        return read_run(row)
    figures = read_figures(row)
    if isinstance(row.get("trace"), list):
        return read_events(row["trace"], "trace").model_copy(update=figures)
    return AgentTrace(final_response=text_at(row, LATER_MESSAGES), gaps=(CALLS_NOT_RECORDED,), **figures)


def _find_summary(row: JsonObject) -> JsonObject:
    key = next((key for key in SUMMARIES if isinstance(row.get(key), dict)), None)
    return {} if key is None else row[key]


def _read_input(row: JsonObject) -> str | None:
    """Return the request: what the model was asked, or the last message of the user."""
    question = text_at(object_at(row, "lm_provider_request") or {}, "question", "lm_provider_request")
    given = row.get("input") if question is None else question
    if isinstance(given, list):
        return find_user_text(read_messages(given, "input").messages)
    return text_at(row, "question") if given is None else text_of(given)


def find_user_text(messages: tuple[Message, ...]) -> str | None:
    """Return the text of the last message of the user; None without any."""
    texts = [message.text for message in messages if message.role == "user" and message.text is not None]
    return texts[-1] if texts else None


def _read_answer(row: JsonObject) -> str | None:
    return next((text for key in ANSWERS if (text := text_at(row, key)) is not None), None)


def _as_id(value: object) -> str | None:
    return None if value is None else str(value)
