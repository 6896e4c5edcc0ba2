"""Writes items as an eval set."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Final

from ...model import ExpectedCall, JsonObject
from ..imported import Imported
from ..spelling import text_of

__all__ = ["write_eval_set"]

_SESSION: Final = "session_input"


def write_eval_set(entries: Iterable[Imported]) -> Iterator[str]:
    """Yield the text of an eval set, case by case; turns of one conversation that follow each other are one case."""
    yield '{"eval_set_id": "tracegrade", "eval_cases": ['
    numbered = enumerate(entries, start=1)
    for position, (_, turns) in enumerate(groupby(numbered, key=_find_conversation)):
        yield f"{',' if position else ''}\n{json.dumps(_write_case(list(turns)), ensure_ascii=False)}"
    yield "\n]}\n"


def _find_conversation(numbered: tuple[int, Imported]) -> tuple[str, object]:
    number, entry = numbered
    conversation = entry.metadata.get("conversation")
    return ("item", number) if conversation is None else ("conversation", str(conversation))


def _write_case(turns: list[tuple[int, Imported]]) -> JsonObject:
    number, first = turns[0]
    conversation = first.metadata.get("conversation")
    case_id = conversation if conversation is not None else first.id or f"case_{number}"
    case: JsonObject = {
        "eval_id": str(case_id),
        "conversation": [_write_invocation(entry, f"{case_id}-{number}") for number, entry in turns],
    }
    return {**case, _SESSION: first.metadata[_SESSION]} if _SESSION in first.metadata else case


def _write_invocation(entry: Imported, invocation_id: str) -> JsonObject:
    expected = {} if entry.expectation is None else entry.expectation.defined
    response, calls = expected.get("expected_response"), expected.get("expected_tool_calls")
    uses = None if calls is None else {"tool_uses": [_write_use(call) for call in calls]}
    fields: dict[str, Any] = {
        "invocation_id": invocation_id,
        "user_content": {"role": "user", "parts": [{"text": text_of(entry.input) or ""}]},
        "final_response": None if response is None else {"role": "model", "parts": [{"text": response}]},
        "intermediate_data": uses,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _write_use(call: ExpectedCall) -> JsonObject:
    return {"name": call.name, "args": call.args or {}}
