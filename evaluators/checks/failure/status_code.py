"""Status codes of HTTP and gRPC in the fields of a JSON object, if they are those of the call itself."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from ...model import JsonObject
from .fields import ENVELOPE, HTTP_KEYS, RESPONSE, Source, has_message, http_number

__all__ = ["grpc_status", "http_status", "is_report"]

_GRPC_NAMES: Final = (
    "CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED "
    "RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS "
    "UNAUTHENTICATED"
)
_GRPC: Final = frozenset(_GRPC_NAMES.split())
_GRPC_CODES: Final = range(1, 17)
_GRPC_KEYS: Final = frozenset({"code", "status", "message", "details", "grpcstatus", "grpccode", "metadata"})
_HTTP_FAILURES: Final = range(400, 600)


def http_status(fields: JsonObject, source: Source) -> str | None:
    """Return the HTTP status of a call that failed with one, as `HTTP 503`; else None."""
    for key in HTTP_KEYS:
        number = http_number(fields[key]) if key in fields else None
        if number is None or number not in _HTTP_FAILURES:
            continue
        facts = fields.keys() - ENVELOPE
        if not _is_of_http(key, fields, facts):
            continue
        is_of_other = source.kind in {"probe", "checker"} and (facts or key not in {"status", "code"})
        return None if is_of_other or is_report(fields, source) else f"HTTP {number}"
    return None


def _is_of_http(key: str, fields: JsonObject, facts: Collection[str]) -> bool:
    """Return whether the number is an HTTP status: among other data and without a message it may be any number."""
    if key == "code":
        return not facts
    if key == "status":
        return has_message(fields) or not ("name" in fields or set(facts) - RESPONSE)
    return True


def grpc_status(fields: JsonObject, _: Source) -> str | None:
    """Return the name or number of a gRPC status other than OK; None without one."""
    if fields.keys() - _GRPC_KEYS:
        return None
    for key in ("code", "status", "grpcstatus", "grpccode"):
        code = fields.get(key)
        if isinstance(code, str) and (name := _grpc_name(code, is_state=key == "status")):
            return name
        is_number = isinstance(code, int) and not isinstance(code, bool) and code in _GRPC_CODES
        if is_number and ("message" in fields or key.startswith("grpc")):
            return f"gRPC {code}"
    return None


def _grpc_name(code: str, *, is_state: bool) -> str | None:
    """Return the name of a gRPC status, else None; in lower case, "unavailable" is also a state that things have."""
    name = code.removeprefix("StatusCode.")
    name = name if is_state else name.upper()
    return name if name in _GRPC else None


def is_report(fields: JsonObject, source: Source) -> bool:
    """Return whether the object describes something else that failed: probes and readers return its state with other
    data.

    "failed" is a state that things have; "error" with nothing but a message is the failure of the tool.
    """
    if source.kind not in {"probe", "reader"}:
        return False
    facts = {key for key in fields.keys() - ENVELOPE if fields[key] not in (None, [], {}, "error")}
    state = next((fields[key] for key in ("status", "state", "conclusion", "phase") if _has_text(fields, key)), None)
    if state is None:
        return _is_report_of_number(fields, facts, source)
    if state.strip().casefold() in {"error", "errored", "exception"}:
        return len(facts) > 1
    return bool(facts) or "id" in fields or source.kind == "probe"


def _has_text(fields: JsonObject, key: str) -> bool:
    return isinstance(fields.get(key), str)


def _is_report_of_number(fields: JsonObject, facts: Collection[str], source: Source) -> bool:
    """Return whether an HTTP status is that of something else: of what a probe examined, or of a request in a log."""
    if not any(http_number(fields.get(key)) in _HTTP_FAILURES for key in HTTP_KEYS):
        return False
    if source.kind == "probe":
        return bool(facts)
    others = set(facts) - RESPONSE
    return bool(others) if source.brings_documents else len(others) > 1
