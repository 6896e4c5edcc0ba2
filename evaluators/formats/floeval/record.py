"""The fields of a sample as it is written."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, Field, field_validator

from ...model import JsonObject

__all__ = ["Answer", "Call", "Record", "RecordedMessage", "RecordedRun", "Turn"]

_YEAR_10000_S: Final = 253_402_300_800


def _text_or_object(value: object) -> object:
    if not isinstance(value, (str, dict)):
        raise ValueError("expected text or an object")  # noqa: TRY004 - pydantic reports only ValueErrors
    return value


_TextOrObject: TypeAlias = Annotated[Any, AfterValidator(_text_or_object)]
_Seconds: TypeAlias = Annotated[float, Field(ge=0, lt=_YEAR_10000_S, allow_inf_nan=False)]


class Call(BaseModel):
    """A call that was made or is expected; `args` that are left out are empty. An id that is not text is ignored."""

    name: str = Field(min_length=1)
    args: JsonObject = Field(default_factory=dict)
    id: Any = None


class _TextMessage(BaseModel):
    role: Literal["human", "user", "system"]
    content: str = ""


class Turn(BaseModel):
    """A message of the agent, with its tool calls."""

    role: Literal["ai", "assistant"]
    content: str = ""
    tool_calls: list[Call] = Field(default_factory=list)


class Answer(BaseModel):
    """The result of a tool."""

    role: Literal["tool"]
    content: str = ""
    tool_name: str = ""
    tool_call_id: str | None = None


RecordedMessage: TypeAlias = _TextMessage | Turn | Answer


class RecordedRun(BaseModel):
    """The run of a sample."""

    messages: list[Annotated[RecordedMessage, Field(discriminator="role")]] = Field(min_length=1)
    final_response: str = ""
    agent_name: str | None = None
    start_time: _Seconds | None = None
    end_time: _Seconds | None = None
    total_tokens: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    metadata: JsonObject = Field(default_factory=dict)


class Record(BaseModel):
    """A sample. Without the key `trace` it is partial."""

    user_input: _TextOrObject
    reference_outcome: _TextOrObject | None = None
    reference_tool_calls: list[Call] | None = None
    trace: RecordedRun | None = None
    metadata: JsonObject = Field(default_factory=dict)

    @field_validator("trace", mode="before")
    @classmethod
    def _is_there(cls, trace: object) -> object:
        if trace is None:
            raise ValueError("null is not a trace; leave the key out of a partial sample")
        return trace
