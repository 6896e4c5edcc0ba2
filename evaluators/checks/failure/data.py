"""Failures that a tool tells as data: fields of a JSON object or list that say that it did not do its work.

Sources: MCP `CallToolResult.isError` (2025-06-18), GraphQL `errors` (October 2021, section 7.1), gRPC status codes
(https://grpc.io/docs/guides/status-codes/), problem details (RFC 9457), and the `error` field of JSON-RPC 2.0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, TypeAlias

from ...model import JsonObject
from .text import error_name
from .tool_kind import ToolKind

__all__ = ["DATA_RULES", "data_rule"]

DATA_RULES: Final = (
    "mcp_is_error",
    "error_field",
    "success_false",
    "status_field",
    "errors_field",
    "http_status",
    "grpc_status",
    "error_list",
)

Found: TypeAlias = tuple[str, str | None] | None
"""A rule, and the name or number of the error where it has one."""

_NOTHING: Final = frozenset(
    {"", "none", "null", "nil", "false", "0", "no", "n/a", "no error", "no errors", "ok", "success", "-"}
)
_FAILED: Final = frozenset({"error", "failed", "failure", "fail", "errored", "exception", "ko"})
_STATE_KEYS: Final = ("status", "state", "result", "outcome")
_ERROR_KEYS: Final = ("error", "Error", "ERROR", "errorMessage", "error_message", "exception", "fault", "errorType")
_ERRORS_KEYS: Final = ("errors", "Errors")
_HTTP_KEYS: Final = (
    "status_code",
    "statusCode",
    "http_status",
    "httpStatus",
    "http_code",
    "status",
    "code",
    "httpStatusCode",
)
_SUCCESS_KEYS: Final = ("success", "ok", "succeeded", "Success", "is_success", "isSuccess")
_JUDGED_KEYS: Final = frozenset(
    {"valid", "is_valid", "isValid", "passed", "compliant", "violations", "issues", "problems", "findings", "warnings"}
)
_TELLING: Final = frozenset(
    {*_ERROR_KEYS, *_ERRORS_KEYS, *_STATE_KEYS, *_HTTP_KEYS, *_SUCCESS_KEYS, "isError", "is_error", "grpc_status"}
    | {"grpc_code", "grpcStatus"}
)
"""The keys by which an object can tell a failure."""
_BESIDE: Final = (
    "message msg detail details reason reasons description title type error_code errorCode error_type "
    "error_description hint retryable retry_after retryAfter request_id requestId trace_id timestamp time data "
    "isError is_error content tool tool_name name tool_call_id path instance documentation_url suggestion help "
    "Message Code Type domain jsonrpc id metadata meta extensions locations artifact response_metadata "
    "additional_kwargs"
)
_ENVELOPE: Final = frozenset(
    {*_ERROR_KEYS, *_ERRORS_KEYS, *_STATE_KEYS, *_HTTP_KEYS, *_SUCCESS_KEYS, *_JUDGED_KEYS, *_BESIDE.split()}
)
"""The keys that an error has. Others are facts about what the tool looked at."""
_GRPC_NAMES: Final = (
    "CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED "
    "RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS "
    "UNAUTHENTICATED"
)
_GRPC: Final = frozenset(_GRPC_NAMES.split())
_GRPC_CODES: Final = range(1, 17)
_GRPC_KEYS: Final = frozenset(
    {"code", "status", "message", "details", "grpc_status", "grpc_code", "grpcStatus", "metadata"}
)
_HTTP_FAILURES: Final = range(400, 600)
_TOKEN: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_.][A-Za-z0-9]+|[a-z0-9][A-Z][A-Za-z0-9]*)[\w.]*")
_LONGEST_TOKEN: Final = 60


def data_rule(value: object, *, kind: ToolKind, rules: Collection[str]) -> Found:
    """The rule by which a result (decoded JSON) tells a failure, and what it calls it by; None when it does not."""
    if isinstance(value, list):
        return ("error_list", None) if "error_list" in rules and kind != "reader" and _lists_errors(value) else None
    if not isinstance(value, dict) or _TELLING.isdisjoint(value):
        return None
    for rule, find in _OF_OBJECTS.items():
        if rule in rules and (found := find(value, kind)) is not None:
            return rule, found or None
    return None


def _mcp_is_error(value: JsonObject, _: ToolKind) -> str | None:
    return "" if value.get("isError") is True or value.get("is_error") is True else None


def _error_field(value: JsonObject, kind: ToolKind) -> str | None:
    error = next((value[key] for key in _ERROR_KEYS if _tells_error(value.get(key))), None)
    if error is None or _is_report(value, kind) or (kind == "checker" and not _JUDGED_KEYS.isdisjoint(value)):
        return None
    return _name_of(error) or _name_of(value) or ""


def _tells_error(value: object) -> bool:
    """Whether an error field says that there is one. A fraction is a measure, such as a standard error."""
    match value:
        case None | False:
            return False
        case True:
            return True
        case str():
            return value.strip().casefold() not in _NOTHING
        case int():
            return value != 0
        case float():
            return False
    return bool(value)


def _success_false(value: JsonObject, kind: ToolKind) -> str | None:
    if all(value.get(key) is not False for key in _SUCCESS_KEYS):
        return None
    if kind == "checker" or (kind == "probe" and value.keys() - _ENVELOPE):
        return None
    return _name_of(value) or ""


def _status_field(value: JsonObject, kind: ToolKind) -> str | None:
    state = next((value[key] for key in _STATE_KEYS if _is_failed(value.get(key))), None)
    if state is None or kind == "checker" or _is_report(value, kind):
        return None
    return _name_of(value) or ""


def _is_failed(state: object) -> bool:
    return isinstance(state, str) and state.strip().casefold() in _FAILED


def _is_report(value: JsonObject, kind: ToolKind) -> bool:
    """Whether the object describes something else that failed: probes and readers bring a state with other facts.

    "failed" is a state that things have; "error" beside nothing but a message is the tool's own.
    """
    if kind not in {"probe", "reader"}:
        return False
    state = next(
        (value[key] for key in ("status", "state", "conclusion", "phase") if isinstance(value.get(key), str)), None
    )
    if state is None:
        return False
    facts = value.keys() - _ENVELOPE
    if state.strip().casefold() in {"error", "errored", "exception"}:
        return len(facts) > 1
    return bool(facts) or kind == "probe"


def _errors_field(value: JsonObject, kind: ToolKind) -> str | None:
    errors = next((value[key] for key in _ERRORS_KEYS if value.get(key)), None)
    if errors is None or kind == "checker" or not (errors is True or isinstance(errors, (list, dict, str))):
        return None
    if isinstance(errors, str) and not _tells_error(errors):
        return None
    if _has_data(value.get("data")):  # GraphQL answers in part
        return None
    first = errors[0] if isinstance(errors, list) else errors
    return _name_of(first) or ""


def _has_data(data: object) -> bool:
    if isinstance(data, dict):
        return any(part not in (None, [], {}) for part in data.values())
    return bool(data)


def _http_status(value: JsonObject, kind: ToolKind) -> str | None:
    for key in _HTTP_KEYS:
        number = _number(value.get(key))
        if number is None or number not in _HTTP_FAILURES or (key == "code" and value.keys() - _ENVELOPE):
            continue
        if kind in {"probe", "checker"} and (value.keys() - _ENVELOPE or key not in {"status", "code"}):
            return None
        return f"HTTP {number}"
    return None


def _number(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return int(value[:3]) if isinstance(value, str) and re.match(r"\d{3}(?:\s|$)", value) else None


def _grpc_status(value: JsonObject, _: ToolKind) -> str | None:
    if value.keys() - _GRPC_KEYS:
        return None
    for key in ("code", "status", "grpc_status", "grpc_code", "grpcStatus"):
        code = value.get(key)
        if isinstance(code, str) and code.removeprefix("StatusCode.").upper() in _GRPC:
            return code.removeprefix("StatusCode.").upper()
        is_number = isinstance(code, int) and not isinstance(code, bool) and code in _GRPC_CODES
        if is_number and ("message" in value or key.startswith("grpc")):
            return f"gRPC {code}"
    return None


def _lists_errors(value: list[Any]) -> bool:
    """Whether all that the list has are errors: `[{"error": …}]`, or codes with messages and nothing else."""
    return bool(value) and all(isinstance(item, dict) and _is_error(item) for item in value)


def _is_error(item: JsonObject) -> bool:
    if any(_tells_error(item.get(key)) for key in _ERROR_KEYS):
        return not item.keys() - _ENVELOPE
    return bool({"errorCode", "error_code"} & item.keys()) and not item.keys() - _ENVELOPE - {"fields"}


def _name_of(error: object) -> str | None:
    """What the error calls itself by, where that is a name or a number: never a sentence."""
    if isinstance(error, str):
        return error_name(error) or (error if _is_token(error) else None)
    if not isinstance(error, Mapping):
        return None
    for key in (
        "type",
        "error_type",
        "errorType",
        "code",
        "error_code",
        "errorCode",
        "Code",
        "name",
        "status",
        "reason",
    ):
        name = error.get(key)
        if isinstance(name, str) and name.casefold() not in _FAILED and (_is_token(name) or error_name(name) == name):
            return name
        if isinstance(name, int) and not isinstance(name, bool) and key != "status":
            return f"code {name}"
    return None


def _is_token(text: str) -> bool:
    return len(text) <= _LONGEST_TOKEN and _TOKEN.fullmatch(text) is not None


_OF_OBJECTS: Final[Mapping[str, Callable[[JsonObject, ToolKind], str | None]]] = {
    "mcp_is_error": _mcp_is_error,
    "error_field": _error_field,
    "success_false": _success_false,
    "status_field": _status_field,
    "errors_field": _errors_field,
    "http_status": _http_status,
    "grpc_status": _grpc_status,
}
