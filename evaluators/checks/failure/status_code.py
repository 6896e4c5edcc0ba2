"""Status codes of HTTP, gRPC and APIs in the fields of a JSON object, if they are those of the call itself."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from ...model import JsonObject
from .fields import (
    ENVELOPE,
    HTTP_KEYS,
    JUDGED_KEYS,
    RESPONSE,
    SUCCESS_KEYS,
    Source,
    brings_news,
    error_name_of,
    has_message,
    http_number,
    is_error_name,
    is_false,
    list_messages,
)

__all__ = ["bare_error", "grpc_status", "http_status", "is_report"]

_GRPC_NAMES: Final = (
    "CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED "
    "RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS "
    "UNAUTHENTICATED"
)
_GRPC: Final = frozenset(_GRPC_NAMES.split())
_GRPC_CODES: Final = range(1, 17)
_GRPC_KEYS: Final = frozenset({"code", "status", "message", "details", "grpcstatus", "grpccode", "metadata"})
_HTTP_FAILURES: Final = range(400, 600)


_FOUND_DOWN: Final = (
    "reachable",
    "isreachable",
    "alive",
    "up",
    "isup",
    "online",
    "open",
    "healthy",
    "connected",
)
"""What a probe says of what it examined."""


def http_status(fields: JsonObject, source: Source) -> str | None:
    """Return the HTTP status of a call that failed with one, as `HTTP 503`; else None."""
    for key in HTTP_KEYS:
        number = http_number(fields[key]) if key in fields else None
        if number is None or number not in _HTTP_FAILURES:
            continue
        facts = fields.keys() - ENVELOPE
        if not _is_of_http(key, fields, facts):
            continue
        is_of_other = source.kind in {"probe", "checker"} and (
            facts or key not in {"status", "code"} or not JUDGED_KEYS.isdisjoint(fields)
        )
        return None if is_of_other or is_report(fields, source) else f"HTTP {number}"
    return None


def _is_of_http(key: str, fields: JsonObject, facts: Collection[str]) -> bool:
    """Return whether the number is an HTTP status: among other data and without a message it may be any number."""
    if key == "code":
        return not facts and ("name" not in fields or is_error_name(fields["name"]))
    if key == "status":
        return has_message(fields) or not ("name" in fields or set(facts) - RESPONSE)
    return True


def grpc_status(fields: JsonObject, _: Source) -> str | None:
    """Return the name or number of a gRPC status other than OK; None without one."""
    if fields.keys() - _GRPC_KEYS or brings_news(fields):
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
    if source.kind == "probe" and any(is_false(fields.get(key)) for key in _FOUND_DOWN):
        return True
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


_BARE: Final = ENVELOPE - {"data", "result", "meta", "content", *SUCCESS_KEYS, *JUDGED_KEYS} | {"name"}
_CODES: Final = ("code", "cod", "statuscode")
_SHORT_CODE: Final = re.compile(r"[A-Z]{1,4}[-_]?\d{2,8}")
"""The code of an error in a catalogue of them, such as B0001."""
_OF_ANSWERS: Final = frozenset({"data", "errmsg", "msg"})
"""Keys that an answer with a code has, and a thing with a code has not."""
_CALLED_LIKE_ERROR: Final = re.compile(
    r"(?:bad|invalid)_(?:request|params?|parameters?|argument|input)|unprocessable_entity|(?:resource_)?not_found"
    r"|unauthori[sz]ed|unauthenticated|(?:authentication|authori[sz]ation)_(?:error|failed|failure|required)|forbidden"
    r"|permission_denied|not_authori[sz]ed|too_many_requests|(?:internal_)?server_error|service_unavailable"
    r"|validation_error|method_not_allowed|payment_required|precondition_failed",
    re.IGNORECASE,
)
"""What some APIs call an error by `id` or `name`: things have such names, too, but not these."""
_REFUSED: Final = re.compile(
    r"OVER_[A-Z]+_LIMIT|[A-Z]+_(?:DENIED|EXCEEDED|ERROR|FORBIDDEN|UNAUTHORIZED)|INVALID_[A-Z]+|UNAUTHORIZED|FORBIDDEN"
)
"""A status by which an API tells that it refused the request."""
_FAILURE: Final = re.compile(
    r"\b(?:fail|error|exception|denied|reject|invalid|insufficient|unknown|expired|unauthori[sz]ed"
    r"|not (?:found|authori[sz]ed)|(?:does|do)(?: not|n't) exist)|失败|失敗|错误|錯誤|出错|异常",
    re.IGNORECASE,
)


def bare_error(fields: JsonObject, source: Source) -> str | None:
    """Return the code of an object that has little but one, and a message that tells of a failure; "" if it is no name;
    else None.

    The code is a number other than 0, or the name of an error, which some APIs call `id` or `name`. Beside a number,
    a tool that changes something may return more.
    """
    filled = {key for key, part in fields.items() if part not in (None, "", [], {})}
    is_more = bool(filled - _BARE)
    if source.kind == "checker" or (is_more and source.kind != "writer") or brings_news(fields):
        return None
    if not has_message(fields):
        is_refused = source.kind != "probe" and filled == {"status"} and _REFUSED.fullmatch(str(fields["status"]))
        return str(fields["status"]) if is_refused else None
    if filled & {"id", "name"}:
        name = str(fields.get("name") or fields.get("id"))
        return name if {"id", "name"} - filled and not is_more and _CALLED_LIKE_ERROR.fullmatch(name) else None
    is_named = not is_more and any(is_error_name(fields.get(key)) for key in _CODES)
    is_number = any(_is_number_of_error(fields.get(key), fields) for key in _CODES)
    is_told = _tells_failure(fields) or (brings_news(fields) is False and not _OF_ANSWERS.isdisjoint(fields))
    return (error_name_of(fields) or "") if is_named or (is_number and is_told) else None


def _tells_failure(fields: JsonObject) -> bool:
    return any(map(_FAILURE.search, list_messages(fields)))


def _is_number_of_error(code: object, fields: JsonObject) -> bool:
    if isinstance(code, str):
        if _SHORT_CODE.fullmatch(code):
            return True
        code = int(code) if re.fullmatch(r"-?\d{1,12}", code) else None
    if not isinstance(code, int) or isinstance(code, bool) or code == 0 or code in range(200, 600):
        return False  # an HTTP status is one of a failure or of a success
    return code not in _GRPC_CODES or "message" not in fields
