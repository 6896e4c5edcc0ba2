"""The fields of a JSON object that report failures: what their keys and values mean, in any spelling of the keys."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from itertools import islice, product
from typing import Final, NamedTuple

from ...model import JsonObject
from .shipped import read_patterns
from .text import error_name
from .tool_kind import ToolKind

__all__ = [
    "CODE_KEYS",
    "ENVELOPE",
    "ENVELOPES",
    "ERRORS_KEYS",
    "ERROR_KEYS",
    "FAILED",
    "HTTP_KEYS",
    "INNER_KEYS",
    "ISSUES_KEYS",
    "ITEM",
    "JUDGED_KEYS",
    "MESSAGE_KEYS",
    "NAMED_CODE_KEYS",
    "REQUEST_KEYS",
    "RESPONSE",
    "SEVERE",
    "STATE_KEYS",
    "SUCCESS_KEYS",
    "TELLING",
    "Source",
    "brings_news",
    "error_name_of",
    "has_message",
    "http_number",
    "is_error_name",
    "is_false",
    "is_state",
    "list_messages",
    "read_fields",
    "tells_error",
]


class Source(NamedTuple):
    """The properties of the tool that a result comes from which decide what its fields mean."""

    kind: ToolKind
    brings_documents: bool
    runs_work: bool = False


_NOTHING: Final = frozenset(
    {"", "none", "null", "nil", "false", "0", "no", "n/a", "no error", "no errors", "ok", "success", "successful", "-"}
)
SEVERE: Final = frozenset({"error", "fatal"})
FAILED: Final = frozenset({"error", "failed", "failure", "fail", "errored", "exception", "ko"})

# Keys are compared without case and separators: `errorMessage`, `error_message` and `ErrorMessage` are equal.
_OWN: Final = ("", "api", "execution", "function", "internal", "request", "runtime", "server", "system", "tool")
_OF_ERROR: Final = ["detail", "details", "message", "msg", "reason", "string", "summary", "text"]
ERROR_KEYS: Final = frozenset(
    map(
        "".join,
        product(_OWN, ("error", "exception", "fault"), ("", *_OF_ERROR)),
    )
) | {"err", "odataerror"}
ERRORS_KEYS: Final = frozenset(
    {
        "errors",
        "validationerrors",
        "fielderrors",
        "formerrors",
        "errormessages",
        "nonfielderrors",
        "haserror",
        "haserrors",
    }
)
NAMED_CODE_KEYS: Final = frozenset({"faultcode", "errorcode", "errcode", "ecode", "subcode"})
CODE_KEYS: Final = NAMED_CODE_KEYS | {"errno", "errornumber", "retcode", "ret", "rc", "resultcode", "returncode"}
STATE_KEYS: Final = (
    *("status", "state", "result", "outcome", "stat", "responsestatus", "resultstatus"),
    *("resultcode", "returncode"),  # a word in some APIs, a number in others
)
HTTP_KEYS: Final = ("statuscode", "httpstatus", "httpcode", "httpstatuscode", "status", "code", "cod")
SUCCESS_KEYS: Final = ("success", "ok", "succeeded", "issuccess")
_MESSAGES: Final = (
    "message msg detail details reason title description errmsg resultmessage resultmsg resultdesc retmsg "
    "returnmessage returnmsg statustext submsg errcodedes statusmessage"
)
MESSAGE_KEYS: Final = frozenset((*_MESSAGES.split(), *ERROR_KEYS))
JUDGED_KEYS: Final = frozenset(
    {"valid", "isvalid", "passed", "compliant", "violations", "issues", "problems", "findings", "warnings"}
)
INNER_KEYS: Final = ("data", "result", "results", "response", "payload", "meta")
REQUEST_KEYS: Final = ("responsemetadata", "meta", "header")
"""The keys of what an answer says about the request: other data in it is not about the subject of the call."""
ISSUES_KEYS: Final = ("issue", "messages", "tppmessages", "return")
"""The keys of lists that tell how a request went, with a severity each: FHIR, OData, Berlin Group, BAPI."""
TELLING: Final = frozenset(
    {*ERROR_KEYS, *ERRORS_KEYS, *CODE_KEYS, *STATE_KEYS, *HTTP_KEYS, *SUCCESS_KEYS, *INNER_KEYS}
    | {"iserror", "grpcstatus", "grpccode", "detail", "__type", *REQUEST_KEYS, *ISSUES_KEYS}
)
"""The keys by which an object can report a failure."""
_BESIDE: Final = (
    "reasons type __type errortype errordescription hint retryable retryafter requestid rid traceid timestamp time "
    "iserror content tool toolname name toolcallid path instance documentationurl suggestion help domain jsonrpc id "
    "metadata extensions locations artifact additionalkwargs resourcetype severity diagnostics expression loc input "
    "ctx grpcstatus grpccode kind apiversion hostid recommend debugid links sqlstate statementhandle sign moreinfo "
    "clienttoken"
)
ENVELOPE: Final = frozenset(_BESIDE.split()).union(TELLING, MESSAGE_KEYS, JUDGED_KEYS) - {
    "header",
    "messages",
    "payload",
    "response",
    "results",
    "return",
    "tppmessages",
}
"""The keys of an error. Other keys are data about the subject of the call."""
ENVELOPES: Final = ENVELOPE.union(INNER_KEYS, REQUEST_KEYS)
"""The keys of an object that only holds another one."""
_OF_RESPONSE: Final = (
    "url finalurl method body headers content contenttype contentlength text html encoding elapsed elapsedms"
)
RESPONSE: Final = frozenset(_OF_RESPONSE.split())
"""The keys of an HTTP response besides its status."""
_PLACES: Final = "code type field fields path loc location locations input url ctx"
ITEM: Final = MESSAGE_KEYS.union(CODE_KEYS, _PLACES.split())
"""The keys of an error in a list of nothing else."""

_TOKEN: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_.][A-Za-z0-9]+|[a-z0-9][A-Z][A-Za-z0-9]*)[\w.]*")
_LONGEST_TOKEN: Final = 60
_MOST_KEYS: Final = 200


def read_fields(value: JsonObject) -> JsonObject:
    """Return the fields by their normalised keys; of a large object, only the first ones."""
    return {_plain(key): part for key, part in islice(value.items(), _MOST_KEYS)}


@lru_cache(maxsize=4096)
def _plain(key: object) -> str:
    """Return a normalised key: errormessage for `errorMessage` and `Error-Message`. `__type` of AWS is not `type`."""
    return "__type" if key == "__type" else re.sub(r"[\W_]", "", str(key).lower())


def tells_error(value: object) -> bool:
    """Return whether the value of an error field means an error. A fraction is a measure, such as a standard error."""
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
    return bool(value) and not _is_measure(value)


def _is_measure(value: object) -> bool:
    """Return whether the value has only numbers, as in `{"mae": 0.2}`, and no `code`, which an error may have."""
    if isinstance(value, Mapping):
        parts: Collection[object] = value.values()
        if any(_plain(key) in {"code", "status", *CODE_KEYS} for key in value):
            return False
    else:
        parts = value if isinstance(value, list) else ()
    return bool(parts) and all(isinstance(part, (int, float)) and not isinstance(part, bool) for part in parts)


def has_message(fields: JsonObject) -> bool:
    """Return whether the fields have a message that describes an error."""
    return any(key in MESSAGE_KEYS and isinstance(part, str) and tells_error(part) for key, part in fields.items())


def is_state(state: object, states: Collection[str]) -> bool:
    return isinstance(state, str) and state.strip().casefold().replace(" ", "_") in states


def http_number(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return int(value[:3]) if isinstance(value, str) and re.match(r"\d{3}(?:\s|$)", value) else None


def error_name_of(error: object) -> str | None:
    """Return the name or number of the error, never a sentence; None if it has none."""
    if isinstance(error, str):
        return error_name(error) or (error if _is_token(error) else None)
    if not isinstance(error, Mapping):
        return None
    fields = read_fields(dict(error))
    for key in ("type", "errortype", "code", "errorcode", "name", "status", "reason"):
        name = fields.get(key)
        if isinstance(name, str) and name.casefold() not in FAILED and (_is_token(name) or error_name(name) == name):
            return name
        if isinstance(name, int) and not isinstance(name, bool) and key != "status":
            return f"code {name}"
    return None


def _is_token(text: str) -> bool:
    return len(text) <= _LONGEST_TOKEN and _TOKEN.fullmatch(text) is not None


_NAME_OF_ERROR: Final = re.compile(
    r"(?=.*(?:denied|unauthori[sz]|forbidden|invalid|unprocessable|not_?found|no_?such|too_?many|limit|exceeded|conflict"
    r"|error|exception|fail|missing|expired|bad_?request|unavailable|unsupported|time_?d?_?out|illegal|malformed"
    r"|insufficient|not_?allowed|unknown))[a-z]\w*(?:[.:_-]\w+)*",
    re.IGNORECASE,
)


def is_error_name(value: object) -> bool:
    """Return whether the value is the name of an error: `UNPROCESSABLE_ENTITY`, `InvalidAccessKeyId.NotFound`."""
    return isinstance(value, str) and len(value) <= _LONGEST_TOKEN and _NAME_OF_ERROR.fullmatch(value) is not None


_LONGEST_MESSAGE: Final = 1_000


def list_messages(fields: JsonObject) -> list[str]:
    """Return the beginnings of the texts that describe what happened."""
    return [part[:_LONGEST_MESSAGE] for key, part in fields.items() if key in MESSAGE_KEYS and isinstance(part, str)]


def brings_news(fields: JsonObject) -> bool | None:
    """Return whether the messages of the object say that the request went well; None if they do not tell."""
    texts = list_messages(fields)
    if any(map(read_patterns(__package__, "bad_news.txt").search, texts)):
        return False
    return True if any(map(read_patterns(__package__, "good_news.txt").search, texts)) else None


def is_false(value: object) -> bool:
    return value is False or (isinstance(value, str) and value.strip().casefold() == "false")
