"""Reads a trajectory: a run for each prompt of the user, with those of its sub-agents.

Steps that are copied from an earlier trajectory are history: their messages are kept, their calls and tokens are not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ...model import AgentTrace, JsonObject, Message
from ...pricing.model_name import model_name
from ..field_values import count_at, list_at, object_at, text_at
from ..run_draft import RunDraft, join_sub_agents
from ..run_id import ids_of_run, make_run_id
from ..spelling import Unreadable, amount, record
from ..tool_definitions import tool_definitions
from ..trajectory import find_input
from .beside import KEY, restore
from .step import Step, read_step
from .version import minor_of

__all__ = ["NOT_BESIDE", "Family", "read_metadata", "read_trajectory"]

Family = tuple[AgentTrace, ...]
"""A run, and those of its sub-agents behind it."""

NOT_BESIDE: Final = frozenset({"messages", "tool_calls", "llm_calls", "revision", "fingerprint", "experiment_id"})
"""The fields of a run that are never under `extra`: those in the steps, and those that only a store gives."""

_TOTALS: Final = {
    "input_tokens": "total_prompt_tokens",
    "output_tokens": "total_completion_tokens",
    "cached_input_tokens": "total_cached_tokens",
}
_KEPT: Final = ("notes", "continued_trajectory_ref", "extra", "trajectory_id")
_KNOWN: Final = frozenset(
    {"schema_version", "session_id", "agent", "steps", "final_metrics", "subagent_trajectories", *_KEPT}
)


def read_trajectory(value: object, place: str = "", *, above: str | None = None) -> list[Family]:
    """Return the runs of a trajectory in order; `above` is the id of the run that started those of a sub-agent.

    Raises ValueError that names the field.
    """
    item = record(value, place or "the trajectory")
    prefix = f"{place}." if place else ""
    minor_of(item.get("schema_version"))
    agent = object_at(item, "agent", place)
    if agent is None or not text_at(agent, "name", f"{prefix}agent"):
        raise Unreadable(f"{prefix}agent.name is missing; write the name of the agent")
    default_model = text_at(agent, "model_name", f"{prefix}agent")
    steps = [
        read_step(step, f"{prefix}steps[{index}]", default_model)
        for index, step in enumerate(list_at(item, "steps", place))
    ]
    if not steps:
        raise Unreadable(f"{prefix}steps is empty; a trajectory has at least one step")
    turns = _split(steps)
    runs = [_make_run(item, agent, turn, is_only=len(turns) == 1, prefix=prefix, above=above) for turn in turns]
    below = list(_read_below(item, prefix, turns, runs))
    return [join_sub_agents(run, [family for owner, family in below if owner == at]) for at, run in enumerate(runs)]


def _split(steps: Sequence[Step]) -> list[list[Step]]:
    """Return the steps of each run: a message of the user after a step of the agent begins the next one."""
    turns: list[list[Step]] = [[]]
    for step in steps:
        has_answer = any(each.role == "assistant" and not each.is_copied for each in turns[-1])
        if step.role == "user" and has_answer and not step.is_copied and not step.continues:
            turns.append([])
        turns[-1].append(step)
    return turns


def _make_run(
    item: JsonObject, agent: JsonObject, steps: Sequence[Step], *, is_only: bool, prefix: str, above: str | None
) -> AgentTrace:
    draft = RunDraft()
    own_messages: list[Message] = []
    for step in steps:
        messages = list(step.messages)
        draft.messages += messages
        if not step.is_copied:
            own_messages += messages
            draft.calls += step.made
            draft.llm_calls += [step.llm_call] if step.llm_call is not None else []
    times = [step.time for step in steps if step.time is not None and not step.is_copied]
    model = text_at(agent, "model_name", f"{prefix}agent")
    tools = agent.get("tool_definitions")
    run = draft.finish(
        **ids_of_run(_identify(item, steps, above)),
        agent_name=agent["name"],
        agent_version=text_at(agent, "version", f"{prefix}agent"),
        session_id=text_at(item, "session_id", prefix.rstrip(".")),
        input=find_input(own_messages),
        tool_definitions=None if tools is None else tool_definitions(tools, place=f"{prefix}agent.tool_definitions"),
        started_at=times[0] if times else None,
        **({} if model is None else {"model": model_name(model)}),
    )
    if not is_only:
        return run
    run = run.model_copy(update=_read_totals(item, run, prefix))
    extra = (object_at(item, "extra", prefix.rstrip(".")) or {}).get(KEY)
    return restore(run, extra, f"{prefix}extra.{KEY}", without=NOT_BESIDE)


def _identify(item: JsonObject, steps: Sequence[Step], above: str | None) -> str:
    """Return an id that is the same whenever the trajectory is read, and another one for other steps."""
    own = [step.source for step in steps if not step.is_copied] or [step.source for step in steps]
    names = [item.get("trajectory_id"), item.get("session_id")]
    return make_run_id("atif", json.dumps([names, own], sort_keys=True, default=str), above=above)


def _read_totals(item: JsonObject, run: AgentTrace, prefix: str) -> JsonObject:
    """Return the totals of a trajectory that is one run; the costs include those of sub-agents."""
    metrics, where = object_at(item, "final_metrics", prefix.rstrip(".")) or {}, f"{prefix}final_metrics"
    totals: JsonObject = {}
    for name, key in _TOTALS.items():
        total = count_at(metrics, key, where)
        if getattr(run, name) is None and total is not None:
            totals[name] = total
            if name != "cached_input_tokens":
                totals[f"total_{name}"] = total
    cost_usd = amount(metrics, "total_cost_usd", where)
    has_sub_agents = bool(item.get("subagent_trajectories"))
    if run.cost_usd is None and cost_usd is not None:
        totals["total_cost_usd"] = cost_usd
        if not has_sub_agents:
            totals["cost_usd"] = cost_usd
    return totals


def _read_below(
    item: JsonObject, prefix: str, turns: Sequence[Sequence[Step]], runs: Sequence[AgentTrace]
) -> Iterator[tuple[int, Family]]:
    """Yield the runs of sub-agents, each with the position of the run that refers to it, else of the first."""
    for index, value in enumerate(list_at(item, "subagent_trajectories", prefix.rstrip("."))):
        place = f"{prefix}subagent_trajectories[{index}]"
        trajectory_id = text_at(record(value, place), "trajectory_id", place)
        owners = (at for at, turn in enumerate(turns) if any(_is_to(ref, trajectory_id) for ref in _refs(turn)))
        owner = next(owners, 0)
        yield from ((owner, family) for family in read_trajectory(value, place, above=runs[owner].agent_trace_id))


def _is_to(ref: JsonObject, trajectory_id: str | None) -> bool:
    return trajectory_id is not None and ref.get("trajectory_id") == trajectory_id


def _refs(steps: Sequence[Step]) -> Iterator[JsonObject]:
    for step in steps:
        for result in step.results:
            yield from result.sub_agents


def read_metadata(item: JsonObject) -> JsonObject:
    """Return what a trajectory says of itself, the files of sub-agents that it refers to, and keys that ATIF lacks."""
    metadata: JsonObject = {key: item[key] for key in _KEPT if item.get(key) is not None}
    if isinstance(metadata.get("extra"), dict):
        metadata["extra"] = {key: value for key, value in metadata["extra"].items() if key != KEY}
        metadata = {key: value for key, value in metadata.items() if key != "extra" or value}
    agent_extra: Any = item["agent"].get("extra")
    unknown = {key: value for key, value in item.items() if key not in _KNOWN}
    return {
        **metadata,
        **({"agent_extra": agent_extra} if agent_extra else {}),
        **({"unknown_keys": unknown} if unknown else {}),
    }
