"""Where the parts of a run are on its page: calls are numbered as the outermost run shown lists them."""

from __future__ import annotations

from collections.abc import Sequence

from ...answers.run import RunDetail, SubRun, ToolCall

__all__ = ["Numbering"]


class Numbering:
    """The calls of a run, which has those of its sub-agents too, by the run that made them.

    A call of a sub-agent is a row of its own run, and one of every run around it, in the same order: so its position in
    any of these runs says which call it is.
    """

    def __init__(self, run: RunDetail) -> None:
        self._id = run.agent_trace_id
        self._calls = run.tool_calls or []
        self._sub_runs = run.sub_runs or []
        self._numbers = {each.agent_trace_id: number for number, each in enumerate(self._sub_runs, 1)}
        self._ids = {call.tool_call_id for call in self._calls if call.tool_call_id is not None}
        self._names = {call.name for call in self._calls}

    def calls_made_by(self, run_id: str) -> list[ToolCall]:
        """Return the calls that a run made itself."""
        if run_id == self._id:
            known = self._numbers.keys()
            return [call for call in self._calls if call.child_agent_trace_id not in known]
        return [call for call in self._calls if call.child_agent_trace_id == run_id]

    def children_of(self, run_id: str) -> list[SubRun]:
        """Return the runs that a run called; a run whose parent is not known belongs to the outermost one."""
        known = {self._id, *self._numbers}
        return [
            each
            for each in self._sub_runs
            if each.parent_agent_trace_id == run_id or (run_id == self._id and each.parent_agent_trace_id not in known)
        ]

    def prefix(self, run_id: str) -> str:
        """Return what the anchors of a run begin with."""
        return "" if run_id == self._id else f"agent-{self._numbers.get(run_id, 0)}-"

    def anchor(self, run_id: str) -> str:
        """Return the anchor of a sub-agent."""
        return self.prefix(run_id).removesuffix("-")

    def find_call(self, run_id: str | None, position: int | None) -> ToolCall | None:
        """Return the call at a position of a run, which is this one or a sub-agent."""
        if position is None:
            return None
        calls: Sequence[ToolCall] = self._calls
        if run_id is not None and run_id != self._id:
            inner = self._list_below(run_id)
            calls = [call for call in self._calls if call.child_agent_trace_id in inner]
        return calls[position] if position < len(calls) else None

    def has_call(self, tool_call_id: str | None, name: str | None) -> bool:
        """Return whether a call was recorded with this id, or under this name: some frameworks change ids."""
        return tool_call_id in self._ids or name in self._names

    def _list_below(self, run_id: str) -> set[str]:
        inner = {run_id}
        for each in self._sub_runs:
            if each.parent_agent_trace_id in inner:
                inner.add(each.agent_trace_id)
        return inner
