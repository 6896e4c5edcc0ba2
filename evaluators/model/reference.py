"""References: what a run was expected to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from .message import Message
from .tool import ToolDefinition
from .value import JsonObject, Value

__all__ = ["ArgumentMode", "ExpectedCall", "Reference", "ReferenceFault"]

ArgumentMode: TypeAlias = Literal["exact", "subset", "superset", "ignore"]


class ExpectedCall(Value):
    """A tool call that somebody expected. `args=None` accepts any arguments.

    `matcher` and `args_match` are two ways to say how the arguments of this call are compared, with the same words for
    the opposite: in `matcher` `subset` means that all that was expected is there, in `args_match` that nothing else is.
    """

    name: str = Field(min_length=1)
    args: JsonObject | None = None
    result: str | None = Field(default=None, description="what the tool is expected to give; None = anything")
    max_duration_ms: float | None = None
    matcher: ArgumentMode | None = Field(
        default=None, description="how the expected arguments stand to those of the call, as Dokimos has it"
    )
    args_match: ArgumentMode | tuple[str, ...] | None = Field(
        default=None,
        description="how the arguments of the call stand to the expected ones, or the dotted paths that count, "
        "as AgentV has it",
    )


class ReferenceFault(Value):
    """What somebody said of a run and what is wrong with it. `field` is the field of the reference that was meant."""

    text: str
    field: str | None = Field(default=None, description="None: it may concern every field")


class Reference(Value):
    """What somebody says the agent should have done. None = nobody said; empty = nothing was expected."""

    expected_tool_calls: tuple[ExpectedCall, ...] | None = None
    minimums: Mapping[str, Annotated[int | float, Field(allow_inf_nan=False)]] | None = Field(
        default=None, description="how often each tool is called at least; below 0 as good as 0, 1.5 as good as 2"
    )
    expected_response: str | None = None
    expected_trajectory: tuple[Message, ...] | None = None
    tasks: tuple[str, ...] | None = None
    constraints: tuple[str, ...] | None = None
    tools: tuple[ToolDefinition, ...] | None = None
    source: str | None = None
    sources: Mapping[str, str] = Field(default={}, description="who said it, by field")
    hash: str | None = None
    faults: tuple[ReferenceFault, ...] = Field(default=(), description="what was said that cannot be read, and why")
