"""Stories of one call: a question, a call of the only tool, and an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

from .story import Agent, Story, answers, asks, call, tool, user

__all__ = ["call_fails", "call_works"]

Made: TypeAlias = tuple[str, dict[str, Any], Any]
"""Name, arguments and result."""


def call_works(name: str, convention: str, question: str, made: Made, answer: str, why: str) -> Story:
    """The call returned what was asked for."""
    called, args, result = made
    agent = Agent("assistant", (tool(called, "", **{key: _kind(value) for key, value in args.items()}),))
    steps = (user(question), asks(call(called, args, result)), answers(answer))
    return Story(name, convention, agent, steps, (), why)


def call_fails(name: str, convention: str, question: str, made: Made, answer: str, why: str) -> Story:
    """The call failed, whether or not its span says so."""
    return replace(call_works(name, convention, question, made, answer, why), failing=("tool_error",))


def _kind(value: Any) -> str:
    return "string" if isinstance(value, str) else "integer"
