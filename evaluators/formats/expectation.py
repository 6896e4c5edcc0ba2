"""The expectations of a run as people write them: the fields of a reference, each in any of its usual spellings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ..model import ExpectedCall, Message, ToolDefinition
from .openai import calls_in, messages
from .tool_calls import expected_calls
from .tool_definitions import tool_definitions

__all__ = ["FIELDS", "Expectation", "find_implied_calls"]


def _wrap_text(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _read_calls(value: Any) -> Any:
    """Read expected calls; a name alone stands for a call with any arguments."""
    calls = [{"name": call} if isinstance(call, str) else call for call in value] if isinstance(value, list) else value
    return expected_calls(calls, place="expected_tool_calls")


def _read_trajectory(value: Any) -> Any:
    """Read messages, in OpenAI's format or in ours, which is that of the GenAI conventions."""
    is_list = isinstance(value, (list, tuple))
    if is_list and all(isinstance(item, Message) or (isinstance(item, dict) and "parts" in item) for item in value):
        return value
    return messages(value)


Texts = Annotated[tuple[str, ...], BeforeValidator(_wrap_text)]


class Expectation(BaseModel):
    """The fields of a reference that a rule, an agent or a dataset may define. None = not defined."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    expected_tool_calls: Annotated[tuple[ExpectedCall, ...], BeforeValidator(_read_calls)] | None = None
    minimums: dict[str, Annotated[int | float, Field(ge=0, allow_inf_nan=False)]] | None = None
    expected_response: str | None = None
    expected_trajectory: Annotated[tuple[Message, ...], BeforeValidator(_read_trajectory)] | None = None
    tasks: Texts | None = None
    constraints: Texts | None = None
    tools: Annotated[tuple[ToolDefinition, ...], BeforeValidator(tool_definitions)] | None = None

    @property
    def defined(self) -> dict[str, Any]:
        """The fields that are not None."""
        return {name: value for name in Expectation.model_fields if (value := getattr(self, name)) is not None}


FIELDS: Final = tuple(Expectation.model_fields)


def find_implied_calls(trajectory: Sequence[Message]) -> tuple[ExpectedCall, ...]:
    """Return the calls in an expected trajectory, each with its arguments and result."""
    return tuple(ExpectedCall(name=call.name, args=call.args, result=call.result) for call in calls_in(trajectory))
