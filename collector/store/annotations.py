"""Keeps what people, and programs that ask for it, say about runs, tool calls, spans and sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import duckdb

from tracegrade.queries.catalog import statement
from tracegrade.queries.ports import Annotation, AnnotationTarget, IdTaken, NoSuchTarget, VagueTarget

from ..feedback import Feedback, Opinion, Subject
from ..places import Place
from .arrow import listed
from .feedback import FeedbackBook
from .results import Results

__all__ = ["Annotations"]

_HINT = "a run can be judged some seconds after its last span has arrived"


class Annotations:
    """Writes annotations through the connection for results, and queues those of people for export."""

    def __init__(
        self, results: Results, *, has_outbox: bool = False, now: Callable[[], datetime] | None = None
    ) -> None:
        self._results = results
        self._has_outbox = has_outbox
        self._now = now or (lambda: datetime.now(UTC).replace(tzinfo=None))

    def write(self, annotations: Sequence[Annotation]) -> list[str]:
        """All of them in one transaction; gives their score_ids in order. Raises AnnotationRefused."""
        book, now = self._results.feedback, self._now()
        with self._results.transaction() as connection:
            subjects = _subjects(book, connection, annotations)
            given = [
                _feedback(one, subject, now=now + timedelta(microseconds=index))  # of two alike the last one counts
                for index, (one, subject) in enumerate(zip(annotations, subjects, strict=True))
            ]
            new = _new(connection, annotations, given)
            book.place(connection, book.keep_all(connection, new), now=now)
            if self._has_outbox:
                _queue(connection, new)
        return [one.score_id for one in given]


def _subjects(
    book: FeedbackBook, connection: duckdb.DuckDBPyConnection, annotations: Sequence[Annotation]
) -> list[Subject]:
    """What each is about. The traces and sessions are there, and so are the runs and calls in them."""
    traces = _traces_of_spans(connection, annotations)
    named = [_named(index, one.target, traces) for index, one in enumerate(annotations)]
    wanted = {one.session_id for one in named if one.session_id is not None}
    sessions = book.sessions(connection, wanted) if wanted else set()
    places = book.find(connection, [one for one in named if one.session_id is None])
    found: list[Subject] = []
    for index, (one, annotation) in enumerate(zip(named, annotations, strict=True)):
        if one.session_id is None:
            place = places.pop(0)
            if place is None:
                _refuse_unknown_call(book, connection, index, one)
            found.append(_settled(index, one, place, annotation.target))
        elif one.session_id in sessions:
            found.append(one)
        else:
            raise NoSuchTarget(index, "target", f"there is no run of the session {one.session_id!r}; {_HINT}")
    return found


def _refuse_unknown_call(book: FeedbackBook, connection: duckdb.DuckDBPyConnection, index: int, named: Subject) -> None:
    """Raises NoSuchTarget where the run is there and the call that was named is not in it."""
    call = {"position": named.tool_call_position, "tool_call_id": named.tool_call_id}
    told = ", ".join(f"{name} {value}" for name, value in call.items() if value is not None)
    if not told:
        return
    (around,) = book.find(connection, [replace(named, tool_call_id=None, tool_call_position=None)])
    if around is not None:
        run = around.run["agent_trace_id"]
        raise NoSuchTarget(index, "target", f"the run {run} has no tool call with {told}; positions count from 0")


def _traces_of_spans(connection: duckdb.DuckDBPyConnection, annotations: Iterable[Annotation]) -> dict[str, list[str]]:
    """The traces in which the span ids occur that come without a trace id."""
    targets = (one.target for one in annotations)
    span_ids = {one.span_id for one in targets if one.span_id is not None and one.trace_id is None}
    found: dict[str, list[str]] = {}
    if span_ids:
        rows = connection.execute(statement("traces_of_spans"), {"span_ids": listed(span_ids)}).fetchall()
        for span_id, trace_id in rows:
            found.setdefault(span_id, []).append(trace_id)
    return found


def _named(index: int, target: AnnotationTarget, traces: dict[str, list[str]]) -> Subject:
    if target.session_id is not None:
        return Subject(session_id=target.session_id)
    if target.agent_trace_id is not None:
        trace_id, _, span_id = target.agent_trace_id.partition("-")
    else:
        trace_id, span_id = target.trace_id or "", target.span_id or ""
    if not trace_id:
        among = traces.get(span_id, [])
        if not among:
            raise NoSuchTarget(index, "target", f"there is no span {span_id}")
        if len(among) > 1:
            raise VagueTarget(index, "target", f"{len(among)} traces have a span {span_id}: name its trace_id, too")
        trace_id = among[0]
    return Subject(
        trace_id=trace_id,
        span_id=span_id or None,
        tool_call_id=target.tool_call_id,
        tool_call_position=target.position,
    )


def _settled(index: int, named: Subject, place: Place | None, target: AnnotationTarget) -> Subject:
    """The subject in the words that hold longest: late spans may change the position of a call, never its span."""
    is_other_run = place is not None and target.agent_trace_id not in {None, place.run["agent_trace_id"]}
    if place is None or is_other_run:
        what = ", ".join(f"{name} {value}" for name, value in target.model_dump(exclude_none=True).items())
        raise NoSuchTarget(index, "target", f"there is no run with {what}; {_HINT}")
    is_by_position = named.tool_call_id is not None or named.tool_call_position is not None
    if place.call is None or not is_by_position:
        return named
    if place.call["span_id"] is not None:
        return Subject(trace_id=named.trace_id, span_id=place.call["span_id"])
    if place.call["tool_call_id"] is not None:
        return Subject(trace_id=named.trace_id, tool_call_id=place.call["tool_call_id"])
    return Subject(
        trace_id=named.trace_id, span_id=place.run["agent_span_id"], tool_call_position=place.call["position"]
    )


def _feedback(annotation: Annotation, subject: Subject, *, now: datetime) -> Feedback:
    time = annotation.time
    if time is not None and time.tzinfo is not None:
        time = time.astimezone(UTC).replace(tzinfo=None)
    return Feedback(
        subject=subject,
        evaluator=annotation.name,
        origin="annotation",
        author=annotation.author,
        kind=annotation.kind,
        given_at=time or now,
        opinion=Opinion(
            value=annotation.value,
            label=annotation.label,
            passed=annotation.passed,
            explanation=annotation.explanation,
        ),
        key=annotation.id,
    )


def _new(
    connection: duckdb.DuckDBPyConnection, annotations: Sequence[Annotation], given: Sequence[Feedback]
) -> list[Feedback]:
    """Those that are not kept yet. Raises IdTaken where an id stands for another verdict."""
    ids = {"score_ids": listed({one.score_id for one in given})}
    found = connection.execute(statement("feedback_of_ids"), ids).to_arrow_table().to_pylist()
    known = {row["score_id"]: row for row in found}
    new: dict[str, Feedback] = {}
    for index, (annotation, one) in enumerate(zip(annotations, given, strict=True)):
        row = one.row()
        earlier = known.setdefault(one.score_id, row)
        if earlier is row:
            new[one.score_id] = one
        said = row if annotation.time is not None else {**row, "scored_at": earlier["scored_at"]}
        if any(earlier[name] != value for name, value in said.items()):
            raise IdTaken(index, "id", f"{annotation.id!r} stands for another verdict of {annotation.author} already")
    return list(new.values())


def _queue(connection: duckdb.DuckDBPyConnection, new: Iterable[Feedback]) -> None:
    row = connection.execute(statement("last_outbox_position")).fetchone()
    connection.execute(
        statement("insert_outbox_of_feedback"),
        {"last_position": row[0] if row else 0, "score_ids": listed(one.score_id for one in new)},
    )
