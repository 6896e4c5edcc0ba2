"""Failures reported as text: the whole result is an error message, in the languages of users.

A text that only mentions errors is not one: a document, a line of a log, source code. So a message has to begin like an
error message and to be short; even shorter from tools that return texts of others.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from .document import is_document
from .label import without_label
from .markup import error_page, xml_fault
from .shipped import read_patterns

__all__ = [
    "BEFORE_SENTENCE",
    "TextFailure",
    "begins_with_unknown_tool",
    "error_name",
    "is_about_access",
    "is_about_the_tool",
    "is_count",
    "is_declining",
    "is_refusal_by_person",
    "read_failure",
    "says_unknown_tool",
]


class TextFailure(NamedTuple):
    """The rule by which a text is an error message, and the name or number of the error if it has one."""

    rule: str
    name: str | None


_LONGEST: Final = 4_000
_LONGEST_OF_READERS: Final = 400
_MOST_LINES_OF_READERS: Final = 4
_LINE: Final = re.compile(r"^.*\S", re.MULTILINE)
_FIRST: Final = 300
_BEFORE: Final = r"(?:[^\w<\[(【]|error:|toolerror:){0,40}"
"""What may precede a message: white space, a mark such as ❌ or ###, "Error:"."""

_NAME: Final = (
    r"(?:[A-Za-z_][\w$]*[.:]{1,2})*[A-Z_a-z][\w$]*"
    r"(?:Error|Exception|Fault|Failure|Timeout|Interrupt|Denied|NotFound|Unavailable|Exceeded|Refused"
    r"|DoesNotExist|NoSuch[A-Z]\w*|Violation|Undefined(?:Column|Table|Function|Object))"
)
_MODULE: Final = (
    r"(?:[A-Za-z_]\w*\.){1,8}(?:errors?|exc|exceptions?|errorfactory|faults?)\.[A-Z]\w*"
    r"|(?:[A-Za-z_]\w*\.){1,8}(?:DoesNotExist|MultipleObjectsReturned)"
)
"""The module of an error shows what it is, whatever its name: `psycopg.errors.UndefinedColumn`."""
_EXCEPTION: Final = re.compile(
    rf"\s*(?:Uncaught |Unhandled |Caused by: |Exception in \S+ )?\(?({_NAME}|{_MODULE})\s*(?::|\(|\)|\[|$|-\s|\n)"
)
_TRACEBACK: Final = re.compile(r"\s*(?:\S.*\n)?\s*Traceback \(most recent call last\)")
_TRACEBACK_END: Final = re.compile(rf"^({_NAME}|[A-Z]\w+)(?::|\s*$)", re.MULTILINE)
_JAVA_TRACE: Final = re.compile(rf"\s*(?:Exception in thread \S+ )?({_NAME})(?::[^\n]*)?\n\s+at [\w$.<>/]+\(")
_ANYWHERE: Final = re.compile(rf"\b({_NAME})\b")

_REASON: Final = (
    r"bad\ request|unauthori[sz]ed|payment\ required|forbidden|not\ found|method\ not\ allowed|not\ acceptable"
    r"|request\ timeout|conflict|gone|payload\ too\ large|too\ many\ requests|unprocessable(?:\ entity|\ content)?"
    r"|internal\ server\ error|not\ implemented|bad\ gateway|service\ (?:temporarily\ )?unavailable"
    r"|gateway\ time-?out|client\ error|server\ error|locked|failed\ dependency"
)
_ALONE: Final = (
    r"internal\ server\ error|bad\ gateway|service\ (?:temporarily\ )?unavailable|gateway\ time-?out"
    r"|too\ many\ requests"
)
_HTTP: Final = re.compile(
    rf"""\s*(?:error:?\s*)?(?:
        (?:https?(?:/\d(?:\.\d)?)?|status(?:\ code)?|http\ (?:status(?:\ code)?|error|code|response))
        [\s:=]*\(?([45]\d\d)\b
      | ([45]\d\d)[\s:-]*(?:{_REASON})\b
      | (404)\ (?:(?-i:[A-Z])\w{{1,20}}\ ){{1,2}}not\ found\b
      | (?:{_REASON})\s*[(:-]\s*(?:http\s*)?([45]\d\d)\b
      | (?:the\ )?(?:request|call|fetch|upstream|server|api|response)[^\n]{{0,40}}?
        (?:status(?:\ code)?|http|error|returned|responded\ with|code)[\s:=]*(?:code\s*)?([45]\d\d)\b
      | (?:received|got|returned)\ (?:a\ |an\ )?(?:http\ )?([45]\d\d)\b
      | ()(?:{_ALONE})[.!]?\s*$
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_GRPC: Final = re.compile(
    r"\s*(?:rpc error: code = (\w+)|(?:<_\w+RpcError|grpc\.\w*Error)|(?:StatusCode\.)([A-Z_]{6,})\b)"
)
_LOG_LINE: Final = re.compile(
    r"\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:|\s*\d\d:\d\d:\d\d"
    r"|\s*<?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b(?!\s*:)|\s*\S+:\d+:"
)
_NONE_COUNTED: Final = re.compile(
    r"\s*(?:0|no|zero|keine?|sin|aucune?|nenhum|没有)\s+(?:errors?|fehler|errores?|erreurs?|erros?|错误)", re.IGNORECASE
)
_COUNT: Final = re.compile(
    r"(?![^:\n]{0,30}(?:error|fehler|erreur|erro\b))[^:\n]{1,60}:\s*(?![45]\d\d\b)\d+(?:[.,]\d+)?\s*(?:%|[a-z]{1,8})?[.]?\s*$",
    re.IGNORECASE,
)
"""A label and its number: "Access denied: 0", "Timeout: 30 s"."""

_RETRIED: Final = re.compile(
    r"\b(?:retry|retried|attempt|then|later|now)\b[^.\n]{0,40}\b(?:succeeded|successful(?:ly)?|worked)\b", re.IGNORECASE
)
BEFORE_SENTENCE: Final = (
    r"[^\w<\[(【]{0,10}(?:(?:(?:we|i)(?:['\u2019](?:re|m)| are| am) )?(?:very )?"
    r"(?:sorry|unfortunately|apologies|leider|lo siento"
    r"|lo sentimos|désolée?|desculpe|lamentablemente|infelizmente|malheureusement"
    r"|申し訳ありませんが|申し訳ございませんが|抱歉|对不起)"
    r"[,.:;、\uff0c!]?\s*(?:but )?)?"
)
"""What may precede a plain sentence: an apology."""
_FIRST_PERSON: Final = re.compile(
    r"[^.\n]{0,60}\b(?:i|we|my|our|ich|wir|je|nous|yo|nosotros|eu|nós|io|noi|ik|wij|я|мы)\b|(?:我|我们|私)",
    re.IGNORECASE,
)
_BY_PERSON: Final = re.compile(
    r"(?:the )?(?:user|human|operator|customer|reviewer|approver)\b[^.\n]{0,40}\b(?:rejected|declined|denied|refused"
    r"|cancel+ed|doesn't want|does not want|did not approve|disapproved|interrupted)"
    r"|\b(?:rejected|declined|denied|refused|cancel+ed|not approved|interrupted) by (?:the )?"
    r"(?:user|human|operator|customer|reviewer)|tool (?:call|use|execution) was (?:rejected|not approved|denied)",
    re.IGNORECASE,
)


def read_failure(text: str, *, is_of_reader: bool) -> TextFailure | None:
    """Return the failure if the whole of `text` is an error message; else None."""
    text = without_label(text, is_of_reader=is_of_reader)
    if (name := _traceback(text)) is not None:
        return None if is_of_reader else TextFailure("exception_text", name or None)
    if text.startswith("<") and (failure := _markup(text)) is not None:
        return None if is_of_reader and not is_about_access(text) else failure
    if (protocol := _PROTOCOL.match(text)) is not None:
        return TextFailure("error_text", protocol[1])
    if not is_of_reader and _refuses_edit(text):
        return TextFailure("error_text", None)
    return _whole_message(text, is_of_reader=is_of_reader)


_PROTOCOL: Final = re.compile(r"\W{0,5}MCP error:? (-32\d{3})\b", re.IGNORECASE)
"""How clients of MCP write an error of JSON-RPC, however long: `MCP error -32602: …`. No document begins like this."""


def _whole_message(text: str, *, is_of_reader: bool) -> TextFailure | None:
    if _is_too_long(text, is_of_reader=is_of_reader) or _NONE_COUNTED.match(text):
        return None
    if begins_with_unknown_tool(text):
        return TextFailure("unknown_tool", None)
    if is_of_reader and _LOG_LINE.match(text):
        return None
    failure = _http(text) or _exception(text) or _message(text)
    return None if failure is None or is_document(text, is_of_reader=is_of_reader) else failure


def _refuses_edit(text: str) -> bool:
    """Return whether an editor says that it changed nothing; the code that it shows may be long."""
    return read_patterns(__package__, "refused_edit.txt", before=_BEFORE).match(text) is not None


def _markup(text: str) -> TextFailure | None:
    if (code := xml_fault(text)) is not None:
        return TextFailure("error_text", code or None)
    status = error_page(text)
    return None if status is None else TextFailure("http_text", status or None)


def _http(text: str) -> TextFailure | None:
    if status := _HTTP.match(text):
        number = next(filter(None, status.groups()), None)
        return TextFailure("http_text", f"HTTP {number}" if number else None)
    if status := _GRPC.match(text):
        return TextFailure("grpc_status", next(filter(None, status.groups()), None))
    return None


def _exception(text: str) -> TextFailure | None:
    exception = _EXCEPTION.match(text)
    return TextFailure("exception_text", _last_part(exception[1])) if exception else None


def _message(text: str) -> TextFailure | None:
    messages = read_patterns(__package__, "messages", before=_BEFORE)
    if not messages.match(text) or is_count(text) or _RETRIED.search(text[:_FIRST]):
        return None
    return TextFailure("error_text", error_name(text))


def _traceback(text: str) -> str | None:
    """Return the exception at the end of a traceback; "" if it names none; None if `text` is not a traceback."""
    if java := _JAVA_TRACE.match(text):
        return _last_part(java[1])
    if not _TRACEBACK.match(text):
        return None
    names = _TRACEBACK_END.findall(text[-_LONGEST:])
    return _last_part(names[-1]) if names else ""


def _is_too_long(text: str, *, is_of_reader: bool) -> bool:
    if not is_of_reader:
        return len(text) > _LONGEST
    return len(text) > _LONGEST_OF_READERS or len(_LINE.findall(text)) > _MOST_LINES_OF_READERS


def error_name(text: str | None) -> str | None:
    """Return the name of an error in the first line: `PaymentError` for "PaymentError: card refused"; else None."""
    name = _ANYWHERE.search((text or "").partition("\n")[0][:_FIRST])
    return _last_part(name[1]) if name else None


def is_count(text: str) -> bool:
    """Return whether the text only reports a number, such as that of failures: "0 errors", "Access denied: 0"."""
    return _NONE_COUNTED.match(text) is not None or _COUNT.match(text) is not None


def is_about_access(text: str) -> bool:
    """Return whether an error message is about access to what was requested; a document about an error is not."""
    text = text[:_LONGEST_OF_READERS]
    return is_about_the_tool(text) or read_patterns(__package__, "access.txt").search(text) is not None


def is_about_the_tool(text: str) -> bool:
    """Return whether an error message is about the tool itself, not about the subject of the call."""
    return read_patterns(__package__, "about_the_tool.txt").search(text[:_LONGEST_OF_READERS]) is not None


def says_unknown_tool(text: str) -> bool:
    """Return whether the text says anywhere that there is no such tool."""
    return read_patterns(__package__, "unknown_tool.txt").search(text) is not None


def begins_with_unknown_tool(text: str) -> bool:
    """Return whether the text begins by saying that there is no such tool."""
    text = text[:_LONGEST]
    return read_patterns(__package__, "unknown_tool.txt", before=_BEFORE).match(text.lstrip()) is not None


def is_refusal_by_person(text: str) -> bool:
    """Return whether the text says that a person rejected or interrupted the call."""
    return _BY_PERSON.search(text[:_LONGEST_OF_READERS]) is not None


def is_declining(text: str, *, is_of_agent: bool) -> bool:
    """Return whether an agent declines or says what it cannot do, which is its answer: in words that only a model
    writes or, if the tool is an agent, in the first person."""
    text = text.strip()[:_LONGEST_OF_READERS]
    if read_patterns(__package__, "declines.txt", before=BEFORE_SENTENCE).match(text) is not None:
        return True
    return is_of_agent and _FIRST_PERSON.match(text) is not None


def _last_part(name: str) -> str:
    return re.split(r"[.:]", name)[-1]
