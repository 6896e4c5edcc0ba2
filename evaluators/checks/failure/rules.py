"""Decides whether a tool call failed, by rules that have names and can be switched off."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field

from ...definition.function_path import ConfiguredFunction
from ...definition.registry import Options
from ...model import ToolCall
from .data import DATA_RULES, data_rule
from .fields import Source, read_fields
from .markup import read_xml
from .program import failing_program, is_about_the_shell, went_well
from .request import asks_for_errors, asks_for_file
from .result import decode_result
from .sentence import read_sentence
from .shipped import read_patterns
from .text import (
    TextFailure,
    error_name,
    is_about_access,
    is_about_the_tool,
    is_declining,
    is_refusal_by_person,
    read_failure,
)
from .tool_kind import ToolKind, brings_documents, is_agent, name_kind, reads_logs, runs_work

__all__ = ["Failure", "FailureRules"]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call counts as failed: the rule, and the name or number of the error if it has one, never its message.

    `is_program`: the tool itself did its work, and reports that a program failed.
    """

    rule: str
    name: str | None = None
    is_program: bool = False

    def __str__(self) -> str:
        return f"{self.name or 'error'} ({self.rule})"


_MOST_PATTERNS: Final = 50
_LONGEST_PATTERN: Final = 2_000


def _several(value: Any) -> Any:
    """Return one expression as several. Raises ValueError, before any is compiled, if they are too many or too long."""
    patterns = (value,) if isinstance(value, (str, re.Pattern)) else value
    if not isinstance(patterns, (list, tuple)):
        return patterns
    if len(patterns) > _MOST_PATTERNS:
        raise ValueError(f"it has {len(patterns)} expressions; write {_MOST_PATTERNS} at most")
    texts = [getattr(pattern, "pattern", pattern) for pattern in patterns]
    if (longest := max((len(text) for text in texts if isinstance(text, str)), default=0)) > _LONGEST_PATTERN:
        raise ValueError(f"an expression has {longest:,} characters; write {_LONGEST_PATTERN:,} at most")
    return patterns


class FailureRules(Options):
    """The rules by which a tool call counts as failed. Each has a name, which is its option."""

    status: bool = Field(default=True, description="its span or framework reports the call as failed")
    blank: bool = Field(default=False, description="a blank result; off, since many tools return nothing on success")
    error_field: bool = Field(
        default=True,
        description="JSON or XML with an `error`, a fault or an error code that is not false, null, empty or 0",
    )
    mcp_is_error: bool = Field(default=True, description="JSON with `isError` or `is_error` true")
    success_false: bool = Field(default=True, description="JSON with `success` or `ok` false")
    status_field: bool = Field(
        default=True, description="JSON with the `status` error or failed, or rejected with only a message"
    )
    errors_field: bool = Field(
        default=True, description="JSON with `errors` that are not empty, or an `issue` that is severe, and no `data`"
    )
    error_list: bool = Field(default=True, description="a JSON list of nothing but errors")
    http_status: bool = Field(default=True, description="JSON with an HTTP status of 400 or more")
    grpc_status: bool = Field(default=True, description="JSON or text with a gRPC status other than OK")
    http_text: bool = Field(default=True, description="a result that begins like `HTTP 503 …`")
    exception_text: bool = Field(default=True, description="a result that is an exception or a traceback")
    error_text: bool = Field(default=True, description="a result that is an error message, in the languages of users")
    unknown_tool: bool = Field(default=True, description="a result that says that there is no such tool")
    job_failed: bool = Field(
        default=True, description="a poll that says that a job failed which an earlier call of the run started"
    )
    failing_program: bool = Field(
        default=True,
        description="a shell or test runner whose program failed did its work: that fails only at the end of a run",
    )
    pattern: Annotated[tuple[re.Pattern[str], ...], BeforeValidator(_several)] = Field(
        default=(), description="regular expressions; a result in which one is found is an error"
    )
    predicate: ConfiguredFunction[Callable[[str], bool]] | None = Field(
        default=None,
        description="`module:function` that says whether a result (its text) is an error; its path identifies it",
    )
    tool_kinds: Mapping[str, ToolKind] = Field(
        default_factory=dict,
        description="the kind of a tool whose name misleads: reader, probe, checker, runner, writer",
    )

    def kind_of(self, call: ToolCall) -> ToolKind:
        return self.tool_kinds.get(call.name) or name_kind(call.name)

    def failure_of(self, call: ToolCall) -> Failure | None:
        """Return why `call` counts as failed; None if it succeeded, or if its outcome was not recorded."""
        if call.status == "not_executed":
            return self._refusal_of_framework(call)
        kind = self.kind_of(call)
        value = decode_result(call.result) if call.result else None
        if kind == "runner" and self.failing_program and (how := failing_program(call, value)) is not None:
            return Failure("failing_program", how, is_program=True)
        if self.status and (call.status == "error" or call.error):
            return _reported(call)
        if call.result is None:
            return None
        if not call.result or call.result.isspace():
            return Failure("blank") if self.blank else None
        return self._by_users_rules(call.result) or self._by_result(call, value, kind)

    def _refusal_of_framework(self, call: ToolCall) -> Failure | None:
        """Return the failure of a call that a framework answered instead of the tool: because there is no such tool, or
        because the arguments are wrong. None if it did not."""
        text = decode_result(call.result) if call.result else None
        if not isinstance(text, str) or is_refusal_by_person(text):
            return None
        rule = self._allowed(read_failure(text, is_of_reader=False))
        return Failure(*rule) if rule else None

    def _by_users_rules(self, result: str) -> Failure | None:
        if any(pattern.search(result) for pattern in self.pattern):
            return Failure("pattern")
        return Failure("predicate") if self.predicate is not None and self.predicate(result) else None

    def _by_result(self, call: ToolCall, value: object, kind: ToolKind) -> Failure | None:
        failure = self._by_any_result(call, value, kind)
        if failure is None or kind != "runner" or failure.rule in {"mcp_is_error", "unknown_tool"}:
            return failure
        if not self.failing_program or is_about_the_shell(call.result or ""):
            return failure
        if isinstance(value, str) and went_well(call):
            return None
        return Failure("failing_program", failure.name or "error output", is_program=True)

    def _by_any_result(self, call: ToolCall, value: object, kind: ToolKind) -> Failure | None:
        if not isinstance(value, str):
            return self._by_data(call, value, kind)
        failure = self._by_text(call, value, kind)
        is_of_others = kind == "checker" or (kind == "reader" and brings_documents(call.name))
        if failure is None and value.startswith("<") and not is_of_others:
            failure = self._by_data(call, read_xml(value), kind)
        return failure

    def _by_data(self, call: ToolCall, value: object, kind: ToolKind) -> Failure | None:
        if kind == "reader" and asks_for_file(call) and not is_about_the_tool(call.result or ""):
            return None
        if reads_logs(call.name, kind) and _is_log_entry(value):
            return None
        source = Source(kind, brings_documents(call.name), runs_work(call.name, kind))
        failure = data_rule(value, source, self._data_rules)
        if failure is None or (kind == "reader" and failure[0] == "error_list" and asks_for_errors(call)):
            return None
        return Failure(*failure)

    @cached_property
    def _data_rules(self) -> Sequence[str]:
        return [rule for rule in DATA_RULES if getattr(self, rule)]

    def _by_text(self, call: ToolCall, text: str, kind: ToolKind) -> Failure | None:
        if is_refusal_by_person(text) or is_declining(text, is_of_agent=is_agent(call.name)):
            return None
        is_of_reader = kind != "writer" and (kind != "reader" or brings_documents(call.name))
        failure = read_failure(text, is_of_reader=is_of_reader) or (None if is_of_reader else read_sentence(text))
        failure = self._allowed(failure)
        if failure is None or (is_of_reader and failure.rule != "unknown_tool" and asks_for_errors(call)):
            return None
        if reads_logs(call.name, kind) and _is_of_log(failure, text):
            return None
        if kind == "checker" and failure.rule == "error_text" and not is_about_the_tool(text):
            return None
        if kind == "reader" and is_of_reader and failure.rule == "error_text" and not is_about_access(text):
            return None
        return Failure(*failure)

    def _allowed(self, failure: TextFailure | None) -> TextFailure | None:
        return failure if failure is not None and getattr(self, failure.rule) else None


def _reported(call: ToolCall) -> Failure | None:
    if any(text and is_refusal_by_person(text) for text in (call.error, call.result)):
        return None
    return Failure("status", error_name(call.error) or error_name(call.result))


_OWN_RULES: Final = frozenset({"http_text", "grpc_status", "unknown_tool"})
_LEVELS: Final = frozenset({"level", "lvl", "loglevel", "levelname", "severity", "logger", "loggername", "caller"})
_BEGINNING: Final = 400


def _is_of_log(failure: TextFailure, text: str) -> bool:
    """Return whether an error message is content of the log that was asked for: the log could be read."""
    if failure.rule in _OWN_RULES:
        return False
    return read_patterns(__package__, "log_not_read.txt").search(text.strip()[:_BEGINNING]) is None


def _is_log_entry(value: object) -> bool:
    """Return whether the data is one entry of a log: it has a level or a logger."""
    return isinstance(value, Mapping) and not _LEVELS.isdisjoint(read_fields(dict(value)))
