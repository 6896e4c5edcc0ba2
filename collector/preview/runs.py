"""Chooses the stored runs of a preview: the newest that the evaluator would receive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.queries.catalog import statement

from ..client.conditions import decide
from ..client.query import Read, all_rows, split
from ..errors import Fault, SqlRefused
from ..store.engines.arrow import listed

__all__ = ["Chosen", "Selection", "choose_runs", "list_target_ids"]

_WINDOW: Final = 1_000
"""The number of runs in one query: their ids must fit into a request."""

_MOST_EXAMINED: Final = 20_000
"""The number of runs among which the preview looks for those that the evaluator's `when` selects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The request of a user: at most `limit` runs that began since a time (UTC), for which a SQL condition holds.

    They are those of an experiment, or of production if `experiment_id` is None.
    """

    since: datetime
    where: str | None = None
    experiment_id: str | None = None
    limit: int = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The runs to evaluate, the newest first. `matching` counts all runs of the user's selection, `examined` the newest
    of them, on which the evaluator's `when` was evaluated. `undecided` has those on which `when` fails, with the kind
    of error."""

    agent_trace_ids: Sequence[str]
    matching: int
    examined: int
    undecided: Mapping[str, str] = field(default_factory=dict)


def choose_runs(read: Read, evaluator: Configured, selection: Selection) -> Chosen:
    """Choose the newest runs of `selection` that the evaluator's `when` selects; `sample` is not applied.

    Raises Fault if the user's condition cannot be used.
    """
    most = selection.limit if evaluator.when is None else _MOST_EXAMINED
    rows = _read_candidates(read, selection, most)
    matching = rows[0]["matching"] if rows else 0
    ids = [row["agent_trace_id"] for row in rows]
    if evaluator.when is None:
        return Chosen(agent_trace_ids=ids, matching=matching, examined=len(ids))
    return _select(read, evaluator, ids, limit=selection.limit, matching=matching)


def list_target_ids(read: Read, evaluator: Configured, agent_trace_ids: Sequence[str]) -> list[str]:
    """List the targets of the evaluator in these runs: the runs themselves, their sessions, or their offered tools."""
    names = {"session": "sessions_of_runs", "tool": "tools_of_runs"}
    if (name := names.get(evaluator.scope)) is None:
        return list(agent_trace_ids)
    target_ids: dict[str, None] = {}
    for part in split(agent_trace_ids, _WINDOW):
        rows = all_rows(read, statement(name), agent_trace_ids=listed(part))
        target_ids |= dict.fromkeys(row["target_id"] for row in rows)
    return list(target_ids)


def _read_candidates(read: Read, selection: Selection, most: int) -> list[dict[str, Any]]:
    sql = statement("runs_to_preview", condition=selection.where or "true")
    try:
        return all_rows(read, sql, since=selection.since.isoformat(), limit=most, experiment_id=selection.experiment_id)
    except SqlRefused as refused:
        raise Fault(f"the condition --where cannot be used: {refused}") from refused


def _select(read: Read, evaluator: Configured, ids: Sequence[str], *, limit: int, matching: int) -> Chosen:
    chosen: list[str] = []
    undecided: dict[str, str] = {}
    examined = 0
    for part in split(ids, _WINDOW):
        decision = decide(read, evaluator.when or "true", part, after=evaluator.after)
        undecided |= decision.undecided
        for run in part:
            if len(chosen) == limit:
                break
            examined += 1
            if run in decision.met:
                chosen.append(run)
        if len(chosen) == limit:
            break
    return Chosen(agent_trace_ids=chosen, matching=matching, examined=examined, undecided=undecided)
