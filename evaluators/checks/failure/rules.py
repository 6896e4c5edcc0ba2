"""Whether a tool call failed, by rules that have names and can be switched off."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

import orjson
from pydantic import BeforeValidator, Field, ImportString

from ...model import ToolCall
from ...registry import Options
from .data import DATA_RULES, data_rule
from .program import failing_program
from .text import TextFailure, error_name, is_about_the_tool, is_refusal_by_person, read_failure
from .tool_kind import ToolKind, brings_documents, command_of, name_kind

__all__ = ["Failure", "FailureRules"]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call counts as failed: the rule, and the name or number of the error where it has one, never its message.

    `is_program`: the tool did its work, and reports that a program failed.
    """

    rule: str
    name: str | None = None
    is_program: bool = False

    def __str__(self) -> str:
        return f"{self.name} ({self.rule})" if self.name else self.rule


def _several(value: Any) -> Any:
    return (value,) if isinstance(value, (str, re.Pattern)) else value


class FailureRules(Options):
    """The rules by which a tool call counts as failed. Each has a name, which is its option."""

    status: bool = Field(default=True, description="its span or framework reports the call as failed")
    blank: bool = Field(
        default=False, description="a blank result; off, since many tools return nothing when all went well"
    )
    error_field: bool = Field(default=True, description="JSON with an `error` that is not false, null, empty or 0")
    mcp_is_error: bool = Field(default=True, description="JSON with `isError` or `is_error` true")
    success_false: bool = Field(default=True, description="JSON with `success` or `ok` false")
    status_field: bool = Field(default=True, description="JSON with the `status` error or failed")
    errors_field: bool = Field(default=True, description="JSON with `errors` that are not empty, and no `data`")
    error_list: bool = Field(default=True, description="a JSON list of errors and nothing else")
    http_status: bool = Field(default=True, description="JSON with an HTTP status of 400 or more")
    grpc_status: bool = Field(default=True, description="JSON or text with a gRPC status other than OK")
    http_text: bool = Field(default=True, description="a result that begins like `HTTP 503 …`")
    exception_text: bool = Field(default=True, description="a result that is an exception or a traceback")
    error_text: bool = Field(default=True, description="a result that is an error message, in the languages of users")
    unknown_tool: bool = Field(default=True, description="a result that says that there is no such tool")
    failing_program: bool = Field(
        default=True,
        description="a shell or test runner whose program failed did its work: that fails only at the end of a run",
    )
    pattern: Annotated[tuple[re.Pattern[str], ...], BeforeValidator(_several)] = Field(
        default=(), description="regular expressions; a result in which one is found is an error"
    )
    predicate: ImportString[Callable[[str], bool]] | None = Field(
        default=None,
        description="`module:function` that says whether a result (its text) is an error; its path identifies it",
    )
    tool_kinds: Mapping[str, ToolKind] = Field(
        default_factory=dict,
        description="what kind of work a tool does where its name misleads: reader, probe, checker, runner, writer",
    )

    def kind_of(self, call: ToolCall) -> ToolKind:
        return self.tool_kinds.get(call.name) or name_kind(call.name)

    def failure_of(self, call: ToolCall) -> Failure | None:
        """Why `call` counts as failed; None when it went well, or when nothing recorded tells."""
        if call.status == "not_executed":
            return self._answered_in_its_place(call)
        kind = self.kind_of(call)
        value = _decoded(call.result) if call.result else None
        if kind == "runner" and self.failing_program and (how := failing_program(call, value)) is not None:
            return Failure("failing_program", how, is_program=True)
        if self.status and (call.status == "error" or call.error):
            return _reported(call)
        if call.result is None:
            return None
        if not call.result or call.result.isspace():
            return Failure("blank") if self.blank else None
        return self._by_users_rules(call.result) or self._by_result(call, value, kind)

    def _answered_in_its_place(self, call: ToolCall) -> Failure | None:
        """A call that a framework answered instead of the tool: that there is none, or that the arguments are wrong."""
        text = _text(_decoded(call.result)) if call.result else None
        if text is None or is_refusal_by_person(text):
            return None
        rule = self._allowed(read_failure(text, is_of_reader=False))
        return Failure(*rule) if rule else None

    def _by_users_rules(self, result: str) -> Failure | None:
        if any(pattern.search(result) for pattern in self.pattern):
            return Failure("pattern")
        return Failure("predicate") if self.predicate is not None and self.predicate(result) else None

    def _by_result(self, call: ToolCall, value: object, kind: ToolKind) -> Failure | None:
        if not isinstance(value, str):
            if kind == "reader" and _is_content(call) and not is_about_the_tool(call.result or ""):
                return None
            rules = [rule for rule in DATA_RULES if getattr(self, rule)]
            if (of_data := data_rule(value, kind=kind, rules=rules)) is not None:
                return Failure(*of_data)
        text = _text(value)
        if text is None or is_refusal_by_person(text):
            return None
        is_of_reader = kind not in {"writer", "reader"} or (kind == "reader" and brings_documents(call.name))
        found = self._allowed(read_failure(text, is_of_reader=is_of_reader))
        if found is None or (is_of_reader and found.rule != "unknown_tool" and _looks_for_errors(call)):
            return None
        if kind in {"checker", "runner"} and found.rule == "error_text" and not is_about_the_tool(text):
            return None
        return Failure(*found)

    def _allowed(self, failure: TextFailure | None) -> TextFailure | None:
        return failure if failure is not None and getattr(self, failure.rule) else None


def _reported(call: ToolCall) -> Failure | None:
    if any(text and is_refusal_by_person(text) for text in (call.error, call.result)):
        return None
    return Failure("status", error_name(call.error) or error_name(call.result))


_MOST: Final = 200_000
_MOST_OF_REPR: Final = 10_000
_LEVELS: Final = 4
_WRAPPERS: Final = (
    "result",
    "output",
    "response",
    "content",
    "text",
    "return_value",
    "value",
    "message",
    "detail",
    "body",
)
_REPR: Final = re.compile(r"\s*[\[{]\s*(?:'|\{\s*')")


def _decoded(result: str) -> object:
    """The result as data where it is JSON or the repr of a Python object, without envelopes that only hold it."""
    value: object = result
    for _ in range(_LEVELS):
        value = _unwrapped(_parsed(value)) if isinstance(value, str) else _unwrapped(value)
        if not isinstance(value, str) or not value.lstrip().startswith(("{", "[", '"')):
            break
    return value


def _parsed(text: str) -> object:
    begins = text.lstrip()[:1]
    if begins not in {"{", "[", '"'} or len(text) > _MOST:
        return text
    try:
        return orjson.loads(text)
    except ValueError:
        return _of_repr(text) if len(text) <= _MOST_OF_REPR and _REPR.match(text) else text


def _of_repr(text: str) -> object:
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _unwrapped(value: object) -> object:
    """What an envelope holds that says nothing itself: MCP content, `{"result": …}`."""
    if (
        isinstance(value, list)
        and value
        and all(isinstance(part, dict) and isinstance(part.get("text"), str) for part in value)
    ):
        return "\n".join(part["text"] for part in value)
    if isinstance(value, dict):
        if len(value) == 1 and (key := next(iter(value))) in _WRAPPERS and isinstance(value[key], (str, dict, list)):
            return value[key]
        if value.get("isError") is False and isinstance(value.get("content"), list):
            return _unwrapped(value["content"])
    return value


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


_FILE: Final = re.compile(r"\.(?:json|jsonl|ya?ml|log|txt|ndjson|har|out|md|html?|csv)\b", re.IGNORECASE)
_ERRORS: Final = re.compile(
    r"error|exception|fail|traceback|\blogs?\b|\.log\b|\.out\b|crash|fehler|erreur|エラー|错误|\b[45]\d\d\b",
    re.IGNORECASE,
)


def _is_content(call: ToolCall) -> bool:
    """Whether the reader was asked for a file, whose content may be anything."""
    return (
        any(isinstance(value, str) and _FILE.search(value) for value in (call.args or {}).values())
        or _FILE.search(command_of(call) or "") is not None
    )


def _looks_for_errors(call: ToolCall) -> bool:
    """Whether the call itself speaks of errors, so that an answer which does is what was looked for."""
    return any(isinstance(value, str) and _ERRORS.search(value) for value in (call.args or {}).values())
