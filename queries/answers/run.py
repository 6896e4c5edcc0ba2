"""Runs, and everything in them."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from .row import Json, Names, Row
from .score import Score
from .span import Span

__all__ = [
    "LlmCall",
    "Message",
    "Neighbours",
    "Run",
    "RunDetail",
    "RunLink",
    "RunPage",
    "SubRun",
    "ToolCall",
    "ToolDefinition",
]


class Run(Row):
    """A row of `runs`. Calls, tokens and cost include sub-agents."""

    agent_trace_id: str
    trace_id: str
    started_at: datetime
    ended_at: datetime | None
    duration_ms: float | None
    agent_name: str | None
    agent_version: str | None
    model: str | None
    provider_name: str | None
    environment: str | None
    service_name: str | None
    service_version: str | None
    session_id: str | None
    user_id: str | None
    input: str | None = Field(description="in lists the first 1,000 characters; final_response and error likewise")
    final_response: str | None
    error: str | None
    interrupt: str | None
    outcome: str | None = Field(
        description="error, failing, waiting, unfinished, not_scored, passed; null: a sub-agent or an experiment"
    )
    failing: bool | None
    first_fault: str | None
    fault: str | None
    fault_tool: str | None
    fault_evaluator: str | None
    fault_class: str | None
    fault_pattern: str | None
    fault_agent_trace_id: str | None
    fault_position: int | None
    pattern_id: str | None
    score_count: int | None
    failing_score_count: int | None
    worst_evaluator: str | None
    worst_value: float | None
    worst_explanation: str | None
    tools: list[str] | None
    failed_tools: list[str] | None
    invalid_tools: list[str] | None
    tool_call_count: int
    llm_call_count: int
    error_count: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    time_to_first_token_ms: float | None
    prompt_name: str | None
    prompt_version: str | None
    guardrails: Json = Field(description="a list of `{name, decision, reason, target, span_id, time}`; null: none")
    blocked_by: str | None = Field(description="the first guardrail that denied")
    completeness: str
    gaps: Names
    dialect: str | None
    revision: int
    assembled_at: datetime
    assembled_seq: int


class ToolCall(Row):
    """A row of `tool_calls`."""

    agent_trace_id: str
    trace_id: str
    position: int
    tool_call_id: str | None
    name: str
    args: Json
    args_text: str | None
    result: str | None
    error: str | None
    status: str | None
    started_at: datetime | None
    duration_ms: float | None
    span_id: str | None
    source: str
    agent_name: str | None
    child_agent_trace_id: str | None
    metadata: Json
    is_foreign: bool | None


class LlmCall(Row):
    """A row of `llm_calls`."""

    agent_trace_id: str
    trace_id: str
    position: int
    span_id: str | None
    provider_name: str | None
    request_model: str | None
    response_model: str | None
    response_id: str | None
    finish_reasons: Json
    input_tokens: int | None
    output_tokens: int | None
    cached_input_tokens: int | None
    reasoning_tokens: int | None
    cost_usd: float | None
    started_at: datetime | None
    duration_ms: float | None
    time_to_first_token_ms: float | None
    is_retry: bool
    error: str | None
    model: str | None
    cache_write_input_tokens: int | None
    audio_input_tokens: int | None
    audio_output_tokens: int | None
    previous_response_id: str | None
    cache_write_1h_input_tokens: int | None
    image_input_tokens: int | None
    video_input_tokens: int | None
    image_output_tokens: int | None
    prompt_name: str | None
    prompt_version: str | None
    reasoning_level: str | None
    is_compacted: bool | None


class Message(Row):
    """A row of `messages`."""

    agent_trace_id: str
    trace_id: str
    position: int
    role: str
    name: str | None
    content: str | None
    parts: Json
    span_id: str | None
    time: datetime | None


class ToolDefinition(Row):
    """A row of `tool_definitions`."""

    agent_trace_id: str
    trace_id: str
    position: int
    name: str
    description: str | None
    input_schema: Json
    definition_hash: str


class RunLink(Row):
    """Another run, by its id and start."""

    agent_trace_id: str
    started_at: datetime


class SubRun(RunLink):
    """A run below another one, with its own calls, tokens and cost."""

    parent_agent_trace_id: str | None
    agent_name: str | None
    duration_ms: float | None
    error: str | None
    tool_call_count: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    guardrails: Json = None


class Neighbours(Row):
    """The runs before and after a run."""

    previous_in_session: RunLink | None = None
    next_in_session: RunLink | None = None
    previous_of_agent: RunLink | None = None
    next_of_agent: RunLink | None = None


class RunDetail(Run):
    """A run with everything in it: any run, also of a sub-agent or an experiment."""

    agent_span_id: str
    agent_id: str | None
    parent_agent_trace_id: str | None
    root_agent_trace_id: str | None
    experiment_id: str | None
    reasoning_steps: Json
    cached_input_tokens: int | None
    tool_calls: list[ToolCall] | None = None
    llm_calls: list[LlmCall] | None = None
    messages: list[Message] | None = None
    tool_definitions: list[ToolDefinition] | None = None
    spans: list[Span] | None = Field(default=None, description="the spans of the whole trace around the run")
    scores: list[Score] | None = Field(default=None, description="active scores on the run, its calls and sub-agents")
    superseded: list[Score] | None = Field(default=None, description="scores that no longer count")
    session_scores: list[Score] | None = Field(default=None, description="active scores on its session")
    sub_runs: list[SubRun] | None = None
    neighbours: Neighbours | None = None
    truncated: list[str] = Field(default=[], description="the parts of which only the first 2,000 are here")


class RunPage(BaseModel):
    """A part of a list of runs, with the period in which they began."""

    model_config = ConfigDict(frozen=True)

    runs: list[Run]
    next: str | None = Field(description="the cursor of the next part; null: there is none")
    since: datetime | None = Field(description="the runs began at or after this; null: any time")
    until: datetime = Field(description="the runs began before this")
    count: int | None = Field(default=None, description="the number of all runs that the filter selects, if asked for")
