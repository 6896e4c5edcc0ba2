"""A sample as it is written: what stands where, and what may be left out."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, Field, field_validator

from ...model import JsonObject

__all__ = ["Answer", "Call", "Record", "RecordedMessage", "RecordedRun", "Turn"]

_YEAR_10000_S: Final = 253_402_300_800


def _text_or_object(value: object) -> object:
    if not isinstance(value, (str, dict)):
        raise ValueError("text or an object is wanted")  # noqa: TRY004 - pydantic makes the message of a ValueError
    return value


_TextOrObject: TypeAlias = Annotated[Any, AfterValidator(_text_or_object)]
_Seconds: TypeAlias = Annotated[float, Field(ge=0, lt=_YEAR_10000_S, allow_inf_nan=False)]


class Call(BaseModel):
    """A call, made or expected; without arguments it has none. An id that is no text is passed over."""

    name: str = Field(min_length=1)
    args: JsonObject = Field(default_factory=dict)
    id: Any = None


class _TextMessage(BaseModel):
    role: Literal["human", "user", "system"]
    content: str = ""


class Turn(BaseModel):
    """What the agent says, and what it calls."""

    role: Literal["ai", "assistant"]
    content: str = ""
    tool_calls: list[Call] = Field(default_factory=list)


class Answer(BaseModel):
    """What a tool gives."""

    role: Literal["tool"]
    content: str = ""
    tool_name: str = ""
    tool_call_id: str | None = None


RecordedMessage: TypeAlias = _TextMessage | Turn | Answer


class RecordedRun(BaseModel):
    """What a sample tells of its run."""

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
    """A sample. Without the key `trace` it is a partial one."""

    user_input: _TextOrObject
    reference_outcome: _TextOrObject | None = None
    reference_tool_calls: list[Call] | None = None
    trace: RecordedRun | None = None
    metadata: JsonObject = Field(default_factory=dict)

    @field_validator("trace", mode="before")
    @classmethod
    def _is_there(cls, trace: object) -> object:
        if trace is None:
            raise ValueError("null is no trace; leave the key out of a partial sample")
        return trace
