"""Did the tools do their work, as Dokimos reads their results?"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, NoReturn

from pydantic import Field

from ...definition.function_path import ConfiguredFunction
from ...definition.registry import Options, evaluator
from ...model import AgentTrace, JsonObject, Score, ToolCall
from ...text.messages import counted, listed
from .java_text import is_blank
from .refusal import nameless

__all__ = ["ToolError"]

_JSON_SPACE: Final = " \t\n\r"


@evaluator(
    "dokimos:tool_error",
    version=1,
    source="Dokimos ToolErrorEvaluator (commit 879d52b)",
    reads=("tool_calls",),
    skipped_when="no result recorded",
)
class ToolError(Options):
    """Share of the tool calls that did not fail, by their results alone; 1 without calls.

    A blank result is a failure or, without `treat_blank_as_error`, a success. In JSON only the first value counts, and
    any `error` in it that is not null, even false or empty, is a failure. Text about an error, MCP's `isError` and
    errors on deeper levels do not count. A call that ended in an error and has no result counts as blank; a call whose
    result was not recorded is left out.
    """

    treat_blank_as_error: bool = Field(default=True, description="a blank result is a failure")
    detect_json_error_field: bool = Field(
        default=True, description="a JSON object with an `error` that is not null is a failure"
    )
    error_detector: ConfiguredFunction[Callable[[str], bool]] | None = Field(
        default=None, description="`module:function` that returns whether a result (its text, never blank) is a failure"
    )

    def __call__(self, trace: AgentTrace) -> Score:
        if refusal := nameless(trace.tool_calls):
            return Score.skip(refusal)
        results = [self._read_call(call) for call in trace.tool_calls]
        known_results = [result for result in results if result["errored"] is not None]
        if results and not known_results:
            return Score.skip("no result of a tool call was recorded", results=results)
        errored = [result["tool_name"] for result in known_results if result["errored"]]
        return Score(
            value=(len(known_results) - len(errored)) / len(known_results) if known_results else 1.0,
            explanation=_explanation(errored, known=len(known_results), left_out=len(results) - len(known_results)),
            details={"results": results},
        )

    def _read_call(self, call: ToolCall) -> JsonObject:
        """Return the details of a call; `errored` is None if its result was not recorded."""
        result = call.result
        if result is None and (call.status == "error" or call.error):
            result = ""
        if result is None:
            return {"tool_name": call.name, "errored": None, "reason": "the result was not recorded"}
        reason = self._fault(result)
        return {"tool_name": call.name, "errored": reason is not None, "reason": reason or ""}

    def _fault(self, result: str) -> str | None:
        if is_blank(result):
            return "blank" if self.treat_blank_as_error else None
        if self.error_detector is not None and self.error_detector(result):
            return "custom"
        return "json_error" if self.detect_json_error_field and _has_error(result) else None


def _explanation(errored: list[str], *, known: int, left_out: int) -> str:
    unknown = f" ({counted(left_out, 'result')} not recorded)" if left_out else ""
    if not errored:
        return f"no call failed{unknown}"
    return f"{len(errored)} of {counted(known, 'call')} failed{unknown}: {listed(list(dict.fromkeys(errored)))}"


def _has_error(result: str) -> bool:
    """Return whether the text begins with a JSON object whose `error` is not null; parsed only if there may be one."""
    text = result.lstrip(_JSON_SPACE)
    if not text.startswith("{") or not ('"error"' in text or "\\u" in text):
        return False
    try:
        content, _ = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):  # not JSON, or nested too deeply for the parser
        return False
    return content.get("error") is not None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _unread(number: str) -> str:
    """Return the number as text: its value does not matter, and reading a long one takes quadratic time."""
    return number


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse, parse_int=_unread, parse_float=_unread)
