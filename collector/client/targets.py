"""Reads stored runs, sessions and tools as evaluators receive them, from a source that answers SELECTs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import pyarrow as pa

from tracegrade.evaluators.definition.registry import Scope
from tracegrade.queries.catalog import statement

from ..records.arrow_batch import Batch
from ..records.row_mapping import REFERENCES, TOOLS, tools_of, traces_of
from ..references.rules import References
from ..store.engines.arrow import listed
from ..store.ledger.conditions import Decisions
from ..store.ledger.references import ATTRIBUTES, look_up_references
from ..store.ledger.targets import Sessions
from ..store.results.stored_runs import LINKED_LOADS, LOADS
from .conditions import decide
from .query import Read, split

__all__ = ["Targets"]

_PORTION: Final = 100
"""The number of runs or tools in memory at once; a tenth of it for sessions."""


class _Truncated(Exception):
    """The answer exceeds the limits of the source."""


class Targets:
    """Loads targets in portions. Those in `unread` are too large to read, and are left out."""

    def __init__(self, read: Read, references: References) -> None:
        self._read = read
        self._references = references
        self.unread: list[str] = []

    def load(self, scope: Scope, target_ids: Sequence[str]) -> Iterator[Batch[Any]]:
        """Load these targets of a scope, one portion after the other; a portion that is too large is divided."""
        size = _PORTION // 10 if scope == "session" else _PORTION
        self.unread.clear()
        waiting = split(target_ids, size)[::-1]
        while waiting:
            part = waiting.pop()
            try:
                yield self._load_portion(scope, part)
            except _Truncated:
                if len(part) == 1:
                    self.unread += part
                else:
                    waiting += [part[len(part) // 2 :], part[: len(part) // 2]]

    def _load_portion(self, scope: Scope, target_ids: Sequence[str]) -> Batch[Any]:
        if scope == "tool":
            return Batch(
                {TOOLS: self._read_table("tools_of_targets", target_ids=target_ids)}, tools_of, key="target_id"
            )
        if scope == "session":
            return self._load_sessions(target_ids)
        return Batch(self._load_runs(target_ids), traces_of, key="agent_trace_id")

    def _load_sessions(self, target_ids: Sequence[str]) -> Sessions:
        members = self._read_table("runs_of_sessions", target_ids=target_ids)
        stored = set(members.column("target_id").to_pylist())
        runs = self._load_runs(members.column("agent_trace_id").to_pylist(), are_linked=True)
        return Sessions([target for target in target_ids if target in stored], members, runs)

    def _load_runs(self, agent_trace_ids: Sequence[str], *, are_linked: bool = False) -> Mapping[str, pa.Table]:
        names = LINKED_LOADS if are_linked else LOADS
        tables = {table: self._read_table(name, agent_trace_ids=agent_trace_ids) for table, name in names.items()}
        references = look_up_references(
            tables["agent_traces"], self._references, attributes=self._read_attributes, decide=self._decide
        )
        return {**tables, REFERENCES: references}

    def _read_attributes(self, parameters: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        values = {
            name: value.isoformat() if isinstance(value, datetime) else value for name, value in parameters.items()
        }
        answer = self._read(statement(ATTRIBUTES), parameters=values)
        if answer.truncated:
            raise _Truncated
        return answer.rows

    def _decide(self, condition: str, agent_trace_ids: Sequence[str]) -> Decisions:
        return decide(self._read, condition, agent_trace_ids)

    def _read_table(self, name: str, **ids: Sequence[str]) -> pa.Table:
        answer = self._read(statement(name), parameters={key: listed(value) for key, value in ids.items()})
        if answer.truncated:
            raise _Truncated
        return answer.table
