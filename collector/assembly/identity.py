"""Identifies a run: agent, session, user, service."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from pydantic import BaseModel

from tracegrade.evaluators.model import AgentTrace

from ..otlp.experiment_mark import EXPERIMENT_ID
from ..spans.frozen import copy_with
from ..spans.span import Span, instant
from ..spans.step import Step
from ..spans.values import LONGEST_NAME, as_session_id, shorten_name
from .delegation import UNNAMED_GRAPH
from .run import Run, contains
from .trace_context import TraceContext

__all__ = ["Identity", "identify_run", "resolve_identity", "shorten_names"]

M = TypeVar("M", bound=BaseModel)

Identity: TypeAlias = Mapping[str, str | None]

_SESSION, _USER = ("session.id", "gen_ai.conversation.id"), ("user.id", "enduser.id", "enduser.pseudo.id")
"""The attributes in which an application's own spans name session and user."""
_SDKS = frozenset({"strands-agents"})
"""Names that SDKs give to the service, if it has none: then its version is that of the SDK."""


def identify_run(run: Run) -> dict[str, Any]:
    """Return the fields that come from the run's top span alone."""
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
        "dialect": _most_frequent([reading.dialect for reading in run.steps]),
    }


def resolve_identity(context: TraceContext, run: Run, caller: Identity | None) -> Identity:
    """Return name, version, session and user: from the run itself, else from the nearest span that records them.

    A sub-agent without a mark of its own is part of the experiment of its caller if both are in the same service:
    otherwise any sender could write a caller with a mark, and hide the run from evaluation.
    """
    own = [run.own] if run.own else []
    agents = [*own, *run.own_steps]
    around = [*own, *(reading.step for reading in run.steps)]
    above = () if caller else tuple(context.above(run.top))
    inherited = caller or {}
    return {
        "agent_name": _first_value("agent_name", agents)
        or _name_of_team(run)
        or _first_value("agent_name", (*around, *above))
        or _find_name_of_call(context, run)
        or (run.top.service_name if run.children and run.top.name == UNNAMED_GRAPH else None),
        "agent_id": _first_value("agent_id", agents),
        "agent_version": _first_value("agent_version", agents)
        or (run.top.service_version if run.top.service_name not in _SDKS else None),
        "session_id": as_session_id(
            _first_value("session_id", (*around, *above))
            or context.find_value_around(run.top, _SESSION, itself_only=caller is not None)
            or inherited.get("session_id")
            or context.session_id
        ),
        "user_id": _first_value("user_id", (*around, *above))
        or context.find_value_around(run.top, _USER, itself_only=caller is not None)
        or inherited.get("user_id")
        or context.user_id,
        "experiment_id": _read_experiment(run.top)
        or (inherited.get("experiment_id") if _is_in_callers_service(run) else None),
    }


_NAMES: Final = (
    "agent_name",
    "agent_id",
    "agent_version",
    "service_name",
    "service_version",
    "environment",
    "user_id",
    "provider_name",
    "model",
)
_NAMES_WITHIN: Final[Mapping[str, tuple[str, ...]]] = {
    "tool_calls": ("name", "agent_name"),
    "tool_definitions": ("name",),
    "llm_calls": ("provider_name", "model", "request_model", "response_model"),
    "messages": ("name",),
}


def shorten_names(trace: AgentTrace) -> AgentTrace:
    """Return the run with its names, and those of its calls, tools and models, as short as `shorten_name` makes them.

    Senders choose them, and every list, picker and link of a page repeats them.
    """
    changes: dict[str, Any] = {}
    for field, names in _NAMES_WITHIN.items():
        values: Sequence[BaseModel] = getattr(trace, field) or ()
        if any(len(vars(value)[name] or "") > LONGEST_NAME for value in values for name in names):
            changes[field] = tuple(_shorten(value, names) for value in values)
    return _shorten(copy_with(trace, **changes) if changes else trace, _NAMES)


def _shorten(value: M, names: Iterable[str]) -> M:
    fields = vars(value)
    long = [name for name in names if (text := fields[name]) is not None and len(text) > LONGEST_NAME]
    return copy_with(value, **{name: shorten_name(fields[name]) for name in long}) if long else value


def _name_of_team(run: Run) -> str | None:
    """Return the name of a workflow, which is that of its span."""
    return run.top.name.removeprefix("invoke_workflow ") or None if run.hands_over else None


def _find_name_of_call(context: TraceContext, run: Run) -> str | None:
    """Return the name of the tool as which an agent was called."""
    call = context.around_tool[run.top.span_id]
    is_called = call is not None and run.parent is not None and contains(run.parent.top, call)
    return context.readings[call.span_id].step.tool_name if call is not None and is_called else None


def _first_value(field: str, steps: Iterable[Step]) -> Any:
    values = (getattr(step, field) for step in steps)
    return next((value for value in values if value is not None and value.strip()), None)


def _most_frequent(dialects: Sequence[str]) -> str | None:
    """Return the dialect of most steps; of two as frequent the first."""
    return max(dict.fromkeys(dialects), key=dialects.count, default=None)


def _read_experiment(top: Span) -> str | None:
    experiment_id = top.resource.get(EXPERIMENT_ID)
    return experiment_id if isinstance(experiment_id, str) and experiment_id else None


def _is_in_callers_service(run: Run) -> bool:
    service = run.top.service_name
    return run.parent is not None and service is not None and run.parent.top.service_name == service


def _id(top: Span) -> str:
    return f"{top.trace_id}-{top.span_id}"
