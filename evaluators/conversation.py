"""A conversation: runs that follow one another in a session, as turns and as one whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

from .model import AgentTrace, Message, TestCase, TextPart, ToolCall, ToolDefinition

__all__ = ["ConversationTrajectory"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ConversationTrajectory:
    """The turns of one conversation, oldest first. A turn is what an agent did between two messages of its user."""

    turns: tuple[AgentTrace, ...]

    @classmethod
    def of(cls, runs: Iterable[AgentTrace]) -> ConversationTrajectory:
        """Return the conversation of a session's runs, whatever their order; sub-agents are part of their caller's
        turn."""
        outermost = [run for run in runs if run.parent_agent_trace_id is None]
        known = [run for run in outermost if run.started_at is not None]
        return cls(tuple(sorted(known, key=_began) if len(known) == len(outermost) else outermost))

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        return tuple(chain.from_iterable(self.tool_calls_by_turn()))

    def tool_calls_by_turn(self) -> tuple[tuple[ToolCall, ...], ...]:
        """Return the calls of each turn; a turn without calls has an empty one."""
        return tuple(turn.tool_calls for turn in self.turns)

    def results_as(self, tool: str, type_: type[T]) -> tuple[T | None, ...]:
        """Return what each call of `tool` gave, as `type_`: for assertions from one call's output to another's
        input."""
        return tuple(call.result_as(type_) for call in self.tool_calls if call.name == tool)

    def args_as(self, tool: str, type_: type[T]) -> tuple[T | None, ...]:
        """Return what each call of `tool` was given, as `type_`."""
        return tuple(call.args_as(type_) for call in self.tool_calls if call.name == tool)

    @property
    def whole(self) -> AgentTrace:
        """The conversation as one run: its first input, every call and message, its last answer."""
        if not self.turns:
            return AgentTrace()
        first, last = self.turns[0], self.turns[-1]
        return AgentTrace(
            agent_name=first.agent_name,
            session_id=first.session_id,
            user_id=first.user_id,
            input=first.input,
            messages=_join_messages(self.turns),
            tool_calls=self.tool_calls,
            tool_definitions=_offered_tools(self.turns),
            final_response=last.final_response,
            reasoning_steps=tuple(chain.from_iterable(turn.reasoning_steps for turn in self.turns)),
            started_at=first.started_at,
            ended_at=last.ended_at,
        )

    @property
    def transcript(self) -> str:
        """What user and agent said, a line a message."""
        lines = ((("user", turn.input), ("assistant", turn.final_response)) for turn in self.turns)
        return "\n".join(f"{who}: {text}" for who, text in chain.from_iterable(lines) if text)

    def to_test_case(
        self, tools: Sequence[ToolDefinition] | None = None, tasks: Sequence[str] | None = None
    ) -> TestCase:
        """Return the conversation as one case: asked is its last input or, where `tasks` are to be judged, the
        transcript."""
        last_input = next((turn.input for turn in reversed(self.turns) if turn.input), "")
        return self.whole.to_test_case(last_input if tasks is None else self.transcript, tools, tasks)


def _began(run: AgentTrace) -> Any:
    """When a run began; of runs that began at the same time their ids decide, whatever order they are given in."""
    return run.started_at, run.agent_trace_id or ""


def _join_messages(turns: Iterable[AgentTrace]) -> tuple[Message, ...]:
    """Return the messages of all turns. One that repeats the conversation so far, as most do, tells it from the
    beginning."""
    messages: list[Message] = []
    for turn in turns:
        turn_messages = _turn_messages(turn)
        beginning = turn_messages[: len(messages)]
        repeated = len(messages) if list(map(_content, beginning)) == list(map(_content, messages)) else 0
        messages += turn_messages[repeated:]
    return tuple(messages)


def _content(message: Message) -> tuple[Any, ...]:
    return message.role, message.parts


def _turn_messages(turn: AgentTrace) -> tuple[Message, ...]:
    """Return the messages of a turn; where none are recorded, its input and answer."""
    if turn.messages:
        return turn.messages
    both = (("user", turn.input), ("assistant", turn.final_response))
    return tuple(Message(role=role, parts=(TextPart(content=text),)) for role, text in both if text)


def _offered_tools(turns: Sequence[AgentTrace]) -> tuple[ToolDefinition, ...] | None:
    """Return each tool that was offered in any turn, as it was offered last; None where no turn records any."""
    recorded = [turn.tool_definitions for turn in turns if turn.tool_definitions is not None]
    return tuple({tool.name: tool for tool in chain.from_iterable(recorded)}.values()) if recorded else None
