"""Reads a session line by line: each prompt of the user begins a run, which is returned when the next one begins.

Lines that the file repeats, as resumed sessions do, count once. Lines of types that are not known are counted in the
metadata of the run, since new versions add some.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from ...model import JsonObject, ToolDefinition
from ..field_values import text_at
from ..imported import Imported, RecordFault
from ..kind import OpenSubAgent
from ..record import Record
from ..run_id import make_run_id
from ..spelling import amount
from .family import Family, add_to_thread
from .line import BESIDE_RUNS, Line, read_line
from .prompt import classify, command_text
from .turn import Turn

__all__ = ["KIND_NAME", "read_session"]

KIND_NAME: Final = "claude-code"
_FACTS: Final = {"version": "version", "claude_code_version": "version", "cwd": "cwd", "gitBranch": "git_branch"}


def read_session(
    records: Iterable[Record], open_sub_agent: OpenSubAgent | None = None
) -> Iterator[Imported | RecordFault]:
    """Read the runs of a session; those of sub-agents follow the run that started them.

    `open_sub_agent` gives the files `subagents/agent-<id>.jsonl` by their ids, of letters, digits, `-` and `_`.
    """
    session = _Session(open_sub_agent)
    for record in records:
        yield from session.add(record)
    yield from session.flush(is_end=True)


class _Session:
    """The lines of the current turn, and what is known of the session."""

    def __init__(self, open_sub_agent: OpenSubAgent | None) -> None:
        self._open = open_sub_agent
        self._turn: Turn | None = None
        self._threads: dict[str, Turn] = {}
        self._chains: dict[str, str] = {}
        self._seen: set[int] = set()  # hashes, since a session may have a million lines
        self._session_id: str | None = None
        self._facts: JsonObject = {}
        self._tools: tuple[ToolDefinition, ...] | None = None
        self._unknown: Counter[str] = Counter()
        self._count = 0

    def add(self, record: Record) -> Iterator[Imported | RecordFault]:
        if record.fault is not None:
            yield RecordFault(record.place, record.fault)
            return
        try:
            line = read_line(record.value, record.place)
            if line is None:
                self._count_unknown(record.value["type"])
            elif line.uuid is None or hash(line.uuid) not in self._seen:
                yield from self._add_line(line)
                self._seen.add(hash(line.uuid))
        except ValueError as error:
            yield RecordFault(record.place, str(error))
        except RecursionError:
            yield RecordFault(record.place, "it is nested too deeply")

    def _count_unknown(self, sort: str) -> None:
        if sort not in BESIDE_RUNS:
            self._unknown[sort] += 1

    def _add_line(self, line: Line) -> Iterator[Imported | RecordFault]:
        if line.type == "system" and line.value.get("subtype") == "init":
            yield from self.flush()
            self._begin(line)
        self._note_facts(line)
        if line.is_sidechain:
            self._add_to_thread(line)
        elif line.type == "user":
            yield from self._add_user(line)
        elif line.type == "assistant":
            turn = self._turn or Turn(line, None)
            turn.add_answer(line)
            turn.touch(line)
            self._turn = turn
        elif self._turn is not None:
            yield from self._add_beside(self._turn, line)

    def _begin(self, line: Line) -> None:
        tools = line.value.get("tools")
        names = [name for name in tools if isinstance(name, str) and name] if isinstance(tools, list) else None
        self._tools = None if names is None else tuple(ToolDefinition(name=name) for name in names)

    def _note_facts(self, line: Line) -> None:
        self._session_id = line.session_id or self._session_id
        facts = [(name, text_at(line.value, key)) for key, name in _FACTS.items()]
        self._facts.update({name: value for name, value in facts if value})

    def _add_to_thread(self, line: Line) -> None:
        """Add a line of a sub-agent to its thread: that of its agent, of its call, or of the line that it follows."""
        parent = text_at(line.value, "parentUuid")
        key = line.thread or self._chains.get(parent or "") or line.uuid or f"thread-{len(self._threads)}"
        thread = add_to_thread(self._threads.get(key), line)
        if line.uuid is not None:
            self._chains[line.uuid] = key
        if thread is not None:
            self._threads[key] = thread

    def _add_user(self, line: Line) -> Iterator[Imported | RecordFault]:
        if any(block.get("type") == "tool_result" for block in line.blocks):
            self._turn = self._turn or Turn(line, None)
            _add_results(self._turn, line)
            return
        text = line.text
        sort = "nothing" if text is None and not _has_media(line) else classify(line, text or "")
        if sort in {"prompt", "command"}:
            yield from self.flush()
            is_command = sort == "command"
            self._turn = Turn(line, command_text(text or "") if is_command else text or "", is_command=is_command)
        elif sort == "interruption" and self._turn is not None:
            self._turn.is_interrupted = True
            self._turn.touch(line)
        elif sort == "context" and self._turn is not None:
            self._turn.add_text(line, text or "")

    def _add_beside(self, turn: Turn, line: Line) -> Iterator[Imported | RecordFault]:
        value = line.value
        if line.type == "result":
            turn.add_result_line(line)
            yield from self.flush()
        elif value.get("subtype") == "turn_duration":
            turn.figures["duration_ms"] = amount(value, "durationMs")
        elif line.type == "attachment":
            attachment = value.get("attachment")
            queued = attachment.get("prompt") if isinstance(attachment, dict) else None
            if isinstance(queued, str) and queued:  # what the user wrote while the agent worked
                turn.add_text(line, queued)

    def flush(self, *, is_end: bool = False) -> Iterator[Imported | RecordFault]:
        """Yield the runs of the current turn and of its sub-agents."""
        turn, threads = self._turn, self._threads
        self._turn, self._threads, self._chains = None, {}, {}
        if turn is None and threads:  # the file of a sub-agent by itself
            turn = threads.pop(next(iter(threads)))
        if turn is None or (turn.is_command and not turn.has_answer):
            return
        self._count += 1
        is_open = is_end and not turn.is_finished
        family = Family(threads, self._open)
        name = self._name_run(turn, is_open=is_open)
        runs = family.join(turn, make_run_id(KIND_NAME, name), **self._fields(is_open=is_open))
        metadata = self._describe(turn)
        yield from family.faults
        for position, run in enumerate(runs):
            name_of_run = name if position == 0 else run.agent_trace_id
            yield Imported(turn.place, id=name_of_run, run=run, input=run.input, metadata=metadata)

    def _name_run(self, turn: Turn, *, is_open: bool) -> str:
        """Return what identifies a run: the same whenever its session is read, but another one once it has gone on."""
        key = turn.key or f"{self._session_id or ''}:{self._count}"
        return f"{key}@{turn.last_key}" if is_open and turn.last_key != turn.key else key

    def _fields(self, *, is_open: bool) -> dict[str, Any]:
        return {
            "agent_name": KIND_NAME,
            "agent_version": self._facts.get("version"),
            "session_id": self._session_id,
            "tool_definitions": self._tools,
            "completeness": "partial" if is_open else "complete",
        }

    def _describe(self, turn: Turn) -> JsonObject:
        interrupted = {"interrupted": True} if turn.is_interrupted else {}
        unknown = {"unknown_lines": dict(self._unknown)} if self._unknown else {}
        return {**self._facts, **interrupted, **unknown}


def _add_results(turn: Turn, line: Line) -> None:
    """Add results of tools, and the text beside them, which the program wrote."""
    turn.add_results(line)
    turn.touch(line)
    if line.text is not None and classify(line, line.text) == "interruption":
        turn.is_interrupted = True
    elif line.text is not None:
        turn.add_text(line, line.text)


def _has_media(line: Line) -> bool:
    return any(block.get("type") in {"image", "document"} for block in line.blocks)
