"""Did every tool call name a tool that was offered, with arguments that fit its schema?"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from pydantic import Field

from ..formats.openapi import as_json_schema
from ..model import AgentTrace, JsonObject, Score, ToolCall, ToolDefinition
from ..phrases import counted, listed
from ..registry import Options, evaluator
from .arguments import Checked, check, decoded
from .framework_tools import framework_role, has_ordinary_tools
from .offered import Offered, is_refused
from .one_level import one_level_faults
from .provider_tools import has_provider_id, is_provider_defined, is_provider_tool
from .readings import ArgumentRules
from .recorded import why_no_calls
from .schema import Unsafe, compiled
from .subschema import says_nothing
from .tool_error import ToolError

__all__ = ["ToolCallValidity"]

_TOOL_ERROR: Final = ToolError()
_UNRECORDED: Final = "the trace does not record which tools were offered"


@evaluator(
    "tool_call_validity",
    version=2,
    source="JSON Schema 2020-12 (https://json-schema.org/draft/2020-12); the score and depth=top: Dokimos",
    reads=("tool_calls", "tool_definitions", "reference.tools"),
    skipped_when="no calls; no tool definitions recorded; none of them with a usable schema",
)
class ToolCallValidity(Options):
    """Share of the tool calls that name an offered tool and fit its JSON Schema.

    A call is left out, with the reason, when its arguments or its tool's schema were not recorded, or when the schema
    is broken, unsafe to apply or says nothing. A declared empty list of parameters says something to a call without
    arguments: that call is valid. Of two definitions with one name the last counts. Where no definitions were recorded
    a call is invalid if its answer says that there is no tool of its name; others are left out.

    What is plainly meant is taken so, by the rules below. Each can be switched off, and is named in the explanation
    and in the `notes` of the call where it made a difference. A call has worked when it ran and no failure is known.
    """

    strict: bool = Field(
        default=False,
        description="parameters that the schema does not declare are faults, unless it says that it takes them",
    )
    depth: Literal["full", "top"] = Field(
        default="full",
        description="full: JSON Schema; top: required, type and enum of the parameters alone, as they were passed",
    )
    coercion: Literal["lossless", "none"] = Field(
        default="lossless",
        description="lossless: where the call worked a scalar may be written as another type ('5' for 5), "
        "and a time as ISO 8601 has it; none: types are strict",
    )
    null_is_absent: bool = Field(
        default=True,
        description="null for an optional parameter is absent; a required one that takes null or has a default may be",
    )
    encoded_twice: bool = Field(default=True, description="arguments that are JSON in a text are decoded")
    name_variants: bool = Field(
        default=True,
        description="a name with another spelling or namespace is that of the only offered tool that it fits",
    )
    provider_tools: bool = Field(default=True, description="tools that the provider runs or defines are left out")
    framework_tools: bool = Field(
        default=True, description="hand-offs, managed agents and final answers in the form of a call are left out"
    )
    silent_schemas: bool = Field(default=True, description="calls of tools whose schema says nothing are left out")

    def __call__(self, trace: AgentTrace) -> Score:
        if not trace.tool_calls:
            return Score.skip(why_no_calls(trace))
        if trace.tools_offered is None and not any(map(_is_told_unknown, trace.tool_calls)):
            return Score.skip(_UNRECORDED)
        offered = Offered(trace.tools_offered or ())
        return _score([self._checked(position, call, offered, trace) for position, call in enumerate(trace.tool_calls)])

    def _checked(self, position: int, call: ToolCall, offered: Offered, trace: AgentTrace) -> JsonObject:
        checked: JsonObject = {"position": position, "name": call.name, "status": "valid", "faults": []}
        try:
            faults, notes = self._judged(call, offered, trace)
        except _Unknown as unknown:
            return checked | {"status": "skipped", "reason": str(unknown)}
        except Unsafe as refusal:
            return checked | {"status": "skipped", "reason": f"its schema {refusal}"}
        noted = {"notes": list(notes)} if notes else {}
        return checked | noted | ({"status": "invalid", "faults": list(faults)} if faults else {})

    def _judged(self, call: ToolCall, offered: Offered, trace: AgentTrace) -> Checked:
        outcome = _outcome(call)
        if trace.tools_offered is None and not _is_told_unknown(call):
            raise _Unknown(_UNRECORDED)
        match = offered.match(
            call.name, variants=self.name_variants and not outcome.is_refused, worked=outcome.has_worked
        )
        if len(match.tools) > 1:
            raise _Unknown(f"it may be {listed([tool.name for tool in match.tools])}")
        if not match.tools:
            self._leave_out(call, outcome, trace)
            return Checked((f"no such tool was offered{offered.nearest(call.name)}",))
        [tool] = match.tools
        faults, notes = self._arguments(call, tool, outcome)
        named = () if match.is_exact else (f"name_variants: offered as {tool.name}",)
        return Checked(faults, (*named, *notes))

    def _leave_out(self, call: ToolCall, outcome: _Outcome, trace: AgentTrace) -> None:
        """Raises _Unknown where a tool that was not recorded as offered may have been all the same."""
        if call.child_agent_trace_id is not None:
            raise _Unknown("a sub-agent made it, with tools of its own")
        if self.provider_tools and (has_provider_id(call) or (is_provider_tool(call) and not outcome.is_refused)):
            raise _Unknown("the provider runs it")
        if self.provider_tools and is_provider_defined(call) and outcome.has_run:
            raise _Unknown("the provider defines it")
        if self.framework_tools and not outcome.has_failed and (role := framework_role(call, trace)):
            raise _Unknown(role)
        if self.framework_tools and outcome.has_worked and not has_ordinary_tools(trace.tools_offered or ()):
            raise _Unknown("only hand-offs were recorded as offered")

    def _arguments(self, call: ToolCall, tool: ToolDefinition, outcome: _Outcome) -> Checked:
        if call.args is None and call.args_text is None:
            raise _Unknown("its arguments were not recorded")
        args, notes = self._read(call)
        if args is None:
            return Checked(("the arguments are not a JSON object",))
        if tool.input_schema is None:
            raise _Unknown("the schema of the tool was not recorded")
        schema = as_json_schema(tool.input_schema)
        if self.silent_schemas and says_nothing(schema, strict=self.strict):
            if args or "properties" not in schema:
                raise _Unknown("its schema says nothing")
            return Checked((), notes)
        if self.depth == "top":
            return Checked(one_level_faults(tool.input_schema, args, strict=self.strict), notes)
        checked = check(compiled(schema, strict=self.strict), args, self._rules(outcome))
        return Checked(checked.faults, (*notes, *checked.notes))

    def _read(self, call: ToolCall) -> tuple[JsonObject | None, tuple[str, ...]]:
        """The arguments as an object, and what was made of them to get it."""
        if call.args is not None or not self.encoded_twice:
            return call.args, ()
        return decoded(call), ("encoded_twice: JSON in a text",) if (call.args_text or "").strip() else ()

    def _rules(self, outcome: _Outcome) -> ArgumentRules:
        return ArgumentRules(
            encoded_twice=self.encoded_twice,
            null_is_absent=self.null_is_absent,
            coercion=self.coercion == "lossless",
            worked=outcome.has_worked,
            failure=outcome.failure,
        )


class _Unknown(Exception):
    """What the trace does not tell."""


class _Outcome(NamedTuple):
    """What became of a call. `failure` is the text that it failed with, "" where it did not or left none."""

    has_run: bool
    has_failed: bool
    is_refused: bool
    failure: str

    @property
    def has_worked(self) -> bool:
        return self.has_run and not self.has_failed


def _is_told_unknown(call: ToolCall) -> bool:
    """Whether the answer to `call` says that there is no tool of its name."""
    return any(call.name in answer and is_refused(answer) for answer in (call.error, call.result) if answer)


def _outcome(call: ToolCall) -> _Outcome:
    has_failed = _TOOL_ERROR.detected(call) is not None
    answers = [answer for answer in (call.error, call.result) if answer]
    refused = any(map(is_refused, answers))
    return _Outcome(
        has_run=call.status != "not_executed" and not refused,
        has_failed=has_failed or refused,
        is_refused=refused,
        failure="\n".join(answers) if has_failed else "",
    )


def _score(calls: list[JsonObject]) -> Score:
    judged = [call for call in calls if call["status"] != "skipped"]
    skipped = [call for call in calls if call["status"] == "skipped"]
    if not judged:
        first = calls[0]
        return Score.skip(f"no call could be checked: {first['name']}: {first['reason']}", calls=calls)
    invalid = [call for call in judged if call["status"] == "invalid"]
    return Score(
        value=(len(judged) - len(invalid)) / len(judged),
        explanation=_explanation(judged, invalid, skipped),
        details={"calls": calls, "judged": len(judged), "skipped": len(skipped)},
    )


def _explanation(judged: list[JsonObject], invalid: list[JsonObject], skipped: list[JsonObject]) -> str:
    reasons = list(dict.fromkeys(call["reason"] for call in skipped))
    left_out = f" ({len(skipped)} not checked: {listed(reasons, most=2)})" if skipped else ""
    notes = [
        f"{call['name']}: {note}" for call in judged if call["status"] == "valid" for note in call.get("notes", ())
    ]
    noted = f"; {listed(list(dict.fromkeys(notes)), most=2)}" if notes else ""
    if not invalid:
        return f"every call is valid{left_out}{noted}"
    first = [f"{call['name']}: {call['faults'][0]}" for call in invalid]
    return f"{len(invalid)} of {counted(len(judged), 'call')} invalid{left_out}: {listed(first, most=1)}{noted}"
