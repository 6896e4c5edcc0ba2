"""Reads a rollout line by line: each turn of Codex is a run, which is returned when the next one begins.

Turns have an id and events that begin and end them; in the first versions, a prompt begins a turn. A fork repeats the
turns of its parent, with their ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from ...model import AgentTrace, JsonObject, LlmCall
from ...pricing.model_name import model_name
from ..field_values import text_at
from ..imported import Imported, RecordFault
from ..kind import OpenSubAgent
from ..record import Record
from ..run_draft import join_sub_agents
from ..run_id import make_run_id
from .line import BESIDE_RUNS, Line, is_context, read_line, text_of_content
from .spawn import find_spawned
from .turn import Turn, read_usage

__all__ = ["KIND_NAME", "read_rollout"]

KIND_NAME: Final = "codex"
_ENDS: Final = frozenset({"task_complete", "turn_complete", "turn_aborted", "error"})
_STARTS: Final = frozenset({"task_started", "turn_started"})
_FACTS: Final = {"cwd": "cwd", "originator": "originator", "cli_version": "version", "model_provider": "model_provider"}


def read_rollout(
    records: Iterable[Record],
    open_sub_agent: OpenSubAgent | None = None,
    *,
    above: str | None = None,
    opened: frozenset[str] = frozenset(),
) -> Iterator[Imported | RecordFault]:
    """Read the runs of a session; those of sub-agents follow the run that started them.

    `open_sub_agent` gives the rollouts of sub-agents, by the ids of their threads; `opened` names those that are read
    already. `above` is the id of the run that started the session of a sub-agent.
    """
    session = _Session(open_sub_agent, opened, above)
    for record in records:
        yield from session.add(record)
    yield from session.flush(is_end=True)


class _Session:
    """The lines of the current turn, and what is known of the session."""

    def __init__(self, open_sub_agent: OpenSubAgent | None, opened: frozenset[str], above: str | None) -> None:
        self._open = open_sub_agent
        self._above = above
        self._opened = opened
        self._turn: Turn | None = None
        self._context: list[tuple[str, str, Any]] = []
        self._turn_id: str | None = None
        self._model: str | None = None
        self._total: JsonObject | None = None
        self._thread_id: str | None = None
        self._agent_name: str = KIND_NAME
        self._first_ordinal = 0
        self._facts: JsonObject = {}
        self._unknown: Counter[str] = Counter()
        self._count = 0

    def add(self, record: Record) -> Iterator[Imported | RecordFault]:
        if record.fault is not None:
            yield RecordFault(record.place, record.fault)
            return
        try:
            line = read_line(record.value, record.place)
            if line is None:
                self._count_unknown(record.value.get("type"))
            elif line.ordinal is None or line.ordinal >= self._first_ordinal or line.type == "session_meta":
                yield from self._add_line(line)
        except ValueError as error:
            yield RecordFault(record.place, str(error))
        except RecursionError:
            yield RecordFault(record.place, "it is nested too deeply")

    def _count_unknown(self, sort: Any) -> None:
        if isinstance(sort, str) and sort not in BESIDE_RUNS:
            self._unknown[sort] += 1

    def _add_line(self, line: Line) -> Iterator[Imported | RecordFault]:
        if line.type == "session_meta":
            self._begin(line.payload)
        elif line.type == "turn_context":
            yield from self._change_turn(text_at(line.payload, "turn_id", "payload"))
            self._model = text_at(line.payload, "model", "payload") or self._model
        elif line.type == "event_msg":
            yield from self._add_event(line)
        elif line.kind == "message" and line.payload.get("role") != "assistant":
            yield from self._add_message(line)
        elif line.kind not in {"compaction", "ghost_snapshot"}:
            turn = self._turn or self._begin_turn(line)
            turn.add_item(line, self._make_llm_call())
            self._turn = turn

    def _begin(self, meta: JsonObject) -> None:
        """Note what the first line says; a second one is that of the parent of a fork."""
        if self._thread_id is not None:
            return
        self._thread_id = text_at(meta, "id", "payload")
        facts = [(name, text_at(meta, key, "payload")) for key, name in _FACTS.items()]
        self._facts.update({name: value for name, value in facts if value})
        first_ordinal = meta.get("subagent_history_start_ordinal")
        self._first_ordinal = first_ordinal if isinstance(first_ordinal, int) else 0
        source = meta.get("source")
        sub_agent = source.get("subagent") if isinstance(source, dict) else None
        spawn = sub_agent.get("thread_spawn") if isinstance(sub_agent, dict) else None
        recorded = {**meta, **(spawn if isinstance(spawn, dict) else {})}
        names = (recorded.get("agent_role"), recorded.get("agent_nickname"), sub_agent)
        self._agent_name = next((name for name in names if isinstance(name, str) and name), KIND_NAME)
        if isinstance(recorded.get("parent_thread_id"), str):
            self._facts["parent_thread_id"] = recorded["parent_thread_id"]

    def _change_turn(self, turn_id: str | None) -> Iterator[Imported | RecordFault]:
        if turn_id is not None and turn_id != self._turn_id:
            yield from self.flush()
            self._turn_id = turn_id

    def _make_llm_call(self) -> LlmCall:
        model = self._model
        return LlmCall(
            provider_name=self._facts.get("model_provider"),
            model=None if model is None else model_name(model),
            request_model=model,
        )

    def _begin_turn(self, line: Line) -> Turn:
        turn = Turn(line.place, line.time, self._turn_id)
        for role, text, time in self._context:
            turn.add_message(role, text, time)
        self._context = []
        return turn

    def _add_message(self, line: Line) -> Iterator[Imported | RecordFault]:
        role, text = text_at(line.payload, "role", "payload"), text_of_content(line.payload.get("content"))
        if role is None:
            raise ValueError("payload.role is missing; write user, assistant, system or developer")
        if text is None:
            return
        role = "system" if role == "developer" else role
        if role != "user" or is_context(text):
            if self._turn is None or self._turn.is_done:
                self._context.append((role, text, line.time))
            else:
                self._turn.add_message(role, text, line.time)
            return
        if self._turn is not None and (self._turn.is_finished or (self._turn_id is None and self._turn.has_answer)):
            yield from self.flush()
        turn = self._turn or self._begin_turn(line)
        turn.prompt = text if turn.prompt is None else turn.prompt
        turn.add_message(role, text, line.time)
        self._turn = turn

    def _add_event(self, line: Line) -> Iterator[Imported | RecordFault]:
        if line.kind in _STARTS:
            yield from self._change_turn(text_at(line.payload, "turn_id", "payload"))
        elif line.kind == "token_count":
            last, self._total = read_usage(line.payload, self._total)
            if self._turn is not None and last is not None:
                self._turn.add_usage(last)
        elif self._turn is not None:
            self._turn.add_event(line)

    def flush(self, *, is_end: bool = False) -> Iterator[Imported | RecordFault]:
        """Yield the runs of the current turn and of its sub-agents."""
        turn, self._turn = self._turn, None
        if turn is None:
            return
        self._count += 1
        is_open = is_end and not turn.is_finished
        name = self._name_run(turn, is_open=is_open)
        run = turn.finish(
            make_run_id(KIND_NAME, name, above=self._above),
            agent_name=self._agent_name,
            agent_version=self._facts.get("version"),
            session_id=self._thread_id,
            completeness="partial" if is_open else "complete",
        )
        families: list[tuple[AgentTrace, ...]] = []
        for entry in self._read_below(turn, run.agent_trace_id):
            if isinstance(entry, RecordFault):
                yield entry
            else:
                families.append(entry)
        metadata = self._describe(turn)
        for position, each in enumerate(join_sub_agents(run, families)):
            name_of_run = name if position == 0 else each.agent_trace_id
            yield Imported(turn.place, id=name_of_run, run=each, input=each.input, metadata=metadata)

    def _read_below(self, turn: Turn, above: str) -> Iterator[tuple[AgentTrace, ...] | RecordFault]:
        """Yield the runs of the sub-agents that the turn started, each with those below it."""
        for name in find_spawned(turn.draft.calls):
            records = None if self._open is None or name in self._opened else self._open(name)
            if records is None:
                continue
            self._opened |= {name}
            families: list[list[AgentTrace]] = []
            for entry in read_rollout(records, self._open, above=above, opened=self._opened):
                if isinstance(entry, RecordFault):
                    yield RecordFault(f"sub-agent {name}, {entry.place}", entry.reason)
                elif entry.run is not None and entry.run.parent_agent_trace_id is None:
                    families.append([entry.run])
                elif entry.run is not None:
                    families[-1].append(entry.run)
            yield from map(tuple, families)

    def _name_run(self, turn: Turn, *, is_open: bool) -> str:
        """Return what identifies a run: the same whenever its session is read, but another one once it has gone on."""
        began = turn.started_at.isoformat() if turn.started_at else str(self._count)
        key = turn.turn_id or f"{self._thread_id or ''}:{began}"
        return f"{key}@{turn.ended_at.isoformat()}" if is_open and turn.ended_at is not None else key

    def _describe(self, turn: Turn) -> JsonObject:
        interrupted = {"interrupted": True} if turn.is_interrupted else {}
        unknown = {"unknown_lines": dict(self._unknown)} if self._unknown else {}
        return {**self._facts, **interrupted, **unknown}
