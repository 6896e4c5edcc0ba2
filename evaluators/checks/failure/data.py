"""Failures reported as data: fields of a JSON object or list that say that the tool did not do its work.

Sources: MCP `CallToolResult.isError` (2025-06-18), GraphQL `errors` (October 2021, section 7.1), gRPC status codes
(https://grpc.io/docs/guides/status-codes/), problem details (RFC 9457), the `error` field of JSON-RPC 2.0, the FHIR
`OperationOutcome` (R4) and the `detail` of FastAPI and Django REST framework.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final, TypeAlias

from ...model import JsonObject
from .ended import error_of_ended_work, failed_status
from .error_list import find_severe_issue, lists_errors, lists_faulty_fields
from .fields import (
    CODE_KEYS,
    ENVELOPE,
    ENVELOPES,
    ERROR_KEYS,
    ERRORS_KEYS,
    FAILED,
    INNER_KEYS,
    JUDGED_KEYS,
    MESSAGE_KEYS,
    NAMED_CODE_KEYS,
    REQUEST_KEYS,
    STATE_KEYS,
    SUCCESS_KEYS,
    TELLING,
    Source,
    error_name_of,
    has_message,
    is_error_name,
    is_false,
    is_state,
    read_fields,
    tells_error,
)
from .status_code import bare_error, grpc_status, http_status, is_report
from .text import read_failure

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
"""The rule that found a failure, and the name or number of the error, None if it has none; None without a failure."""

_REFUSED: Final = frozenset(
    {"rejected", "denied", "refused", "timeout", "timed_out", "unavailable", "unauthorized", "forbidden"}
)
_DETAIL: Final = re.compile(
    r"not (?:found|authenticated|allowed|authori[sz]ed|permitted|provided|validate)|credentials|permission|invalid"
    r"|required|denied|forbidden|expired|exceeded|throttled|does not exist|already exists|unprocessable",
    re.IGNORECASE,
)
_TELLING: Final = TELLING | {"object", "type"}
_LONGEST_DETAIL: Final = 200
_NUMBER: Final = re.compile(r"\s*-?[0-9]{1,12}\s*")


def data_rule(value: object, source: Source, rules: Collection[str]) -> Found:
    """Return the rule by which a result (decoded JSON) is a failure, and the name or number of the error; else None."""
    if isinstance(value, list):
        return _in_list(value, source, rules)
    if not isinstance(value, dict):
        return None
    if "errors_field" in rules and _rejects_input(value, source):
        return "errors_field", None
    fields = _of_answer(read_fields(value))
    if "error_field" in rules and not source.brings_documents and _remarks_failure(fields):
        return "error_field", None
    if _TELLING.isdisjoint(fields) and len(fields) > 1 and not any(map(is_error_name, fields.values())):
        return None
    return _in_object(fields, source, rules) or _in_envelope(fields, source, rules)


_NOTICES: Final = frozenset({"note", "notice", "information", "info"})
_LIMITED: Final = re.compile(
    r"\b(?:rate limit|call frequency|quota|requests per (?:second|minute|hour|day|month))\b", re.IGNORECASE
)


def _remarks_failure(fields: JsonObject) -> bool:
    """Return whether a remark beside nothing tells why: the query failed (Overpass), or, alone, that the limit of
    requests is reached (Alpha Vantage)."""
    remark = fields.get("remark")
    if isinstance(remark, str):
        lists = [part for part in fields.values() if isinstance(part, list)]
        return bool(lists) and not any(lists) and read_failure(remark, is_of_reader=False) is not None
    notices = [part for key, part in fields.items() if key in _NOTICES and isinstance(part, str)]
    return len(fields) == 1 and any(map(_LIMITED.search, notices))


def _of_answer(fields: JsonObject) -> JsonObject:
    """Return the fields of the answer in an object that names it: `{"alipay_trade_pay_response": {…}, "sign": …}`."""
    names = [key for key in fields if key.endswith("response") and key != "response"]
    inner = fields[names[0]] if len(names) == 1 and not fields.keys() - ENVELOPE - {*names} else None
    return read_fields(inner) if isinstance(inner, dict) else fields


def _rejects_input(value: JsonObject, source: Source) -> bool:
    """Return whether the payload of a GraphQL mutation rejects its input, as at Shopify: `{"userErrors": [{…}]}`; also
    where it has nothing else but `errors`, or a part of what was written has: `{"insertErrors": [{…}]}`."""
    data = value.get("data", value)
    payloads = data.values() if isinstance(data, dict) and len(data) == 1 else (data,)
    return any(
        isinstance(payload, dict)
        and (bool(payload.get("userErrors")) or (source.kind == "writer" and _lists_what_failed(payload)))
        for payload in payloads
    )


_FAULT: Final = re.compile(
    r"\b(?:required|invalid|not (?:a )?valid|must|already exists?|ensure (?:this|that)|may not be|can(?:no|')t be"
    r"|unique|incorrect|too (?:long|short|large|small)|does not exist)\b",
    re.IGNORECASE,
)
"""What a server says of a field that it does not take, as Django REST framework and Rails do."""


_OF_PARTS: Final = frozenset({"errors", "inserterrors", "rowerrors", "writeerrors"})


def _lists_what_failed(payload: JsonObject) -> bool:
    """Return whether there is nothing but faults of fields (`{"name": ["This field is required."]}`), or a list of what
    failed, beside which `errors` are no more than warnings."""
    faults = [fault for part in payload.values() if isinstance(part, list) for fault in part]
    if faults and all(isinstance(part, list) and part for part in payload.values()):
        return all(isinstance(fault, str) and _FAULT.search(fault) for fault in faults)
    lists = {key: part for key, part in payload.items() if key.lower() in _OF_PARTS and isinstance(part, list)}
    return any(
        part
        and all(isinstance(item, dict) for item in part)
        and (key != "errors" or not _has_data({**payload, key: []}))
        for key, part in lists.items()
    )


def _in_object(fields: JsonObject, source: Source, rules: Collection[str]) -> Found:
    for rule, find in _OF_OBJECTS:
        if rule in rules and (name := find(fields, source)) is not None:
            return rule, name or None
    return None


def _in_envelope(fields: JsonObject, source: Source, rules: Collection[str]) -> Found:
    """Return the failure one level down, if neither level has keys that an error does not have."""
    if (failure := _in_only_part(fields, source, rules)) is not None:
        return failure
    if not fields.keys() <= ENVELOPES:
        return None
    for key in (*INNER_KEYS, *REQUEST_KEYS):
        inner = fields.get(key)
        if isinstance(inner, dict):
            failure = _in_inner(read_fields(inner), source, rules, is_of_request=key in REQUEST_KEYS)
        else:
            failure = _in_list(inner, source, rules) if source.kind == "writer" else None
        if failure is not None:
            return failure
    return None


def _in_only_part(fields: JsonObject, source: Source, rules: Collection[str]) -> Found:
    """Return the failure in the only part of an answer, whatever its name; the state or code of a thing is none."""
    about = {key: part for key, part in fields.items() if key not in REQUEST_KEYS} or fields
    only = next(iter(about.values())) if len(about) == 1 else None
    inner = read_fields(only) if isinstance(only, dict) else {}
    is_told = any(_is_error(key, part) or (key in SUCCESS_KEYS and is_false(part)) for key, part in inner.items())
    if not is_told or not inner.keys().isdisjoint(STATE_KEYS):
        return None
    return _in_inner(inner, source, rules, is_of_request=False)


def _in_inner(fields: JsonObject, source: Source, rules: Collection[str], *, is_of_request: bool) -> Found:
    """Return the failure in the inner object, where a failed state without a message is that of a record."""
    if fields.keys() - ENVELOPE and is_of_request:
        fields = {key: part for key, part in fields.items() if key in ENVELOPE}  # others name the request
    if fields.keys() - ENVELOPE or "id" in fields:
        return None
    failure = _in_object(fields, source, rules)
    return None if failure and failure[0] == "status_field" and not has_message(fields) else failure


def _in_list(value: object, source: Source, rules: Collection[str]) -> Found:
    if "error_list" not in rules or not isinstance(value, list):
        return None
    return ("error_list", None) if lists_errors(value, source) else None


def _mcp_is_error(fields: JsonObject, _: Source) -> str | None:
    return "" if fields.get("iserror") is True else None


def _error_field(fields: JsonObject, source: Source) -> str | None:
    error = next((part for key, part in fields.items() if _is_error(key, part)), None)
    if error is None and source.runs_work and (reason := error_of_ended_work(fields)) is not None:
        return error_name_of(reason) or ""
    if error is None:
        error = _declared_error(fields, source)
    if error is None:
        error = _typed_exception(fields) or _error_code(fields, source) or _error_detail(fields, source)
    if error is None or is_report(fields, source) or (source.kind == "checker" and not JUDGED_KEYS.isdisjoint(fields)):
        return None
    return error_name_of(error) or error_name_of(fields) or ""


_NAMED: Final = frozenset({"businesserror", "clienterror", "serviceerror", "usererror"})
"""Keys whose value may be the name of an error, or something else: VIES says `userError: VALID`."""


def _is_error(key: str, value: object) -> bool:
    """Return whether a field reports an error."""
    return tells_error(value) if key in ERROR_KEYS else key in _NAMED and "_" in str(value) and is_error_name(value)


def _declared_error(fields: JsonObject, source: Source) -> JsonObject | None:
    """Return the fields of an object that says that it is an error, as `{"object": "error"}` of Notion; else None."""
    is_entry = source.kind in {"checker", "probe"} or (source.kind == "reader" and source.brings_documents)
    is_error = fields.get("object") == "error" or (fields.get("type") == "error" and not is_entry)
    has_code = str(fields.get("type")).endswith("_error") and not CODE_KEYS.isdisjoint(fields)
    is_told = (is_error and has_message(fields)) or has_code
    return fields if is_told and not fields.keys() - ENVELOPE - {"object"} else None


def _typed_exception(fields: JsonObject) -> str | None:
    """Return the type of an AWS error, such as `{"__type": "com.amazonaws…#ResourceNotFoundException"}`; else None."""
    name = fields.get("__type")
    if not isinstance(name, str) or not name.endswith(("Exception", "Error", "Fault")):
        return None
    return name.rpartition("#")[2]


def _error_code(fields: JsonObject, source: Source) -> JsonObject | None:
    """Return the code of an error as `{"code": …}`, such as of `{"errcode": 40013, "errmsg": "…"}`; else None."""
    code = next((part for key, part in fields.items() if key in CODE_KEYS and _is_error_code(key, part)), None)
    if code is None and not fields.keys() - ENVELOPE and _is_negative(fields.get("code")):
        code = fields["code"]
    if code is None or source.kind == "checker" or not has_message(fields):
        return None
    return None if source.kind != "writer" and fields.keys() - ENVELOPE else {"code": code}


def _is_negative(code: object) -> bool:
    return isinstance(code, int) and code < 0


def _is_error_code(key: str, code: object) -> bool:
    if isinstance(code, bool):
        return False
    if isinstance(code, str):
        if not _NUMBER.fullmatch(code):
            return key in NAMED_CODE_KEYS and tells_error(code)
        code = int(code)
    return isinstance(code, int) and code != 0 and code not in range(200, 300)


def _error_detail(fields: JsonObject, source: Source) -> object | None:
    """Return the `detail` of an object as FastAPI and Django REST framework return it for a rejected request; else
    None."""
    detail = fields.get("detail")
    if not detail or source.brings_documents or fields.keys() - {"detail", "code", "title", "type", "statuscode"}:
        return None
    if isinstance(detail, dict):
        inner = read_fields(detail)
        return inner if has_message(inner) and any(map(is_error_name, inner.values())) else None
    if isinstance(detail, list):
        return {} if lists_faulty_fields(detail) else None
    if not isinstance(detail, str) or len(detail) > _LONGEST_DETAIL:
        return None
    return detail if _DETAIL.search(detail) or read_failure(detail, is_of_reader=False) else None


def _success_false(fields: JsonObject, source: Source) -> str | None:
    if not any(_is_no_success(fields[key], fields) for key in SUCCESS_KEYS if key in fields):
        return None
    if source.kind == "checker" or (source.kind == "probe" and fields.keys() - ENVELOPE):
        return None
    return None if source.brings_documents and is_report(fields, source) else error_name_of(fields) or ""


def _is_no_success(value: object, fields: JsonObject) -> bool:
    """Return whether the value means false; 0 does beside a message, otherwise it may be a count."""
    return is_false(value) or (type(value) is int and value == 0 and has_message(fields))


def _status_field(fields: JsonObject, source: Source) -> str | None:
    if source.kind == "checker":
        return None
    state = next((fields[key] for key in STATE_KEYS if key in fields and is_state(fields[key], FAILED)), None)
    if state is None and source.runs_work and (status := failed_status(fields)) is not None:
        return error_name_of(status) or ""
    if state is None:
        return (error_name_of(fields) or "") if _is_refusal(fields, source) else None
    return None if is_report(fields, source) else error_name_of(fields) or ""


def _is_refusal(fields: JsonObject, source: Source) -> bool:
    """Return whether the object has a state such as "rejected", a message and nothing else: with other keys it is a
    record."""
    if source.kind == "probe" or fields.keys() - MESSAGE_KEYS - {"status", "state", "code", "errorcode", "requestid"}:
        return False
    return any(is_state(fields.get(key), _REFUSED) for key in ("status", "state")) and has_message(fields)


def _errors_field(fields: JsonObject, source: Source) -> str | None:
    if source.kind == "checker":
        return None
    errors = next((part for key, part in fields.items() if key in ERRORS_KEYS and _are_errors(part)), None)
    if errors is None:
        return find_severe_issue(fields, source)
    if _has_data(fields.get("data")):  # a partial answer of GraphQL
        return None
    first = errors[0] if isinstance(errors, list) else errors
    return error_name_of(first) or ""


def _are_errors(errors: object) -> bool:
    is_number = isinstance(errors, str) and _NUMBER.fullmatch(errors)  # a count, in XML
    return errors is True or (isinstance(errors, (list, dict, str)) and not is_number and tells_error(errors))


def _has_data(data: object) -> bool:
    if isinstance(data, dict):
        return any(part not in (None, [], {}) for part in data.values())
    return bool(data)


_OF_OBJECTS: Final[Sequence[tuple[str, Callable[[JsonObject, Source], str | None]]]] = (
    ("mcp_is_error", _mcp_is_error),
    ("error_field", _error_field),
    ("success_false", _success_false),
    ("status_field", _status_field),
    ("errors_field", _errors_field),
    ("http_status", http_status),
    ("grpc_status", grpc_status),
    ("error_field", bare_error),  # last: another rule knows better what its code means
)
