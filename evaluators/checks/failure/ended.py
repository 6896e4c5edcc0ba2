"""Work that has ended with an error: its state may be DONE, and the error beside it, as in the jobs of BigQuery."""

from __future__ import annotations

from typing import Final

from ...model import JsonObject
from .fields import ERROR_KEYS, FAILED, is_state, read_fields, tells_error

__all__ = ["error_of_ended_work", "failed_status"]

_ENDED: Final = FAILED | {"done", "completed", "complete", "finished", "ended", "stopped", "terminated"}
_REASONS: Final = frozenset(
    {"errorresult", "failure", "failurecause", "failuredetails", "failuremessage", "failurereason"}
)
_IN_STATUS: Final = ERROR_KEYS | _REASONS | {"athenaerror", "lasterror"}
"""Keys of an object that is the status. `lastError` beside the data of a record may be about former work."""


def error_of_ended_work(fields: JsonObject) -> object | None:
    """Return the error that work which has ended reports beside its state or within its status; else None."""
    for outer in _levels(fields):
        if is_state(_state_of(outer), _ENDED) and (reason := _first(outer, _REASONS)) is not None:
            return reason
        status = _status_of(outer)
        state = _state_of(status)
        if (state is None or is_state(state, _ENDED)) and (error := _first(status, _IN_STATUS)) is not None:
            return error
    return None


def failed_status(fields: JsonObject) -> JsonObject | None:
    """Return the status, an object, of work that has failed, or the fields if their conclusion is a failure."""
    for outer in _levels(fields):
        status = _status_of(outer)
        if is_state(_state_of(status), FAILED):
            return status
        if is_state(_state_of(outer), _ENDED) and is_state(outer.get("conclusion"), FAILED):
            return outer
    return None


def _levels(fields: JsonObject) -> list[JsonObject]:
    """Return the fields and, if they only hold another object, as in JSON-RPC, those of that."""
    parts = [part for key, part in fields.items() if key not in {"id", "jsonrpc"}]
    inner = parts[0] if len(parts) == 1 else None
    return [fields, read_fields(inner)] if isinstance(inner, dict) else [fields]


def _status_of(fields: JsonObject) -> JsonObject:
    status = next((fields[key] for key in ("status", "state") if isinstance(fields.get(key), dict)), None)
    return read_fields(status) if status is not None else {}


def _state_of(fields: JsonObject) -> object | None:
    return next((fields[key] for key in ("state", "status") if isinstance(fields.get(key), str)), None)


def _first(fields: JsonObject, keys: frozenset[str]) -> object | None:
    return next((part for key, part in fields.items() if key in keys and tells_error(part)), None)
