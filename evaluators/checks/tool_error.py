"""Did the tools that the agent called do their work?"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any

import orjson
from pydantic import BeforeValidator, Field, ImportString

from ..model import AgentTrace, JsonObject, Score, ToolCall
from ..phrases import NO_CALLS, counted, listed
from ..registry import Options, evaluator

__all__ = ["ToolError"]


def _several(value: Any) -> Any:
    return (value,) if isinstance(value, (str, re.Pattern)) else value


@evaluator(
    "tool_error",
    version=1,
    source="Dokimos ToolErrorEvaluator; isError: MCP 2025-06-18 CallToolResult; status: OpenTelemetry span status",
    reads=("tool_calls",),
    skipped_when="no executed calls; no results recorded",
)
class ToolError(Options):
    """Share of the executed tool calls that did not fail.

    A call whose result was not recorded is judged by its status alone, and left out when that does not say error.
    Calls that were never executed are no failures of a tool.
    """

    status: bool = Field(default=True, description="a call that its span or framework reports as failed")
    blank: bool = Field(
        default=False,
        description="a recorded but blank result; off, since many tools return nothing when all went well",
    )
    json_error_field: bool = Field(default=True, description="a JSON object with a top-level `error` that is not null")
    mcp_is_error: bool = Field(default=True, description="a JSON object with `isError` or `is_error` true")
    success_false: bool = Field(default=True, description="a JSON object with `success` false")
    pattern: Annotated[tuple[re.Pattern[str], ...], BeforeValidator(_several)] = Field(
        default=(), description="regular expressions; a result in which one is found is an error"
    )
    predicate: ImportString[Callable[[str], bool]] | None = Field(
        default=None,
        description="`module:function` that says whether a result (its text) is an error; its path identifies it",
    )

    def __call__(self, trace: AgentTrace) -> Score:
        if not trace.tool_calls:
            return Score.skip(NO_CALLS)
        return _score([self._judged(position, call) for position, call in enumerate(trace.tool_calls)])

    def detected(self, call: ToolCall) -> str | None:
        """The detector that takes `call` for failed; None when it went well, or when nobody can tell."""
        if self.status and (call.status == "error" or call.error):
            return "status"
        if call.result is None:
            return None
        if not call.result or call.result.isspace():
            return "blank" if self.blank else None
        return self._in_text(call.result) or self._in_object(call.result)

    def _judged(self, position: int, call: ToolCall) -> JsonObject:
        if call.status == "not_executed":
            return {"position": position, "name": call.name, "status": "not_executed"}
        if detector := self.detected(call):
            return {"position": position, "name": call.name, "status": "error", "detector": detector}
        return {"position": position, "name": call.name, "status": "skipped" if call.result is None else "ok"}

    def _in_text(self, result: str) -> str | None:
        for pattern in self.pattern:
            if pattern.search(result):
                return "pattern"
        return "predicate" if self.predicate is not None and self.predicate(result) else None

    def _in_object(self, result: str) -> str | None:
        found = _object(result)
        if found is None:
            return None
        if self.json_error_field and found.get("error") is not None:
            return "json_error_field"
        if self.mcp_is_error and (found.get("isError") is True or found.get("is_error") is True):
            return "mcp_is_error"
        return "success_false" if self.success_false and found.get("success") is False else None


_OPENING = re.compile(r"\s*\{")


def _object(result: str) -> JsonObject | None:
    """The result as a JSON object, parsed only when it can hold a key that matters: results may be long."""
    tells = 'rror"' in result or "success" in result or ("\\" in result and "\\u" in result)
    if not tells or not _OPENING.match(result):
        return None
    try:
        found: JsonObject = orjson.loads(result)
    except ValueError:
        return None
    return found


def _score(calls: list[JsonObject]) -> Score:
    judged = [call for call in calls if call["status"] in {"ok", "error"}]
    if not judged:
        return Score.skip(_why_none(calls), calls=calls)
    failed = [call["name"] for call in judged if call["status"] == "error"]
    skipped = sum(call["status"] == "skipped" for call in calls)
    return Score(
        value=(len(judged) - len(failed)) / len(judged),
        explanation=_explanation(failed, judged=len(judged), skipped=skipped),
        details={"calls": calls, "judged": len(judged), "skipped": skipped},
    )


def _why_none(calls: list[JsonObject]) -> str:
    if any(call["status"] == "skipped" for call in calls):
        return "no result of a tool call was recorded"
    return "no tool call was executed"


def _explanation(failed: list[str], *, judged: int, skipped: int) -> str:
    left_out = f" ({counted(skipped, 'result')} not recorded)" if skipped else ""
    if not failed:
        return f"no call failed{left_out}"
    return f"{len(failed)} of {counted(judged, 'call')} failed{left_out}: {listed(list(dict.fromkeys(failed)))}"
