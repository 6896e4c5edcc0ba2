"""A conversation: the runs of a session, as turns or joined into one run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from .model import AgentTrace, Message, TestCase, TextPart, ToolCall, ToolDefinition
from .model.value import explain_missing

__all__ = ["ConversationTrajectory"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ConversationTrajectory:
    """The turns of one conversation, oldest first. A turn is what an agent did between two messages of its user."""

    turns: tuple[AgentTrace, ...]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError, with the name that an attribute of Dokimos has here."""
            raise explain_missing(self, name)

    @classmethod
    def of(cls, runs: Iterable[AgentTrace]) -> ConversationTrajectory:
        """Return the conversation of a session's runs, given in any order. Runs of sub-agents are left out: their
        calls are part of the turn that called them."""
        outermost = [run for run in runs if run.parent_agent_trace_id is None]
        known = [run for run in outermost if run.started_at is not None]
        return cls(tuple(sorted(known, key=_start_order) if len(known) == len(outermost) else outermost))

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        return tuple(chain.from_iterable(self.tool_calls_by_turn()))

    def tool_calls_by_turn(self) -> tuple[tuple[ToolCall, ...], ...]:
        """Return the calls of each turn, an empty tuple for a turn without calls."""
        return tuple(turn.tool_calls for turn in self.turns)

    def results_as(self, tool: str, type_: type[T]) -> tuple[T | None, ...]:
        """Return the result of each call of `tool` as `type_`, None where it is absent.

        For assertions that compare the output of one call with the input of another. Raises pydantic.ValidationError.
        """
        return tuple(call.result_as(type_) for call in self.tool_calls if call.name == tool)

    def args_as(self, tool: str, type_: type[T]) -> tuple[T | None, ...]:
        """Return the arguments of each call of `tool` as `type_`, None where they are not recorded.

        Raises pydantic.ValidationError.
        """
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
        """Input, tool calls and answer of each turn, one per line: `user: …`, `tool: name(arguments) -> result`,
        `assistant: …`."""
        lines = chain.from_iterable(map(_transcript_lines, self.turns))
        return "\n".join(f"{role}: {text}" for role, text in lines if text)

    def to_test_case(
        self, tools: Sequence[ToolDefinition] | None = None, tasks: Sequence[str] | None = None
    ) -> TestCase:
        """Return the conversation as one test case. Its input is the last input; with `tasks` it is the transcript, in
        which the last answer stands, so that there is no other."""
        if tasks is not None:
            return self.whole.model_copy(update={"final_response": None}).to_test_case(self.transcript, tools, tasks)
        last_input = next((turn.input for turn in reversed(self.turns) if turn.input), "")
        return self.whole.to_test_case(last_input, tools, tasks)


def _transcript_lines(turn: AgentTrace) -> Iterator[tuple[str, str | None]]:
    yield "user", turn.input
    for call in turn.tool_calls:
        arguments = ToolCall.result_json(call.args) if call.args is not None else call.args_text or ""
        yield "tool", f"{call.name}({arguments})" + ("" if call.result is None else f" -> {call.result}")
    yield "assistant", turn.final_response


def _start_order(run: AgentTrace) -> Any:
    """Return the sort key of a run: when it began, then its id, so that the order of the input never matters."""
    return run.started_at, run.agent_trace_id or ""


def _join_messages(turns: Iterable[AgentTrace]) -> tuple[Message, ...]:
    """Return the messages of all turns. A turn that repeats the conversation so far, as most do, adds only the rest."""
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
    """Return the messages of a turn; if none are recorded, its input and its answer as messages."""
    if turn.messages:
        return turn.messages
    both = (("user", turn.input), ("assistant", turn.final_response))
    return tuple(Message(role=role, parts=(TextPart(content=text),)) for role, text in both if text)


def _offered_tools(turns: Sequence[AgentTrace]) -> tuple[ToolDefinition, ...] | None:
    """Return each tool that any turn offered, in its latest definition; None if no turn records tools."""
    recorded = [turn.tool_definitions for turn in turns if turn.tool_definitions is not None]
    return tuple({tool.name: tool for tool in chain.from_iterable(recorded)}.values()) if recorded else None
