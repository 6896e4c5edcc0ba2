"""Did every call name an offered tool, with arguments that fit, as Dokimos counts it?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import Field

from ...checks.validity.one_level import one_level_faults
from ...checks.validity.schema import Unsafe, compiled
from ...definition.registry import Options, evaluator
from ...matching import is_comparable
from ...model import AgentTrace, JsonObject, Score, ToolCall, ToolDefinition
from ...text.messages import counted
from .refusal import NO_DEFINITIONS, nameless

__all__ = ["ToolCallValidity"]


class _Unknown(Exception):
    """The trace does not record whether a call is valid."""


@evaluator(
    "dokimos:tool_call_validity",
    version=1,
    source="Dokimos ToolCallValidityEvaluator (commit 7f0513f); without compat JSON Schema 2020-12",
    reads=("tool_calls", "tool_definitions", "reference.tools"),
    skipped_when="no tool definitions recorded; no call that could be checked",
)
class ToolCallValidity(Options):
    """Share of the calls that name an offered tool and fit its schema; 1 without calls.

    If no tools were offered, every call is invalid; of two definitions with one name the last counts. Names are
    case-sensitive. Dokimos checks only required, unexpected, type and enum at the top of a schema; here `compat` does
    that. A call whose arguments or schema were not recorded, or whose schema is not safe to apply, is left out.
    """

    strict_mode: bool = Field(default=False, description="parameters that the schema does not declare are faults")
    compat: bool = Field(
        default=False,
        description="check one level, like Dokimos: null has no type, 3.0 is not an integer, unions accept anything",
    )

    def __call__(self, trace: AgentTrace) -> Score:
        tools, calls = trace.tools_offered, trace.tool_calls
        if tools is None:
            return Score.skip(NO_DEFINITIONS)
        if refusal := nameless(calls) or nameless(tools):
            return Score.skip(refusal)
        if not calls:
            return Score(value=1, explanation="no tools were called", details={"validation_results": []})
        by_name = {tool.name: tool for tool in tools}
        return _score([self._validate_call(call, by_name) for call in calls])

    def _validate_call(self, call: ToolCall, tools: Mapping[str, ToolDefinition]) -> JsonObject:
        """Return the details of a call; `valid` is None if that is not known."""
        try:
            errors = self._errors(call, tools)
        except _Unknown as unknown:
            return {"tool_name": call.name, "valid": None, "errors": [], "reason": str(unknown)}
        return {"tool_name": call.name, "valid": not errors, "errors": list(errors)}

    def _errors(self, call: ToolCall, tools: Mapping[str, ToolDefinition]) -> Sequence[str]:
        tool = tools.get(call.name)
        if tool is None:
            return ("no such tool was offered",)
        if not is_comparable(call):
            raise _Unknown("its arguments were not recorded")
        if call.args is None:
            return ("the arguments are not a JSON object",)
        if tool.input_schema is None:
            raise _Unknown("the schema of the tool was not recorded")
        return self._faults(tool.input_schema, call.args)

    def _faults(self, schema: JsonObject, args: JsonObject) -> Sequence[str]:
        try:
            if self.compat:
                return one_level_faults(schema, args, strict=self.strict_mode)
            return compiled(schema, strict=self.strict_mode).faults(args)
        except Unsafe as refusal:
            raise _Unknown(f"its schema {refusal}") from refusal


def _score(results: list[JsonObject]) -> Score:
    checked = [result for result in results if result["valid"] is not None]
    if not checked:
        first = results[0]
        reason = f"no call could be checked: {first['tool_name']}: {first['reason']}"
        return Score.skip(reason, validation_results=results)
    invalid = [result for result in checked if not result["valid"]]
    return Score(
        value=(len(checked) - len(invalid)) / len(checked),
        explanation=_explanation(invalid, checked=len(checked), left_out=len(results) - len(checked)),
        details={"validation_results": results},
    )


def _explanation(invalid: Sequence[JsonObject], *, checked: int, left_out: int) -> str:
    unknown = f" ({left_out} could not be checked)" if left_out else ""
    if not invalid:
        return f"every call is valid{unknown}"
    first = f"{invalid[0]['tool_name']}: {invalid[0]['errors'][0]}"
    more = f" and {len(invalid) - 1} more" if invalid[1:] else ""
    return f"{len(invalid)} of {counted(checked, 'call')} invalid{unknown}: {first}{more}"
