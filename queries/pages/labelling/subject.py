"""What a person labels: a run, one of its calls, or a session, without any score on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

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

_PARTS: Final[tuple[Part, ...]] = ("tool_calls",)
_MOST: Final = 40
"""The most calls, or turns of a session, that are shown."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Subject:
    """The runs in the order of time, several of a session; the calls of the only run; and which of these is labelled,
    None: not one call but all. Of many, the first and the last are shown, or those around the call: `all` is how many
    there are."""

    runs: Sequence[Run]
    calls: Sequence[ToolCall]
    position: int | None
    all: int

    @property
    def is_cut(self) -> bool:
        """Whether some of the calls or turns are left out."""
        return self.all > max(len(self.calls), len(self.runs))


async def read_subject(visit: Visit, entry: LabellingEntry) -> Subject | None:
    """Return the subject of an entry of the queue; None if it was replaced meanwhile."""

    def read(sources: Sources) -> Subject:
        if entry.scope == "session" and entry.session_id is not None:
            runs = read_session(sources.own, entry.session_id).runs
            return Subject(_cut(runs, None), (), None, len(runs))
        run_id = entry.agent_trace_id or entry.target_id
        run = read_run(sources.own, run_id, at=entry.started_at, parts=_PARTS)
        calls, position = run.tool_calls or (), read_position(entry.target_id)
        place = next((number for number, call in enumerate(calls) if call.position == position), None)
        return Subject((run,), _cut(calls, place), position, len(calls))

    try:
        return await answer_read(visit.site.api, visit.request, read)
    except (UnknownRun, AmbiguousRun, UnknownSession):
        return None


def _cut(parts: Sequence[T], place: int | None) -> Sequence[T]:
    """Return the parts around a place; without one, the first and the last."""
    half = _MOST // 2
    if len(parts) <= _MOST:
        return parts
    if place is None:
        return [*parts[:half], *parts[-half:]]
    begin = min(max(place - half, 0), len(parts) - _MOST)
    return parts[begin : begin + _MOST]


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
