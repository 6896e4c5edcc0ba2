"""Did every tool call name a tool that was offered, with arguments that fit its schema?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from pydantic import Field

from ..definition.recorded import why_no_tools
from ..definition.registry import Options, evaluator
from ..formats.openapi import as_json_schema
from ..model import AgentTrace, JsonObject, Score, ToolCall, ToolDefinition
from ..text.messages import NO_CALLS, counted, listed
from .provider_tools import has_provider_id, is_provider_defined, is_provider_tool
from .validity.arguments import Checked, Unrecorded, check, decoded, opens_json
from .validity.framework_tools import framework_role, has_ordinary_tools
from .validity.offered import Offered
from .validity.one_level import one_level_faults
from .validity.outcome import CallOutcome, is_rejected_as_unknown
from .validity.readings import ArgumentRules
from .validity.schema import Unsafe, compiled
from .validity.subschema import only_parameter, says_nothing

__all__ = ["ToolCallValidity"]

_SHORTEST_LIMIT: Final = 100  # characters of an attribute: a shorter one was not truncated
_NO_SCHEMA: Final = "the schema of the tool was not recorded, or is not a JSON object"


@evaluator(
    "tool_call_validity",
    version=2,
    source="JSON Schema 2020-12 (https://json-schema.org/draft/2020-12); the score and depth=top: Dokimos",
    reads=("tool_calls", "tool_definitions", "reference.tools"),
    skipped_when="no calls; no tool definitions recorded; none of them with a usable schema",
)
class ToolCallValidity(Options):
    """Share of the tool calls that name an offered tool and fit its JSON Schema.

    A call is left out, with the reason, if its arguments or its tool's schema were not recorded, or if the schema is
    broken, unsafe to apply or accepts anything. With a declared empty list of parameters, a call without arguments is
    valid. Of two definitions with one name the last counts. If no definitions were recorded, a call is invalid if its
    result says that there is no tool of its name; others are left out.

    Obvious variants of names and values are accepted by the rules below. Each can be switched off, and is named in the
    explanation and in the `notes` of the call if it made a difference. A call has worked if it ran and no failure is
    known.
    """

    strict: bool = Field(
        default=False,
        description="parameters that the schema does not declare are faults, unless it allows them explicitly",
    )
    depth: Literal["full", "top"] = Field(
        default="full",
        description="full: JSON Schema; top: only required, type and enum of the parameters, as they were passed",
    )
    coercion: Literal["lossless", "none"] = Field(
        default="lossless",
        description="lossless: if the call worked, a scalar may be written as another type ('5' for 5), "
        "and a time as in ISO 8601; none: types are strict",
    )
    null_is_absent: bool = Field(
        default=True,
        description="null for an optional parameter is absent; a required one that allows null or has a default may be",
    )
    encoded_twice: bool = Field(
        default=True, description="arguments that are JSON within text are decoded, unless the tool refused them"
    )
    name_variants: bool = Field(
        default=True,
        description="a name with another spelling or namespace means the only offered tool that it fits",
    )
    provider_tools: bool = Field(default=True, description="tools that the provider runs or defines are left out")
    framework_tools: bool = Field(
        default=True, description="hand-offs, managed agents and final answers in the form of a call are left out"
    )
    silent_schemas: bool = Field(default=True, description="calls of tools whose schema accepts anything are left out")

    def __call__(self, trace: AgentTrace) -> Score:
        if not trace.tool_calls:
            return Score.skip(NO_CALLS)
        if trace.tools_offered is None and not any(map(is_rejected_as_unknown, trace.tool_calls)):
            return Score.skip(why_no_tools(trace))
        offered = Offered(trace.tools_offered or ())
        return _score([self._checked(position, call, offered, trace) for position, call in enumerate(trace.tool_calls)])

    def _checked(self, position: int, call: ToolCall, offered: Offered, trace: AgentTrace) -> JsonObject:
        checked: JsonObject = {"position": position, "name": call.name, "status": "valid", "faults": []}
        try:
            faults, notes = self._check_call(call, offered, trace)
        except Unrecorded as unknown:
            return checked | {"status": "skipped", "reason": str(unknown)}
        except Unsafe as refusal:
            return checked | {"status": "skipped", "reason": f"its schema {refusal}"}
        noted = {"notes": list(notes)} if notes else {}
        return checked | noted | ({"status": "invalid", "faults": list(faults)} if faults else {})

    def _check_call(self, call: ToolCall, offered: Offered, trace: AgentTrace) -> Checked:
        outcome = CallOutcome(call)
        if trace.tools_offered is None and not is_rejected_as_unknown(call):
            raise Unrecorded(why_no_tools(trace))
        match = offered.exact(call.name) or offered.match(
            call.name, variants=self.name_variants and not outcome.is_refused, worked=outcome.has_worked
        )
        if len(match.tools) > 1:
            raise Unrecorded(f"it may be {listed([tool.name for tool in match.tools])}")
        if not match.tools:
            self._leave_out(call, outcome, trace)
            return Checked((f"no such tool was offered{offered.nearest(call.name)}",))
        [tool] = match.tools
        faults, notes = self._arguments(call, tool, outcome, trace.gaps)
        renamings = () if match.is_exact else (f"name_variants: offered as {tool.name}",)
        return Checked(faults, (*renamings, *notes))

    def _leave_out(self, call: ToolCall, outcome: CallOutcome, trace: AgentTrace) -> None:
        """Raise Unrecorded if a tool that was not recorded as offered may have been offered."""
        if call.child_agent_trace_id is not None:
            raise Unrecorded("a sub-agent made it, with tools of its own")
        if self.provider_tools and (has_provider_id(call) or (is_provider_tool(call) and not outcome.is_refused)):
            raise Unrecorded("the provider runs it")
        if self.provider_tools and is_provider_defined(call) and outcome.has_run:
            raise Unrecorded("the provider defines it")
        if self.framework_tools and not outcome.has_failed and (role := framework_role(call, trace)):
            raise Unrecorded(role)
        if self.framework_tools and outcome.has_worked and not has_ordinary_tools(trace.tools_offered or ()):
            raise Unrecorded("only hand-offs were recorded as offered")

    def _arguments(self, call: ToolCall, tool: ToolDefinition, outcome: CallOutcome, gaps: Sequence[str]) -> Checked:
        schema = None if tool.input_schema is None else as_json_schema(tool.input_schema)
        args, notes = self._read(call, schema, outcome)
        if args is None:
            return Checked(_faults_of_text(call, schema, gaps))
        if schema is None or tool.input_schema is None:
            raise Unrecorded(_NO_SCHEMA)
        if self.silent_schemas and says_nothing(schema, strict=self.strict):
            if args or "properties" not in schema:
                raise Unrecorded("its schema says nothing")
            return Checked((), notes)
        if self.depth == "top":
            return Checked(one_level_faults(tool.input_schema, args, strict=self.strict), notes)
        checked = check(compiled(schema, strict=self.strict), args, lambda: self._rules(outcome))
        return Checked(checked.faults, (*notes, *checked.notes))

    def _read(
        self, call: ToolCall, schema: JsonObject | None, outcome: CallOutcome
    ) -> tuple[JsonObject | None, tuple[str, ...]]:
        """Return the arguments as an object, None if they are not one, and notes of the rules that were applied."""
        if call.args is not None or call.args_text is None:
            return call.args, ()
        if self.encoded_twice and (args := decoded(call.args_text)) is not None:
            return args, ("encoded_twice: JSON in a text",) if call.args_text.strip() else ()
        name = only_parameter(schema) if self.coercion == "lossless" and outcome.has_worked else None
        if name is None or opens_json(call.args_text):
            return None, ()
        return {name: call.args_text}, (f"coercion: {name}: a text for the only parameter",)

    def _rules(self, outcome: CallOutcome) -> ArgumentRules:
        return ArgumentRules(
            encoded_twice=self.encoded_twice,
            null_is_absent=self.null_is_absent,
            coercion=self.coercion == "lossless",
            worked=outcome.has_worked,
            failure=outcome.failure,
        )


def _faults_of_text(call: ToolCall, schema: JsonObject | None, gaps: Sequence[str]) -> tuple[str, ...]:
    """Return the faults of arguments that are not an object.

    Raises Unrecorded if the recording may be the cause, or if the schema was not recorded.
    """
    text = call.args_text
    if text is None:
        raise Unrecorded("its arguments were not recorded")
    if "truncated" in gaps and len(text) >= _SHORTEST_LIMIT:
        raise Unrecorded("its arguments were cut off")
    if schema is None and not opens_json(text):
        raise Unrecorded(_NO_SCHEMA)
    return ("the arguments are not a JSON object",)


def _score(calls: list[JsonObject]) -> Score:
    checked = [call for call in calls if call["status"] != "skipped"]
    skipped = [call for call in calls if call["status"] == "skipped"]
    if not checked:
        reasons = dict.fromkeys(f"{call['name']}: {call['reason']}" for call in skipped)
        return Score.skip(f"no call could be checked: {listed(list(reasons), most=2)}", calls=calls)
    invalid = [call for call in checked if call["status"] == "invalid"]
    return Score(
        value=(len(checked) - len(invalid)) / len(checked),
        explanation=_explanation(checked, invalid, skipped),
        details={"calls": calls, "judged": len(checked), "skipped": len(skipped)},
    )


def _explanation(checked: list[JsonObject], invalid: list[JsonObject], skipped: list[JsonObject]) -> str:
    reasons = list(dict.fromkeys(call["reason"] for call in skipped))
    left_out = f" ({len(skipped)} not checked: {listed(reasons, most=2)})" if skipped else ""
    notes = [
        f"{call['name']}: {note}" for call in checked if call["status"] == "valid" for note in call.get("notes", ())
    ]
    noted = f"; {listed(list(dict.fromkeys(notes)), most=2)}" if notes else ""
    if not invalid:
        return f"every call is valid{left_out}{noted}"
    first = [f"{call['name']}: {call['faults'][0]}" for call in invalid]
    return f"{len(invalid)} of {counted(len(checked), 'call')} invalid{left_out}: {listed(first, most=1)}{noted}"
