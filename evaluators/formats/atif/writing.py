"""Writes a run with its sub-agents as one trajectory.

What the chosen version lacks is left out: before 1.7 sub-agents and what calls have beside arguments and result, before
1.6 all but text, before 1.5 the tools that were offered and the messages of earlier runs, in 1.0 all that ATIF has no
field for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ...model import AgentTrace, JsonObject, ToolDefinition
from ..imported import Imported
from .beside import KEY, differences
from .step_writing import StepWriter
from .trajectory import NOT_BESIDE, read_trajectory
from .version import NEWEST, ROOT_EXTRA, SUB_AGENTS, TOOLS, Version, minor_of

__all__ = ["group_families", "write_trajectory"]

_UNKNOWN: Final = "unknown"
_TOTALS: Final = frozenset({"total_input_tokens", "total_output_tokens", "total_cost_usd", "total_tool_call_count"})
_BESIDE: Final = ("notes", "continued_trajectory_ref")


def write_trajectory(
    run: AgentTrace,
    sub_agents: Sequence[AgentTrace] = (),
    *,
    metadata: JsonObject | None = None,
    version: Version = NEWEST,
) -> JsonObject:
    """Return the trajectory of a run; `sub_agents` are all runs below it.

    `metadata` is what `read_metadata` returns: `notes` and the like.
    """
    minor, given = minor_of(version), metadata or {}
    children = [each for each in sub_agents if each.parent_agent_trace_id == run.agent_trace_id]
    below = {each.agent_trace_id for each in sub_agents} if minor >= SUB_AGENTS else set()
    own_calls = [call for call in run.tool_calls if call.child_agent_trace_id not in below]
    steps = StepWriter(run, own_calls, minor=minor).write()
    document: JsonObject = {"schema_version": version}
    session_id = run.session_id if minor >= SUB_AGENTS else run.session_id or run.agent_trace_id or _UNKNOWN
    document.update(_without_none({"session_id": session_id}))
    if minor >= SUB_AGENTS and (name := given.get("trajectory_id") or run.agent_trace_id):
        document["trajectory_id"] = name
    document["agent"] = _write_agent(run, given, minor)
    document["steps"] = steps
    document["final_metrics"] = _write_totals(run, len(steps))
    document.update({key: given[key] for key in _BESIDE if given.get(key)})
    extra = given.get("extra")
    changes = _find_differences(run, document, has_children=bool(children) and minor >= SUB_AGENTS)
    if minor >= ROOT_EXTRA and (changes or extra):
        document["extra"] = {**(extra or {}), **({KEY: changes} if changes else {})}
    if children and minor >= SUB_AGENTS:
        document["subagent_trajectories"] = [
            write_trajectory(child, sub_agents, metadata={"trajectory_id": _name(child, number)}, version=version)
            for number, child in enumerate(children)
        ]
    return document


def _name(child: AgentTrace, number: int) -> str:
    return child.agent_trace_id or f"sub-agent-{number}"


def _write_agent(run: AgentTrace, given: JsonObject, minor: int) -> JsonObject:
    tools = run.tool_definitions if minor >= TOOLS else None
    return _without_none(
        {
            "name": run.agent_name or _UNKNOWN,
            "version": run.agent_version or _UNKNOWN,
            "model_name": run.model,
            "tool_definitions": None if tools is None else [_write_tool(tool) for tool in tools],
            "extra": given.get("agent_extra"),
        }
    )


def _write_tool(tool: ToolDefinition) -> JsonObject:
    fields = {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
    return {"type": "function", "function": _without_none(fields)}


def _write_totals(run: AgentTrace, step_count: int) -> JsonObject:
    return _without_none(
        {
            "total_prompt_tokens": run.input_tokens,
            "total_completion_tokens": run.output_tokens,
            "total_cached_tokens": run.cached_input_tokens,
            "total_cost_usd": run.cost_usd if run.total_cost_usd is None else run.total_cost_usd,
            "total_steps": step_count,
        }
    )


def _find_differences(run: AgentTrace, document: JsonObject, *, has_children: bool) -> JsonObject:
    """Return the fields of the run that a reader would not get from the document."""
    families = read_trajectory(document)
    implied = families[0][0] if len(families) == 1 else AgentTrace()
    return differences(run, implied, without=NOT_BESIDE | (_TOTALS if has_children else frozenset()))


def group_families(entries: Iterable[Imported]) -> Iterator[tuple[Imported, list[AgentTrace]]]:
    """Yield each run with the runs of its sub-agents, which follow it."""
    head: Imported | None = None
    below: list[AgentTrace] = []
    for entry in entries:
        if entry.run is None:
            continue
        known = {run.agent_trace_id for run in (*below, *((head.run,) if head and head.run else ()))}
        if head is not None and entry.run.parent_agent_trace_id in known:
            below.append(entry.run)
            continue
        if head is not None:
            yield head, below
        head, below = entry, []
    if head is not None:
        yield head, below


def _without_none(item: JsonObject) -> JsonObject:
    return {key: value for key, value in item.items() if value is not None}
