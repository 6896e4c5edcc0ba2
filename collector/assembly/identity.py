"""Whose run it was: agent, session, user, and where it ran."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from ..spans.span import Span, instant
from ..spans.step import Step
from ..spans.values import as_session_id
from .run import Run, contains
from .trace_context import Whole

__all__ = ["Who", "identity", "who_of"]

Who: TypeAlias = Mapping[str, str | None]

_SESSION, _USER = ("session.id", "gen_ai.conversation.id"), ("user.id", "enduser.id", "enduser.pseudo.id")
"""Where an application's own span says whose run it is."""


def identity(run: Run) -> dict[str, Any]:
    """What the run's top span alone says."""
    top = run.top
    return {
        "agent_trace_id": _id(top),
        "trace_id": top.trace_id,
        "agent_span_id": top.span_id,
        "parent_agent_trace_id": _id(run.parent.top) if run.parent else None,
        "service_name": top.service_name,
        "service_version": top.service_version,
        "environment": top.deployment_environment,
        "started_at": instant(top.start_ns),
        "ended_at": instant(top.end_ns) if top.end_ns else None,
        "duration_ms": top.duration_ms,
        "dialect": _most([one.dialect for one in run.steps]),
    }


def who_of(whole: Whole, run: Run, caller: Who | None) -> Who:
    """Name, version, session and user: from the run itself, else from the nearest that says."""
    own = [run.own] if run.own else []
    agents = [*own, *run.own_steps]
    around = [*own, *(one.step for one in run.steps)]
    above = () if caller else tuple(whole.above(run.top))
    said = caller or {}
    return {
        "agent_name": _first_said("agent_name", agents)
        or _name_of_team(run)
        or _first_said("agent_name", (*around, *above))
        or _name_of_call(whole, run),
        "agent_id": _first_said("agent_id", agents),
        "agent_version": _first_said("agent_version", agents) or run.top.service_version,
        "session_id": as_session_id(
            _first_said("session_id", (*around, *above))
            or whole.said_around(run.top, _SESSION, itself_only=caller is not None)
            or said.get("session_id")
            or whole.session_id
        ),
        "user_id": _first_said("user_id", (*around, *above))
        or whole.said_around(run.top, _USER, itself_only=caller is not None)
        or said.get("user_id")
        or whole.user_id,
    }


def _name_of_team(run: Run) -> str | None:
    """A workflow is called as its span is."""
    return run.top.name.removeprefix("invoke_workflow ") or None if run.hands_over else None


def _name_of_call(whole: Whole, run: Run) -> str | None:
    """An agent that was called as a tool is called as the tool is."""
    call = whole.around_tool[run.top.span_id]
    is_called = call is not None and run.parent is not None and contains(run.parent.top, call)
    return whole.read[call.span_id].step.tool_name if call is not None and is_called else None


def _first_said(field: str, steps: Iterable[Step]) -> Any:
    said = (getattr(step, field) for step in steps)
    return next((value for value in said if value is not None and value.strip()), None)


def _most(dialects: Sequence[str]) -> str | None:
    """The dialect of most steps; of two as frequent the one that came first."""
    return max(dict.fromkeys(dialects), key=dialects.count, default=None)


def _id(top: Span) -> str:
    return f"{top.trace_id}-{top.span_id}"
