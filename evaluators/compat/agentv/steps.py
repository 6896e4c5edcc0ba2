"""The steps of a run as AgentV sees them, and what its assertions `trajectory:*` say of them."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...model import JsonObject, ToolCall

__all__ = [
    "CountedSteps",
    "CountedTool",
    "ExpectedArgs",
    "NamedMatcher",
    "Step",
    "ToolsInOrder",
    "find_step",
    "is_named",
]

_SHELLS: Final = frozenset({"exec_command", "local_shell", "shell"})
_LINE_ENDS: Final = re.compile(r"[\n\r\u2028\u2029]")

StepType: TypeAlias = Literal["tool", "command"]


class Step(NamedTuple):
    """A call as AgentV sees it: a command if a shell was called, which has the names of command, program and tool."""

    type: StepType
    names: tuple[str, ...]
    call: ToolCall


class ToolMatcher(BaseModel):
    """A tool by its name, in which `*` and `?` stand for any characters and any one; upper or lower case."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str | None = Field(default=None, description="the name, with * and ?")
    pattern: str | None = Field(default=None, description="the same; it counts if both are given")
    type: tuple[StepType, ...] | None = Field(default=None, description="tool, command (of a shell), or both")

    @model_validator(mode="before")
    @classmethod
    def _read_name(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"pattern": value}
        if isinstance(value, dict) and isinstance(value.get("type"), str):
            return {**value, "type": [value["type"]]}
        return value

    @property
    def label(self) -> str:
        return self.pattern or self.name or "*"

    def accepts(self, step: Step) -> bool:
        if self.type is not None and step.type not in self.type:
            return False
        wanted = self.pattern or self.name
        return wanted is None or any(_matches(name, wanted) for name in step.names)


class NamedMatcher(ToolMatcher):
    """A matcher that has to name a tool."""

    @model_validator(mode="after")
    def _has_a_name(self) -> NamedMatcher:
        if not (self.pattern or self.name):
            raise ValueError("it names no tool; write its `name`, or a `pattern`")
        return self


class CountedTool(NamedMatcher):
    """A tool, and how often it has to be called."""

    min: int = Field(default=1, ge=0, description="the least number of calls")
    max: int | None = Field(default=None, ge=0, description="the largest number of calls")


class ToolsInOrder(BaseModel):
    """Tools in their order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: Literal["in_order", "exact"] = Field(default="in_order", description="in_order: others may be in between")
    steps: tuple[NamedMatcher, ...] = Field(min_length=1, description="the tools, by name or as {name, pattern, type}")


class ExpectedArgs(NamedMatcher):
    """A tool, and the arguments of one of its calls."""

    args: JsonObject = Field(description="the arguments that one call has")
    mode: Literal["partial", "exact"] = Field(default="partial", description="partial: a call may have more arguments")
    defaults: JsonObject = Field(default={}, description="arguments that do not count where they have this value")
    ignore: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        default=(), description="arguments that never count, with * and ?"
    )

    @model_validator(mode="before")
    @classmethod
    def _read_args(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        value = {"args": value["arguments"], **value} if "arguments" in value else value
        ignore = [value["ignore"]] if isinstance(value.get("ignore"), str) else value.get("ignore", ())
        return {key: each for key, each in {**value, "ignore": ignore}.items() if key != "arguments"}


class CountedSteps(ToolMatcher):
    """Which calls are counted, and how many there may be."""

    min: int | None = Field(default=None, ge=0, description="the least number of calls")
    max: int | None = Field(default=None, ge=0, description="the largest number of calls")

    @model_validator(mode="after")
    def _has_a_bound(self) -> CountedSteps:
        if self.min is None and self.max is None:
            raise ValueError("it has no limit; write `min` or `max`")
        return self


def find_step(call: ToolCall) -> Step:
    """Return the step that a call is."""
    command = _command(call.args or {}) if call.name.lower() in _SHELLS else None
    if command is None:
        return Step("tool", (call.name,), call)
    return Step("command", (command, call.name, command.split()[0]), call)


def _command(args: JsonObject) -> str | None:
    key = next((key for key in ("cmd", "command", "commands") if args.get(key) is not None), "")
    command = args.get(key)
    if isinstance(command, list):
        words = [str(word).strip() for word in command]
        command = ("; " if key == "commands" else " ").join(filter(None, words))
    return command.strip() or None if isinstance(command, str) else None


def _matches(name: str, pattern: str) -> bool:
    """Return whether a name fits a pattern, in which neither `*` nor `?` stands for the end of a line."""
    lines, wanted = (_LINE_ENDS.split(text.lower()) for text in (name, pattern))
    return len(lines) == len(wanted) and all(
        fnmatchcase(line, glob.replace("[", "[[]")) for line, glob in zip(lines, wanted, strict=True)
    )


def is_named(entry: str, key: str) -> bool:
    """Return whether an entry is the name of an argument, or a pattern that fits it."""
    return _matches(key, entry) if "*" in entry or "?" in entry else entry == key
