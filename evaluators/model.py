"""What an agent did, and what was said about it: the vocabulary that everything else is written in.

Values are frozen. `None` means *not recorded*; an empty tuple or string means *recorded, and empty*.
Names follow the OpenTelemetry GenAI semantic conventions
(https://github.com/open-telemetry/semantic-conventions-genai).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from .text.json_text import json_text

__all__ = [
    "AgentTrace",
    "ArgumentMode",
    "CallStatus",
    "Completeness",
    "ExpectedCall",
    "GenericPart",
    "JsonObject",
    "LlmCall",
    "Message",
    "MessagePart",
    "ReasoningPart",
    "Reference",
    "ReferenceFault",
    "Score",
    "ScoreStatus",
    "TestCase",
    "TextPart",
    "ToolCall",
    "ToolCallPart",
    "ToolCallResponsePart",
    "ToolDefinition",
]

JsonObject: TypeAlias = dict[str, Any]
ArgumentMode: TypeAlias = Literal["exact", "subset", "superset", "ignore"]
CallStatus: TypeAlias = Literal["ok", "error", "not_executed"]
CallSource: TypeAlias = Literal["span", "message", "both"]
Completeness: TypeAlias = Literal["complete", "partial"]
ScoreStatus: TypeAlias = Literal["scored", "skipped", "error"]

T = TypeVar("T")


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolCall(_Value):
    """One tool call of an agent: what was asked for, and what came back."""

    name: str = Field(min_length=1)
    id: str | None = None
    args: JsonObject | None = Field(default=None, description="arguments by name; None = not recorded")
    args_text: str | None = Field(default=None, description="the arguments as received when they are no JSON object")
    result: str | None = Field(default=None, description="verbatim; None = not recorded")
    error: str | None = None
    status: CallStatus | None = Field(default="ok", description="None: nothing recorded says whether it ran")
    started_at: datetime | None = None
    duration_ms: float | None = Field(default=None, description="None when recovered from messages: never guessed")
    span_id: str | None = None
    source: CallSource = "span"
    agent_name: str | None = None
    child_agent_trace_id: str | None = Field(default=None, description="the run of the sub-agent that made the call")
    is_foreign: bool = Field(default=False, description="another service wrote it into the run, unasked by the model")
    metadata: JsonObject = Field(default_factory=dict, description="what else its span says, by attribute key")

    @classmethod
    def of(cls, name: str, /, **args: Any) -> ToolCall:
        """A call made by hand: `ToolCall.of("search", q="x")`."""
        return cls(name=name, args=args)

    @staticmethod
    def result_json(value: object) -> str:
        """`value` as a result is stored: one line of JSON; None becomes `null`.

        Takes what Python tools return, also pydantic models, dataclasses, decimals, times, sets and large integers.
        Raises ValueError for what JSON has no word for, such as NaN.
        """
        return json_text(value)

    def result_as(self, type_: type[T]) -> T | None:
        """The result as `type_` (any type that pydantic reads); None when it is absent, blank or JSON null.

        Raises pydantic.ValidationError when the text is not `type_` in JSON.
        """
        if self.result is None or not self.result.strip() or self.result.strip() == "null":
            return None
        return TypeAdapter(type_).validate_json(self.result)

    def args_as(self, type_: type[T]) -> T | None:
        """The arguments as `type_`; None when they are not recorded. Raises pydantic.ValidationError."""
        return None if self.args is None else TypeAdapter(type_).validate_python(self.args)


class ToolDefinition(_Value):
    """A tool as it was offered to the model."""

    name: str = Field(min_length=1)
    description: str | None = None
    input_schema: JsonObject | None = Field(default=None, description="JSON Schema; None = not recorded")

    @property
    def hash(self) -> str:
        """The same for the same name, description and schema, whatever the order of its keys."""
        fields = [self.name, self.description, self.input_schema]
        content = orjson.dumps(fields, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
        return hashlib.sha256(content).hexdigest()[:32]


class TextPart(_Value):
    type: Literal["text"] = "text"
    content: str


class ReasoningPart(_Value):
    type: Literal["reasoning"] = "reasoning"
    content: str


class ToolCallPart(_Value):
    """The model asks for a tool. `arguments` is an object, or the text the model wrote when it is none."""

    type: Literal["tool_call"] = "tool_call"
    id: str | None = None
    name: str
    arguments: JsonObject | str | None = None


class ToolCallResponsePart(_Value):
    """What a tool answered, as it was put before the model."""

    type: Literal["tool_call_response"] = "tool_call_response"
    id: str | None = None
    name: str | None = None
    response: str | None = None
    is_error: bool = False


class GenericPart(_Value):
    """Anything else that a convention or vendor defines: images, files, server tools, compaction."""

    type: Literal["generic"] = "generic"
    kind: str
    content: JsonObject = Field(default_factory=dict)


MessagePart: TypeAlias = Annotated[
    TextPart | ReasoningPart | ToolCallPart | ToolCallResponsePart | GenericPart, Field(discriminator="type")
]


class Message(_Value):
    """One message of the conversation with the model."""

    role: str
    parts: tuple[MessagePart, ...] = ()
    name: str | None = None
    span_id: str | None = None
    time: datetime | None = None

    @property
    def text(self) -> str | None:
        """The text parts, one under the other; None when there is none."""
        texts = [part.content for part in self.parts if isinstance(part, TextPart)]
        return "\n".join(texts) if texts else None

    @property
    def tool_calls(self) -> tuple[ToolCallPart, ...]:
        return tuple(part for part in self.parts if isinstance(part, ToolCallPart))


class LlmCall(_Value):
    """One call of a model."""

    span_id: str | None = None
    provider_name: str | None = None
    model: str | None = Field(
        default=None, description="the model that answered, else the one asked for, without provider and date"
    )
    request_model: str | None = None
    response_model: str | None = None
    response_id: str | None = None
    previous_response_id: str | None = Field(default=None, description="the response that the request continues")
    finish_reasons: tuple[str, ...] | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None
    audio_input_tokens: int | None = None
    reasoning_tokens: int | None = None
    audio_output_tokens: int | None = None
    cost_usd: float | None = Field(default=None, description="as recorded, else computed from the tokens")
    started_at: datetime | None = None
    duration_ms: float | None = None
    time_to_first_token_ms: float | None = None
    is_retry: bool = False
    error: str | None = None


class ExpectedCall(_Value):
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


class ReferenceFault(_Value):
    """What somebody said of a run and what is wrong with it. `field` is the field of the reference that was meant."""

    text: str
    field: str | None = Field(default=None, description="None: it may concern every field")


class Reference(_Value):
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


class AgentTrace(_Value):
    """One run of one agent. The only thing an evaluator sees.

    `agent_trace_id` is `<trace_id>-<span_id of the agent span>`; all three ids are empty for a run made by hand.
    `tool_calls` has also what sub-agents called, with `child_agent_trace_id`, and what other services wrote into the
    run, with `is_foreign`; `trajectory` does without.
    Tokens and cost are its own; those that begin with `total_` include its sub-agents, as far as they are known.
    """

    agent_trace_id: str = ""
    trace_id: str = ""
    agent_span_id: str = ""
    parent_agent_trace_id: str | None = None
    agent_name: str | None = None
    agent_id: str | None = None
    agent_version: str | None = None
    service_name: str | None = None
    service_version: str | None = None
    environment: str | None = None
    session_id: str | None = None
    user_id: str | None = None
    provider_name: str | None = None
    model: str | None = None
    input: str | None = None
    messages: tuple[Message, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_definitions: tuple[ToolDefinition, ...] | None = None
    final_response: str | None = None
    reasoning_steps: tuple[str, ...] = ()
    llm_calls: tuple[LlmCall, ...] = ()
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    cost_usd: float | None = None
    total_input_tokens: int | None = None
    total_output_tokens: int | None = None
    total_cost_usd: float | None = None
    total_tool_call_count: int | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    duration_ms: float | None = None
    error: str | None = Field(default=None, description="what ended the run; None also where it survived a failure")
    interrupt: str | None = Field(
        default=None,
        description="what the run waits for a person to decide or answer, where it stopped for that: the name of the "
        "tool or the text of the question as far as recorded; None: it did not stop so",
    )
    dialect: str | None = None
    completeness: Completeness = "complete"
    gaps: tuple[str, ...] = ()
    revision: int = 1
    fingerprint: str = ""
    reference: Reference | None = None

    @property
    def trajectory(self) -> tuple[ToolCall, ...]:
        """What it called itself; where that is nothing, for it only handed over, what its sub-agents called."""
        made = tuple(call for call in self.tool_calls if not call.is_foreign)
        return tuple(call for call in made if call.child_agent_trace_id is None) or made

    @property
    def tools_offered(self) -> tuple[ToolDefinition, ...] | None:
        """The tools that it was offered: as recorded, else as its reference states them. None where nobody says."""
        if self.tool_definitions is not None:
            return self.tool_definitions
        return None if self.reference is None else self.reference.tools

    @property
    def expected_tool_calls(self) -> tuple[ExpectedCall, ...] | None:
        """The calls that its reference expects. None where there is no reference, or it does not say."""
        return None if self.reference is None else self.reference.expected_tool_calls

    def to_output_map(self) -> JsonObject:
        """What the run gave, by Dokimos' keys: `output` ("" where none is recorded), `toolCalls`, `reasoningSteps`."""
        return {
            "output": self.final_response or "",
            "toolCalls": [call.model_dump(include={"name", "args", "result", "metadata"}) for call in self.tool_calls],
            "reasoningSteps": list(self.reasoning_steps),
        }

    def to_test_case(
        self, asked: str, tools: Sequence[ToolDefinition] | None = None, tasks: Sequence[str] | None = None
    ) -> TestCase:
        """The run as the answer to what was asked. Tools and tasks that are not given were not said: not none."""
        return TestCase(
            input=asked,
            run=self,
            tools=None if tools is None else tuple(tools),
            tasks=None if tasks is None else tuple(tasks),
        )


class TestCase(_Value):
    """A run beside what it was asked and offered: what an evaluation is written with where no trace is stored."""

    __test__: ClassVar[bool] = False  # its name makes pytest curious

    input: str
    run: AgentTrace
    tools: tuple[ToolDefinition, ...] | None = None
    tasks: tuple[str, ...] | None = None
    constraints: tuple[str, ...] | None = None
    expected_tool_calls: tuple[ExpectedCall, ...] | None = None
    expected_response: str | None = None

    @property
    def metadata(self) -> JsonObject:
        """What was said beside input and output: `tools`, `tasks`, `constraints`, each only where it was."""
        return self.model_dump(include={"tools", "tasks", "constraints"}, exclude_none=True)

    @property
    def trace(self) -> AgentTrace:
        """The run as evaluators want it: with its input, its tools and a reference."""
        reference = Reference(
            expected_tool_calls=self.expected_tool_calls,
            expected_response=self.expected_response,
            tasks=self.tasks,
            constraints=self.constraints,
            source="test case",
        )
        offered = self.tools if self.run.tool_definitions is None else self.run.tool_definitions
        return self.run.model_copy(update={"input": self.input, "tool_definitions": offered, "reference": reference})


class Score(_Value):
    """What an evaluator says. `value` is in [0, 1], higher is better; None when there is nothing to judge."""

    value: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    label: str | None = None
    passed: bool | None = None
    threshold: float | None = None
    explanation: str | None = None
    details: JsonObject = Field(default_factory=dict)
    status: ScoreStatus = "scored"
    reason: str | None = Field(default=None, description="why it was skipped, or what went wrong")

    @classmethod
    def skip(cls, reason: str, **details: object) -> Score:
        """There is nothing to judge: kept and counted, but left out of every average."""
        return cls(status="skipped", reason=reason, details=dict(details))

    @classmethod
    def failed(cls, reason: str) -> Score:
        """The evaluation itself went wrong; says nothing about the agent."""
        return cls(status="error", reason=reason)
