"""Refuses wrong calls of `evaluate`: an argument that is not an evaluator or target, or a target of another scope."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..conversation import ConversationTrajectory
from ..definition.dialogue import Asking
from ..definition.registry import Configured, Definition, Scope
from ..model import AgentTrace, TestCase, ToolDefinition

__all__ = ["refuse_misuse"]

_CONVERSATION: Final = "of the runs of a session ConversationTrajectory.of(runs)"
_EVALUATES: Final[Mapping[Scope, str]] = {
    "trace": "runs",
    "tool_call": "the tool calls of runs",
    "session": "conversations",
    "tool": "tool definitions",
}
_TAKES: Final[Mapping[Scope, tuple[type, ...]]] = {
    "trace": (AgentTrace,),
    "tool_call": (AgentTrace,),
    "session": (ConversationTrajectory,),
    "tool": (ToolDefinition, AgentTrace),
}


def refuse_misuse(evaluator: object, target: object) -> None:
    """Raise TypeError, whose message says what to give instead, unless `evaluator` can evaluate `target`."""
    if not isinstance(evaluator, Configured):
        raise TypeError(f"the first argument is an evaluator, not {_no_evaluator(evaluator)}")
    if not isinstance(target, (AgentTrace, ToolDefinition, ConversationTrajectory)):
        raise TypeError(
            "an AgentTrace, a ToolDefinition or a ConversationTrajectory is evaluated, "
            f"not {type(target).__name__}: give {_instead_of(target)}"
        )
    if not isinstance(target, _TAKES[evaluator.scope]):
        evaluates = f"{evaluator.name} evaluates {_EVALUATES[evaluator.scope]} (scope {evaluator.scope})"
        raise TypeError(f"{evaluates}, not {_a(target)}: {_for_scope(evaluator, target)}")


def _a(value: object) -> str:
    name = type(value).__name__
    return f"an {name}" if name.startswith("A") else f"a {name}"


def _no_evaluator(given: object) -> str:
    match given:
        case str():
            return f"the name of one: give configure({given!r}), from tracegrade.evaluators"
        case Definition():
            return f"the definition of one: give configure({given.name!r}), from tracegrade.evaluators"
        case AgentTrace() | ConversationTrajectory() | ToolDefinition():
            return f"{_a(given)}: give the evaluator first, then what it evaluates"
        case _ if callable(given):
            return "a function: give build({'python': 'module:function'}), from tracegrade.evaluators"
    return f"of type {type(given).__name__}: give what `configure` or `build` returns"


def _instead_of(target: object) -> str:
    return {
        TestCase: "of a TestCase its .trace",
        Configured: "the evaluator first, then the run",
        list: f"each of the list by itself, or {_CONVERSATION}",
        tuple: f"each of the tuple by itself, or {_CONVERSATION}",
        dict: "of JSON AgentTrace.model_validate(it)",
    }.get(type(target), f"of a TestCase its .trace, {_CONVERSATION}")


def _for_scope(evaluator: Configured, target: AgentTrace | ToolDefinition | ConversationTrajectory) -> str:
    """Return the advice that makes the scopes match: which target to give, or how to build the evaluator."""
    if evaluator.scope == "session":
        of_turns = "" if isinstance(target, ToolDefinition) else ", or leave `scope: session` out"
        return f"give {_CONVERSATION}{of_turns}"
    if isinstance(target, ToolDefinition):
        return "give the run that offers it, or use an evaluator of scope tool, such as tool_description_reliability"
    if evaluator.scope == "tool":
        return "give each of its .whole.tool_definitions"
    turns = "evaluate each of its .turns"
    return f"{turns}, or build the evaluator with `scope: session`" if _can_take_sessions(evaluator) else turns


def _can_take_sessions(evaluator: Configured) -> bool:
    if evaluator.kind != "llm":
        return evaluator.scope == "trace" and evaluator.kind != "sql"
    return isinstance(evaluator.function, Asking) and evaluator.function.sees_sessions
