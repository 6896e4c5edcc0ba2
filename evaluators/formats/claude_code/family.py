"""Joins a run with those of the sub-agents that it started, in the same file or in files of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from ...model import AgentTrace, ToolCall
from ..imported import RecordFault
from ..kind import OpenSubAgent
from ..record import Record
from ..run_draft import join_sub_agents
from ..run_id import make_run_id
from .line import Line, read_line
from .turn import Turn

__all__ = ["Family", "add_to_thread"]

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,200}")
_NAMES: Final = ("subagent_type", "agent_type")


class _SubAgent(NamedTuple):
    """What is recorded of a sub-agent: its id or the beginning of its thread, its lines, and its name."""

    key: str
    turn: Turn
    name: str | None = None


class Family:
    """The sub-agents below one turn. `faults` are the lines of their files that cannot be read."""

    def __init__(self, threads: Mapping[str, Turn], open_sub_agent: OpenSubAgent | None) -> None:
        self.faults: list[RecordFault] = []
        self._threads = dict(threads)
        self._open = open_sub_agent
        self._opened: set[str] = set()

    def join(self, turn: Turn, run_id: str, **fields: Any) -> tuple[AgentTrace, ...]:
        """Return the run of a turn with all its sub-agents behind it, also those whose call is not recorded."""
        run = turn.finish(run_id, **fields)
        families = [self._join_below(child, run_id, fields) for child in self._find_below(turn)]
        while self._threads:
            key = next(iter(self._threads))
            families.append(self._join_below(_SubAgent(key, self._threads.pop(key)), run_id, fields))
        return join_sub_agents(run, families)

    def _join_below(self, child: _SubAgent, above_id: str, fields: Mapping[str, Any]) -> tuple[AgentTrace, ...]:
        run_id = make_run_id(above_id, child.key, above=above_id)
        run = child.turn.finish(run_id, **{**fields, "agent_name": child.name})
        families = [self._join_below(below, run_id, fields) for below in self._find_below(child.turn)]
        return join_sub_agents(run, families)

    def _find_below(self, turn: Turn) -> Iterator[_SubAgent]:
        for call in turn.draft.calls:
            agent_id = turn.spawned.get(call.id or "")
            key = self._find_thread(call, agent_id)
            thread = self._threads.pop(key) if key is not None else self._read_file(agent_id)
            if thread is not None:
                yield _SubAgent(key or agent_id or "", thread, _name_of(call))

    def _find_thread(self, call: ToolCall, agent_id: str | None) -> str | None:
        """Return the key of the thread that a call started: the agent's id, the call's, or that with its prompt."""
        for key in (agent_id, call.id):
            if key is not None and key in self._threads:
                return key
        prompt = (call.args or {}).get("prompt")
        if not isinstance(prompt, str):
            return None
        return next((key for key, thread in self._threads.items() if thread.prompt == prompt), None)

    def _read_file(self, agent_id: str | None) -> Turn | None:
        if self._open is None or agent_id is None or agent_id in self._opened or not _ID.fullmatch(agent_id):
            return None
        self._opened.add(agent_id)
        turn: Turn | None = None
        for record in self._open(agent_id) or ():
            place = f"sub-agent {agent_id}, {record.place}"
            line, fault = _read(record, place)
            if fault is not None:
                self.faults.append(fault)
            elif line is not None:
                try:
                    turn = add_to_thread(turn, line)
                except ValueError as error:
                    self.faults.append(RecordFault(place, str(error)))
        return turn


def add_to_thread(turn: Turn | None, line: Line) -> Turn | None:
    """Add a line to the thread of a sub-agent, which it may begin; return the thread."""
    if line.type not in {"assistant", "user"}:
        return turn
    if turn is None:
        turn = Turn(line, line.text if line.type == "user" else None)
        if line.type == "user":
            return turn
    if line.type == "assistant":
        turn.add_answer(line)
    elif not turn.add_results(line) and line.text is not None:
        turn.add_text(line, line.text)
    turn.touch(line)
    return turn


def _read(record: Record, place: str) -> tuple[Line | None, RecordFault | None]:
    if record.fault is not None:
        return None, RecordFault(place, record.fault)
    try:
        return read_line(record.value, place), None
    except ValueError as error:
        return None, RecordFault(place, str(error))


def _name_of(call: ToolCall) -> str | None:
    given = call.args or {}
    return next((given[key] for key in _NAMES if isinstance(given.get(key), str)), None)
