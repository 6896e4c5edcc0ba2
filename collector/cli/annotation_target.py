"""The target of an annotation on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tracegrade.queries.catalog import report

from ..client.runs import read_runs, select_run
from ..client.source import Source
from ..errors import Fault
from ..feedback.annotation_file import SESSION

__all__ = ["AnnotationPlace", "name_id"]

_NOTHING: Final = 1


@dataclass(frozen=True, slots=True)
class AnnotationPlace:
    """The options that name a target. `id` is the beginning of an id of a trace or run, or a target_id of `scores`."""

    id: str
    span: str | None = None
    call: str | None = None
    session: bool = False

    @classmethod
    def parse(cls, id_: str, *, span: str | None, call: str | None, session: bool) -> AnnotationPlace:
        """Build it from the options; a call may be named in the id, as in `RUN#0`. Raises Fault."""
        run, _, position = id_.partition("#")
        is_session = id_.startswith(SESSION)
        if sum((span is not None, call is not None, session, bool(position), is_session)) > 1:
            raise Fault("choose one of --span, --call and --session, or a target_id that names a call or session")
        if is_session:
            return cls(id_)
        return cls(run, span, call or position or None, session)

    def build_target(self, source: Source) -> dict[str, Any]:
        """Build the target for the API. The id of a trace means its outermost run. Raises Fault."""
        if self.id.startswith(SESSION):
            return {"session_id": self.id.removeprefix(SESSION)}
        if self.span is not None:
            return {"trace_id": read_runs(source.read, self.id)[0]["trace_id"], "span_id": self.span}
        run = select_run(source.read, self.id)
        if self.session:
            return {"session_id": _get_session_id(run)}
        target = {name_id(self.id): run[name_id(self.id)]}
        if self.call is None:
            return target
        return {**target, **({"position": int(self.call)} if self.call.isdecimal() else {"tool_call_id": self.call})}

    def find_target_id(self, source: Source) -> str:
        """Return the target_id that scores on it have; for a span the id of its trace. Raises Fault."""
        if self.id.startswith(SESSION):
            return self.id
        if self.span is not None:
            return str(read_runs(source.read, self.id)[0]["trace_id"])
        run = select_run(source.read, self.id)
        if self.session:
            return f"{SESSION}{_get_session_id(run)}"
        if self.call is None:
            return str(run["agent_trace_id"])
        return f"{run['agent_trace_id']}#{_find_position(source, run, self.call)}"


def name_id(prefix: str) -> str:
    """Return which id has this prefix: agent_trace_id or trace_id."""
    return "agent_trace_id" if "-" in prefix else "trace_id"


def _get_session_id(run: Mapping[str, Any]) -> str:
    if run["session_id"] is None:
        raise Fault(f"{run['agent_trace_id']} does not belong to a session", exit_code=_NOTHING)
    return str(run["session_id"])


def _find_position(source: Source, run: Mapping[str, Any], call: str) -> int:
    if call.isdecimal():
        return int(call)
    asked = {"agent_trace_id": run["agent_trace_id"], "tool_call_id": call}
    rows = source.read(report("position_of_call"), parameters=asked).rows
    if not rows:
        raise Fault(f"{run['agent_trace_id']} has no tool call with the id {call!r}", exit_code=_NOTHING)
    return int(rows[0][0])
