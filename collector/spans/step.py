"""What a span records of an agent's work, in one form for every dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from tracegrade.evaluators.model import Guardrail, Message, ToolDefinition

__all__ = ["NO_USAGE", "Step", "StepKind", "Usage"]

StepKind: TypeAlias = Literal[
    "agent", "workflow", "model", "tool", "handoff", "retrieval", "message", "plan", "guardrail", "fetch"
]
"""`message`: something was said in a conversation (`session_id`), to whichever agent works in it next. `plan`: the
model calls below it plan. `fetch`: an earlier answer of a model was fetched by its id, which asks no model."""


class Usage(NamedTuple):
    """Tokens and money. The parts of a kind are included in `input_tokens` and `output_tokens`.

    Tokens that were written to a cache for an hour are included in `cache_write_input_tokens`, too. `total_tokens` is
    what an instrumentation counts as the sum; it only tells whether the parts were included, and is then dropped.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None
    cache_write_1h_input_tokens: int | None = None
    audio_input_tokens: int | None = None
    image_input_tokens: int | None = None
    video_input_tokens: int | None = None
    reasoning_tokens: int | None = None
    audio_output_tokens: int | None = None
    image_output_tokens: int | None = None
    cost_usd: float | None = None
    total_tokens: int | None = None


NO_USAGE = Usage()


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step. Fields that do not belong to its kind, or were not recorded, are None."""

    kind: StepKind

    agent_name: str | None = None
    agent_id: str | None = None
    agent_version: str | None = None
    session_id: str | None = None
    user_id: str | None = None
    run_id: str | None = None
    error: str | None = None
    interrupt: str | None = None
    """What it waits for somebody to answer; "" where it waits and nothing says for what."""

    # agent, workflow and model
    provider_name: str | None = None
    request_model: str | None = None
    response_model: str | None = None
    response_id: str | None = None
    prompt_name: str | None = None
    prompt_version: str | None = None
    reasoning_level: str | None = None
    is_compacted: bool | None = None
    is_node: bool = False
    """A workflow that is a node of a graph, and so a piece of a run."""
    is_retry: bool = False
    finish_reasons: tuple[str, ...] | None = None
    time_to_first_token_ms: float | None = None
    usage: Usage = NO_USAGE
    input: tuple[Message, ...] | None = None
    output: tuple[Message, ...] | None = None
    input_text: str | None = None
    output_text: str | None = None
    definitions: tuple[ToolDefinition, ...] | None = None
    continues: str | None = None
    """The span of the call whose input this one's input continues, after `dropped` messages of that one's end."""
    dropped: int = 0

    # tool
    tool_name: str | None = None
    call_id: str | None = None
    args: Any = None
    result: str | None = None
    duration_ms: float | None = None
    """Where it is not the span's own."""
    read_keys: tuple[str, ...] = ()
    """The attributes that a table of keys read it from."""

    # hand-off, and a tool that calls an agent
    target: str | None = None

    guardrail: Guardrail | None = None

    gaps: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    """The attributes whose values could not be read."""

    @classmethod
    def of(cls, kind: StepKind, recorded: Mapping[str, Any]) -> Step:
        """Return the step of these fields. A span records a few of some forty: the others are not touched."""
        step = object.__new__(cls)
        vars(step).update(recorded, kind=kind)
        return step
