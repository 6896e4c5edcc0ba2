"""What evaluators are applied to: one run of an agent, and a test case made of a run and its expectations."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar, Literal, TypeAlias

from pydantic import Field

from .guardrail import Guardrail
from .llm_call import LlmCall
from .message import Message
from .reference import ExpectedCall, Reference
from .tool import ToolCall, ToolDefinition
from .value import JsonObject, Value

__all__ = ["AgentTrace", "Completeness", "TestCase"]

Completeness: TypeAlias = Literal["complete", "partial"]


class AgentTrace(Value):
    """One run of one agent. The only thing an evaluator sees.

    `agent_trace_id` is `<trace_id>-<span_id of the agent span>`; the three ids are empty for a run without a trace.
    `tool_calls` includes the calls of sub-agents, with `child_agent_trace_id`, and those that other services wrote into
    the run, with `is_foreign`; `trajectory` leaves them out.
    Tokens and cost are its own; fields that begin with `total_` include its sub-agents, as far as they are known.
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
    prompt_name: str | None = Field(default=None, description="the template of its first model call that names one")
    prompt_version: str | None = None
    provider_name: str | None = None
    model: str | None = None
    input: str | None = None
    messages: tuple[Message, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_definitions: tuple[ToolDefinition, ...] | None = None
    final_response: str | None = None
    reasoning_steps: tuple[str, ...] = ()
    guardrails: tuple[Guardrail, ...] | None = Field(default=None, description="in order of time; None: none recorded")
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
    error: str | None = Field(default=None, description="the error that ended the run; None if the run survived it")
    interrupt: str | None = Field(
        default=None,
        description="what a person has to decide or answer before the run goes on: the name of the tool or the text "
        "of the question, as far as recorded; None: it did not stop for that",
    )
    dialect: str | None = None
    completeness: Completeness = "complete"
    gaps: tuple[str, ...] = ()
    revision: int = 1
    fingerprint: str = ""
    experiment_id: str | None = Field(default=None, description="the experiment that it is part of; None: production")
    reference: Reference | None = None

    @property
    def trajectory(self) -> tuple[ToolCall, ...]:
        """The calls of the agent itself; if it made none, because it only delegated, those of its sub-agents."""
        own_calls = tuple(call for call in self.tool_calls if not call.is_foreign)
        return tuple(call for call in own_calls if call.child_agent_trace_id is None) or own_calls

    @property
    def tools_offered(self) -> tuple[ToolDefinition, ...] | None:
        """The tools that it was offered: as recorded, else as in its reference; None if neither has them."""
        if self.tool_definitions is not None:
            return self.tool_definitions
        return None if self.reference is None else self.reference.tools

    @property
    def expected_tool_calls(self) -> tuple[ExpectedCall, ...] | None:
        """The calls that its reference expects; None if there is no reference, or if it does not specify calls."""
        return None if self.reference is None else self.reference.expected_tool_calls

    def to_output_map(self) -> JsonObject:
        """Return the output of the run under Dokimos' keys: `output` ("" if not recorded), `toolCalls`,
        `reasoningSteps`."""
        return {
            "output": self.final_response or "",
            "toolCalls": [call.model_dump(include={"name", "args", "result", "metadata"}) for call in self.tool_calls],
            "reasoningSteps": list(self.reasoning_steps),
        }

    def to_test_case(
        self, request: str, tools: Sequence[ToolDefinition] | None = None, tasks: Sequence[str] | None = None
    ) -> TestCase:
        """Return the run as a test case with the input `request`. `tools` and `tasks` that are None are not specified,
        which is different from empty."""
        return TestCase(
            input=request,
            run=self,
            tools=None if tools is None else tuple(tools),
            tasks=None if tasks is None else tuple(tasks),
        )


class TestCase(Value):
    """A run with its input, tools and expectations, for evaluations without a stored trace."""

    __test__: ClassVar[bool] = False  # pytest would collect it because of its name

    input: str
    run: AgentTrace
    tools: tuple[ToolDefinition, ...] | None = None
    tasks: tuple[str, ...] | None = None
    constraints: tuple[str, ...] | None = None
    expected_tool_calls: tuple[ExpectedCall, ...] | None = None
    expected_response: str | None = None

    @property
    def metadata(self) -> JsonObject:
        """`tools`, `tasks` and `constraints`, each only if it is specified."""
        return self.model_dump(include={"tools", "tasks", "constraints"}, exclude_none=True)

    @property
    def trace(self) -> AgentTrace:
        """The run as evaluators read it: with its input, its tools and a reference."""
        reference = Reference(
            expected_tool_calls=self.expected_tool_calls,
            expected_response=self.expected_response,
            tasks=self.tasks,
            constraints=self.constraints,
            source="test case",
        )
        offered = self.tools if self.run.tool_definitions is None else self.run.tool_definitions
        return self.run.model_copy(update={"input": self.input, "tool_definitions": offered, "reference": reference})
