"""Jobs that a run started and polled until they had failed: the poll did its work, the job did not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from ...model import JsonObject, ToolCall
from .ended import error_of_ended_work, failed_status
from .fields import FAILED, STATE_KEYS, is_state, read_fields
from .result import decode_result
from .tool_kind import ToolKind, words

__all__ = ["failed_jobs"]

_PENDING: Final = frozenset(
    {"accepted", "created", "enqueued", "in_progress", "pending", "queued", "running", "scheduled", "started"}
    | {"starting", "submitted", "processing", "waiting", "triggered", "initiated"}
)
_ENDED_BADLY: Final = FAILED | {"crashed", "aborted", "timed_out", "timeout"}
_STARTS: Final = re.compile(
    r"\b(?:started|queued|submitted|scheduled|triggered|enqueued|launched|running)\b", re.IGNORECASE
)
_FAILED_STATE: Final = re.compile(
    r"\b(?:status|state|result|conclusion)\b[\"'\s:=]{1,6}(?:is )?(?:failed|failure|error(?:ed)?|crashed|aborted)\b"
    r"|\b(?:job|build|deploy(?:ment)?|task|pipeline|run|workflow|export|import|backup|migration|training)\b"
    r"[^.\n]{0,40}\b(?:has |have )?failed\b",
    re.IGNORECASE,
)
_ID: Final = re.compile(r"\b(?=[\w-]*\d)[\w-]{2,80}\b")
_LONGEST_TEXT: Final = 400
_MOST_IDS: Final = 50
_STEM: Final = 5
"""The letters that `deploy` and `deployment` have in common."""
_INNER: Final = ("data", "result", "job", "task", "run", "build", "deployment", "operation")


def failed_jobs(calls: Sequence[ToolCall], kinds: Sequence[ToolKind]) -> set[int]:
    """Return the positions of the calls that report that something which an earlier call started has failed.

    A poll belongs to a start if it passes an id that the start returned or, if its tool only reports states, has a word
    of the name and the arguments of a start that is under way in common with it.
    """
    ids: set[str] = set()
    subjects: set[tuple[str, str]] = set()
    failed: set[int] = set()
    for position, (call, kind) in enumerate(zip(calls, kinds, strict=True)):
        if call.result is None or call.status == "error":
            continue
        value = decode_result(call.result)
        if kind in {"probe", "reader"}:
            is_own = any(text in ids for text in _scalars(call.args or {}))
            is_own = is_own or (kind == "probe" and not subjects.isdisjoint(_subjects(call)))
            if is_own and _has_failed(value):
                failed.add(position)
        elif kind == "writer":
            ids.update(islice(_ids_in(value), _MOST_IDS))
            if _is_under_way(value):
                subjects.update(_subjects(call))
    return failed


def _subjects(call: ToolCall) -> Iterator[tuple[str, str]]:
    """Yield each stem of the name with each argument, and with "" for a call without arguments."""
    texts = list(islice(_scalars(call.args or {}), _MOST_IDS)) or [""]
    return ((word[:_STEM], text) for word in words(call.name) if len(word) >= _STEM for text in texts)


def _scalars(fields: JsonObject) -> Iterator[str]:
    return (str(value) for value in fields.values() if isinstance(value, (str, int)) and not isinstance(value, bool))


def _ids_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from _ID.findall(value[:_LONGEST_TEXT])
    for fields in _levels(value):
        yield from (str(part) for key, part in fields.items() if _is_id(key, part))


def _is_id(key: str, value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool) and key.endswith(("id", "uuid", "arn", "job"))


def _levels(value: object) -> Iterator[JsonObject]:
    if isinstance(value, dict):
        fields = read_fields(value)
        yield fields
        yield from (read_fields(fields[key]) for key in _INNER if isinstance(fields.get(key), dict))


def _is_under_way(value: object) -> bool:
    if isinstance(value, str):
        return _STARTS.search(value[:_LONGEST_TEXT]) is not None
    return _has_state(value, _PENDING)


def _has_failed(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONGEST_TEXT and _FAILED_STATE.search(value) is not None
    ended_badly = isinstance(value, dict) and any(map(_has_ended_badly, _levels(value)))
    return ended_badly or _has_state(value, _ENDED_BADLY)


def _has_ended_badly(fields: JsonObject) -> bool:
    return error_of_ended_work(fields) is not None or failed_status(fields) is not None


def _has_state(value: object, states: frozenset[str]) -> bool:
    keys = (*STATE_KEYS, "phase", "conclusion", "jobstatus", "runstatus")
    return any(is_state(fields.get(key), states) for fields in _levels(value) for key in keys)
