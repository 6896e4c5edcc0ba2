"""What a person labels: a run, one of its calls, or a session, without any score on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ...answers.run import Run, ToolCall
from ...http.labelling import LabellingEntry
from ...http.reads import answer_read
from ...ports import AnnotationTarget
from ...read.run import AmbiguousRun, UnknownRun, read_run
from ...read.run_parts import Part
from ...read.sessions import UnknownSession, read_session
from ...read.source import Sources
from ..visit import Visit

__all__ = ["Subject", "make_target", "read_position", "read_subject"]

_PARTS: Final[tuple[Part, ...]] = ("tool_calls",)


@dataclass(frozen=True, slots=True)
class Subject:
    """The runs in the order of time, several of a session; the calls of the only run; and which of these is labelled,
    None: not one call but all."""

    runs: Sequence[Run]
    calls: Sequence[ToolCall]
    position: int | None


async def read_subject(visit: Visit, entry: LabellingEntry) -> Subject | None:
    """Return the subject of an entry of the queue; None if it was replaced meanwhile."""

    def read(sources: Sources) -> Subject:
        if entry.scope == "session" and entry.session_id is not None:
            return Subject(read_session(sources.own, entry.session_id).runs, (), None)
        run_id = entry.agent_trace_id or entry.target_id
        run = read_run(sources.own, run_id, at=entry.started_at, parts=_PARTS)
        return Subject((run,), run.tool_calls or (), read_position(entry.target_id))

    try:
        return await answer_read(visit.site.api, visit.request, read)
    except (UnknownRun, AmbiguousRun, UnknownSession):
        return None


def make_target(target_id: str) -> AnnotationTarget:
    """Return the target of a label by its id."""
    kind, _, session_id = target_id.partition("session:")
    if not kind and session_id:
        return AnnotationTarget(session_id=session_id)
    return AnnotationTarget(agent_trace_id=target_id.partition("#")[0], position=read_position(target_id))


def read_position(target_id: str) -> int | None:
    """Return the position of the call that the id of a target names; None if it names none."""
    text = "" if target_id.startswith("session:") else target_id.partition("#")[2]
    return int(text) if text.isascii() and text.isdigit() else None
