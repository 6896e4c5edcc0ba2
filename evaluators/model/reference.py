"""References: what a run was expected to do."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

import orjson
from pydantic import Field

from .message import Message
from .tool import ToolDefinition
from .value import JsonObject, Value

__all__ = ["ArgumentMode", "ExpectedCall", "Reference", "ReferenceFault"]

ArgumentMode: TypeAlias = Literal["exact", "subset", "superset", "ignore"]


class ExpectedCall(Value):
    """An expected tool call. `args=None` accepts any arguments.

    `matcher` and `args_match` both say how the arguments are compared, but `subset` and `superset` mean the opposite in
    each: `subset` means in `matcher` that all expected arguments are there, in `args_match` that there are no others.
    """

    name: str = Field(min_length=1)
    args: JsonObject | None = None
    result: str | None = Field(default=None, description="the expected result of the tool; None = any")
    max_duration_ms: float | None = None
    matcher: ArgumentMode | None = Field(
        default=None, description="how the expected arguments relate to those of the call, as in Dokimos"
    )
    args_match: ArgumentMode | tuple[str, ...] | None = Field(
        default=None,
        description="how the arguments of the call relate to the expected ones, or the dotted paths that count, "
        "as in AgentV",
    )


class ReferenceFault(Value):
    """Part of a reference that cannot be read, and why. `field` is the field of the reference that was meant."""

    text: str
    field: str | None = Field(default=None, description="None: it may concern every field")


class Reference(Value):
    """What a run was expected to do. None = not specified; empty = nothing was expected."""

    expected_tool_calls: tuple[ExpectedCall, ...] | None = None
    minimums: Mapping[str, Annotated[int | float, Field(allow_inf_nan=False)]] | None = Field(
        default=None, description="the least number of calls of each tool; below 0 counts as 0, 1.5 as 2"
    )
    expected_response: str | None = None
    expected_trajectory: tuple[Message, ...] | None = None
    tasks: tuple[str, ...] | None = None
    constraints: tuple[str, ...] | None = None
    tools: tuple[ToolDefinition, ...] | None = None
    source: str | None = None
    sources: Mapping[str, str] = Field(default={}, description="where each field comes from, by field")
    hash: str | None = None
    faults: tuple[ReferenceFault, ...] = Field(default=(), description="the parts that cannot be read, and why")

    def hashed(self) -> Reference:
        """Return the reference with the `hash` of its content, which is independent of its sources."""
        content = self.model_dump(mode="json", exclude={"source", "sources", "hash"})
        digest = hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
        return self.model_copy(update={"hash": digest})
