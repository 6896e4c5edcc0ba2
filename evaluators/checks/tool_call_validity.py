"""Did every tool call name a tool that was offered, with arguments that fit its schema?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from ..model import AgentTrace, JsonObject, Score, ToolCall, ToolDefinition
from ..phrases import NO_CALLS, counted, listed
from ..registry import Options, evaluator
from .one_level import one_level_faults
from .schema import Unsafe, compiled

__all__ = ["ToolCallValidity"]


@evaluator(
    "tool_call_validity",
    version=1,
    source="JSON Schema 2020-12 (https://json-schema.org/draft/2020-12); the score and depth=top: Dokimos",
    reads=("tool_calls", "tool_definitions", "reference.tools"),
    skipped_when="no calls; no tool definitions recorded; none of them with a usable schema",
)
class ToolCallValidity(Options):
    """Share of the tool calls that name an offered tool and fit its JSON Schema.

    A call is left out, with the reason, when its arguments or its tool's schema were not recorded, or when the schema
    is broken or unsafe to apply. Of two definitions with one name the last counts.
    """

    strict: bool = Field(
        default=False,
        description="parameters that the schema does not declare are faults, unless it says that it takes them",
    )
    depth: Literal["full", "top"] = Field(
        default="full", description="full: JSON Schema; top: required, type and enum of the parameters alone"
    )

    def __call__(self, trace: AgentTrace) -> Score:
        if not trace.tool_calls:
            return Score.skip(NO_CALLS)
        if trace.tools_offered is None:
            return Score.skip("the trace does not record which tools were offered")
        offered = {tool.name: tool for tool in trace.tools_offered}
        return _score([self._judged(position, call, offered) for position, call in enumerate(trace.tool_calls)])

    def _judged(self, position: int, call: ToolCall, offered: Mapping[str, ToolDefinition]) -> JsonObject:
        judged: JsonObject = {"position": position, "name": call.name, "status": "valid", "faults": []}
        try:
            faults = self._faults(call, offered)
        except _Unknown as unknown:
            return judged | {"status": "skipped", "reason": str(unknown)}
        except Unsafe as refusal:
            return judged | {"status": "skipped", "reason": f"its schema {refusal}"}
        return judged | {"status": "invalid", "faults": list(faults)} if faults else judged

    def _faults(self, call: ToolCall, offered: Mapping[str, ToolDefinition]) -> tuple[str, ...]:
        definition = offered.get(call.name)
        if definition is None:
            return ("no such tool was offered",)
        if call.args is None and call.args_text is None:
            raise _Unknown("its arguments were not recorded")
        if call.args is None:
            return ("the arguments are not a JSON object",)
        if definition.input_schema is None:
            raise _Unknown("the schema of the tool was not recorded")
        if self.depth == "top":
            return one_level_faults(definition.input_schema, call.args, strict=self.strict)
        return compiled(definition.input_schema, strict=self.strict).faults(call.args)


class _Unknown(Exception):
    """What the trace does not tell."""


def _score(calls: list[JsonObject]) -> Score:
    judged = [call for call in calls if call["status"] != "skipped"]
    if not judged:
        first = calls[0]
        return Score.skip(f"no call could be checked: {first['name']}: {first['reason']}", calls=calls)
    invalid = [call for call in judged if call["status"] == "invalid"]
    return Score(
        value=(len(judged) - len(invalid)) / len(judged),
        explanation=_explanation(invalid, judged=len(judged), skipped=len(calls) - len(judged)),
        details={"calls": calls, "judged": len(judged), "skipped": len(calls) - len(judged)},
    )


def _explanation(invalid: list[JsonObject], *, judged: int, skipped: int) -> str:
    left_out = f" ({skipped} could not be checked)" if skipped else ""
    if not invalid:
        return f"every call is valid{left_out}"
    first = [f"{call['name']}: {call['faults'][0]}" for call in invalid]
    return f"{len(invalid)} of {counted(judged, 'call')} invalid{left_out}: {listed(first, most=1)}"
