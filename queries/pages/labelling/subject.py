"""What a person labels: a run, one of its calls, or a session, without any score on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from ...answers.run import Run, ToolCall
from ...http.labelling import LabellingEntry
from ...http.reads import answer_read
from ...ports import AnnotationTarget
from ...read.run import AmbiguousRun, UnknownRun, read_run
from ...read.run_parts import Part
from ...read.sessions import UnknownSession, read_session
from ...read.source import Sources
from ..errors import PageError
from ..visit import Visit
from ..whole_number import as_whole_number

__all__ = ["Subject", "make_target", "read_position", "read_subject"]

_MOST_RUNS: Final = 40
_MOST_CALLS: Final = 60
_PARTS: Final[tuple[Part, ...]] = ("tool_calls",)


@dataclass(frozen=True, slots=True)
class Subject:
    """The runs in the order of time, several of a session; the calls of the only run; and which of these is labelled,
    None: not one call but all. Runs before these, and calls before and after these, are left out."""

    runs: Sequence[Run]
    calls: Sequence[ToolCall]
    position: int | None
    runs_left_out: int = 0
    calls_left_out: int = 0

    @classmethod
    def of_session(cls, runs: Sequence[Run]) -> Self:
        """Return the newest turns of a session, as many as fit on a page."""
        return cls(runs[-_MOST_RUNS:], (), None, runs_left_out=max(len(runs) - _MOST_RUNS, 0))

    @classmethod
    def of_run(cls, run: Run, calls: Sequence[ToolCall], position: int | None) -> Self:
        """Return a run with its first calls, or those around the one that is labelled."""
        begin = max(min((position or 0) - _MOST_CALLS // 2, len(calls) - _MOST_CALLS), 0)
        shown = calls[begin : begin + _MOST_CALLS]
        return cls((run,), shown, position, calls_left_out=len(calls) - len(shown))


async def read_subject(visit: Visit, entry: LabellingEntry) -> Subject | None:
    """Return the subject of an entry of the queue; None if it was replaced meanwhile."""

    def read(sources: Sources) -> Subject:
        if entry.scope == "session" and entry.session_id is not None:
            return Subject.of_session(read_session(sources.own, entry.session_id).runs)
        run_id = entry.agent_trace_id or entry.target_id
        run = read_run(sources.own, run_id, at=entry.started_at, parts=_PARTS)
        return Subject.of_run(run, run.tool_calls or (), read_position(entry.target_id))

    try:
        return await answer_read(visit.site.api, visit.request, read)
    except (UnknownRun, AmbiguousRun, UnknownSession):
        return None


def make_target(target_id: str) -> AnnotationTarget:
    """Return the target of a label by its id. Raises PageError if it names no place of a call."""
    kind, _, session_id = target_id.partition("session:")
    if not kind and session_id:
        return AnnotationTarget(session_id=session_id)
    position = read_position(target_id)
    if position is None and "#" in target_id:
        raise PageError(400, "This label was not stored", f"{target_id[:100]!r} names no call of a run.")
    return AnnotationTarget(agent_trace_id=target_id.partition("#")[0], position=position)


def read_position(target_id: str) -> int | None:
    """Return the position of the call that the id of a target names; None if it names none."""
    text = "" if target_id.startswith("session:") else target_id.partition("#")[2]
    return as_whole_number(text)
