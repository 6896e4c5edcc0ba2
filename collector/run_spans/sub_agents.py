"""Finds the places of runs: below the span of the call, or of the agent, that called them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tracegrade.evaluators.model import AgentTrace

from .agent_span import build_handoff_span
from .family import Family
from .run_ids import RunId, SpanIds, split_run_id
from .times import find_start, to_ns
from .written_run import Place, WrittenRun

__all__ = ["Places"]

_MICROSECOND_NS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Places:
    """The places of the runs of a family; `at_ns` is the time of runs of which none is known."""

    family: Family
    ids: Sequence[RunId]
    span_ids: SpanIds
    children: Mapping[int, Sequence[int]]
    at_ns: int

    @classmethod
    def of(cls, family: Family, ids: Sequence[RunId], *, at_ns: int) -> Places:
        """Return the places of a family whose runs have these ids."""
        return cls(family, ids, SpanIds(ids), family.children, at_ns=at_ns)

    def find(self, position: int, written: Mapping[int, WrittenRun]) -> tuple[Place, Span | None]:
        """Return the place of a run whose parent is written, with the span of the hand-off to it if it needs one."""
        run, run_id = self.family.runs[position], self.ids[position]
        parent = self.family.parents.get(position)
        if parent is None or self.ids[parent].trace_id != run_id.trace_id:
            above = split_run_id(run.parent_agent_trace_id)
            is_known = above is not None and above.trace_id == run_id.trace_id
            top = self._place(position, above.span_id if above and is_known else None, self.at_ns, is_remote=is_known)
            return top, None
        caller, fallback_ns = self._find_caller(position, written[parent])
        if caller is not None:
            return self._place(position, caller.span_id.hex(), fallback_ns), None
        start_ns = find_start(run, fallback_ns=fallback_ns, margin_ns=self._margin_ns(position))
        parent_id = self.ids[parent].span_id
        if not _is_separate(self.family.runs[parent], run, written[parent].agent, start_ns):
            span_id = RunId(run_id.trace_id, self.span_ids.take(None, run_id, "handoff"))
            handoff = build_handoff_span(run.agent_name, span_id, start_ns=start_ns, parent=parent_id)
            return self._place(position, span_id.span_id, fallback_ns), handoff
        return self._place(position, parent_id, fallback_ns), None

    def _place(self, position: int, parent: str | None, fallback_ns: int, *, is_remote: bool = False) -> Place:
        return Place(parent, is_remote=is_remote, fallback_ns=fallback_ns, margin_ns=self._margin_ns(position))

    def _margin_ns(self, position: int) -> int:
        """Return a time that is longer than all that happens in a run at unknown times.

        Other runs have no part in it: what is written of a run stays the same when a file grows.
        """
        run = self.family.runs[position]
        count = len(run.tool_calls) + len(run.llm_calls) + len(self.children.get(position, ()))
        return _MICROSECOND_NS * (2 + count)

    def _find_caller(self, position: int, parent: WrittenRun) -> tuple[Span | None, int]:
        """Return the tool call within which a run was called, and its start if that is not known.

        The parent has the calls of the run behind that call; without any, it is the last call around the time of the
        run.
        """
        run = self.family.runs[position]
        calls = self.family.runs[self.family.parents[position]].tool_calls
        names = self._list_names(position)
        first = next((at for at, call in enumerate(calls) if call.child_agent_trace_id in names), None)
        if first is not None:
            before = [at for at in parent.tools if at < first and not calls[at].is_foreign]
            return parent.tools[before[-1]] if before else None, parent.starts[first]
        latest_ns = max(parent.starts, default=parent.agent.start_time_unix_nano)
        start_ns, end_ns = to_ns(run.started_at), to_ns(run.ended_at)
        around = [
            tool
            for tool in parent.tools.values()
            if start_ns is not None
            and tool.start_time_unix_nano <= start_ns
            and (end_ns or start_ns) <= tool.end_time_unix_nano
        ]
        siblings = self.children[self.family.parents[position]]
        return around[-1] if around else None, latest_ns + _MICROSECOND_NS * (siblings.index(position) + 1)

    def _list_names(self, position: int) -> set[str]:
        """Return the ids of a run and of those below it."""
        below = [position]
        for each in below:
            below += self.children.get(each, ())
        return {self.family.runs[each].agent_trace_id for each in below} - {""}


def _is_separate(parent: AgentTrace, run: AgentTrace, span: Span, start_ns: int) -> bool:
    """Return whether assembly separates the run of an agent directly below another: by their names, within its time."""
    ended_ns = span.end_time_unix_nano
    is_named = None not in {parent.agent_name, run.agent_name} and parent.agent_name != run.agent_name
    return is_named and not 0 < ended_ns <= start_ns
