"""Stores and removes annotations: scores on runs, tool calls, spans and sessions that are given through the API."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import duckdb

from tracegrade.queries.catalog import statement
from tracegrade.queries.ports import (
    Annotation,
    AnnotationReplaced,
    AnnotationTarget,
    IdTaken,
    NoSuchAnnotation,
    NoSuchTarget,
    VagueTarget,
)

from ...clock import as_utc, utc_now
from ...feedback.model import Feedback, ScoreContent, Subject, score_id_of_key
from ...feedback.resolve import ResolvedTarget
from ...spans.values import as_session_id
from ..engines.arrow import listed, read_table
from . import outcomes
from .feedback import FeedbackBook
from .writer import Results

__all__ = ["Annotations"]

_OPINION = {"value", "label", "passed", "explanation"}
_HINT = "a run can be judged some seconds after its last span has arrived"


class Annotations:
    """Writes annotations through the connection for results; with `has_outbox`, queues those of people for export."""

    def __init__(
        self, results: Results, *, has_outbox: bool = False, now: Callable[[], datetime] | None = None
    ) -> None:
        self._results = results
        self._has_outbox = has_outbox
        self._now = now or utc_now

    def write(self, annotations: Sequence[Annotation]) -> list[str]:
        """Store all annotations in one transaction; return their score_ids in order. Raises AnnotationRefused."""
        book, now = self._results.feedback, self._now()
        with self._results.transaction() as connection:
            kept = _kept(connection, filter(None, map(_id, annotations)))
            unknown = {index: one for index, one in enumerate(annotations) if _id(one) not in kept}
            subjects = _subjects(book, connection, unknown)
            given = {
                index: _feedback(one, subjects[index], now=now + timedelta(microseconds=index))  # the last one counts
                for index, one in unknown.items()
            }
            kept |= _kept(connection, (one.score_id for one in given.values() if one.key is None))
            new: dict[str, Feedback] = {}
            for one in given.values():
                if one.score_id not in kept:
                    new[one.score_id] = one
                    kept[one.score_id] = one.row()
            _refuse_taken_ids(annotations, kept)
            touched = book.place(connection, book.keep_all(connection, list(new.values())), now=now)
            outcomes.write(connection, touched)
            if self._has_outbox:
                _queue(connection, new)
        return [_id(one) or given[index].score_id for index, one in enumerate(annotations)]

    def remove(self, score_id: str) -> None:
        """Withdraw a score that a person or another system gave. Raises NoSuchAnnotation and AnnotationReplaced."""
        with self._results.transaction() as connection:
            scored_at = _check_is_removable(connection, score_id)
            connection.execute(
                statement("withdraw_annotation"), {"now": self._now(), "score_id": score_id, "scored_at": scored_at}
            )
            connection.execute(statement("delete_outbox_of_feedback"), {"score_id": score_id})
            touched = outcomes.find_scored_by_people(connection, [score_id], earliest=scored_at, latest=scored_at)
            outcomes.write(connection, touched)


def _subjects(
    book: FeedbackBook, connection: duckdb.DuckDBPyConnection, annotations: Mapping[int, Annotation]
) -> dict[int, Subject]:
    """Return the subject of each annotation. Raises AnnotationRefused if one does not exist."""
    traces = _traces_of_spans(connection, annotations.values())
    named = {index: _named(index, one.target, traces) for index, one in annotations.items()}
    wanted = {one.session_id for one in named.values() if one.session_id is not None}
    sessions = book.sessions(connection, wanted) if wanted else set()
    places = book.find(connection, [one for one in named.values() if one.session_id is None])
    found: dict[int, Subject] = {}
    for index, one in named.items():
        if one.session_id is None:
            place = places.pop(0)
            if place is None:
                _refuse_unknown_call(book, connection, index, one)
            found[index] = _settled(index, one, place, annotations[index].target)
        elif one.session_id in sessions:
            found[index] = one
        else:
            raise NoSuchTarget(index, "target", f"there is no run of the session {one.session_id!r}; {_HINT}")
    return found


def _refuse_unknown_call(book: FeedbackBook, connection: duckdb.DuckDBPyConnection, index: int, named: Subject) -> None:
    """Raise NoSuchTarget if `named` is a tool call that does not exist in a run that does."""
    call = {"position": named.tool_call_position, "tool_call_id": named.tool_call_id}
    description = ", ".join(f"{name} {value}" for name, value in call.items() if value is not None)
    if not description:
        return
    (around,) = book.find(connection, [replace(named, tool_call_id=None, tool_call_position=None)])
    if around is not None:
        run = around.run["agent_trace_id"]
        raise NoSuchTarget(
            index, "target", f"the run {run} has no tool call with {description}; positions count from 0"
        )


def _traces_of_spans(connection: duckdb.DuckDBPyConnection, annotations: Iterable[Annotation]) -> dict[str, list[str]]:
    """Return the trace ids by span id, for targets that name a span without its trace."""
    targets = (one.target for one in annotations)
    span_ids = {one.span_id for one in targets if one.span_id is not None and one.trace_id is None}
    found: dict[str, list[str]] = {}
    if span_ids:
        rows = connection.execute(statement("traces_of_spans"), {"span_ids": listed(span_ids)}).fetchall()
        for span_id, trace_id in rows:
            found.setdefault(span_id, []).append(trace_id)
    return found


def _named(index: int, target: AnnotationTarget, traces: dict[str, list[str]]) -> Subject:
    """Return the subject that a target names. Raises NoSuchTarget, and VagueTarget if several traces have the span."""
    if target.session_id is not None:
        return Subject(session_id=as_session_id(target.session_id))
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


def _settled(index: int, named: Subject, place: ResolvedTarget | None, target: AnnotationTarget) -> Subject:
    """Return the subject with its most stable ids: late spans may change the position of a call, never its span.

    Raises NoSuchTarget if the run does not exist.
    """
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
    return Feedback(
        subject=subject,
        evaluator=annotation.name,
        origin="annotation",
        author=annotation.author,
        kind=annotation.kind,
        given_at=now if annotation.time is None else as_utc(annotation.time),
        content=ScoreContent(
            value=annotation.value,
            label=annotation.label,
            passed=annotation.passed,
            explanation=annotation.explanation,
        ),
        key=annotation.id,
        named=_words(annotation.target),
    )


def _id(annotation: Annotation) -> str | None:
    """Return the score_id of an annotation with an id of its sender, which does not depend on its target; else None."""
    return None if annotation.id is None else score_id_of_key(annotation.kind, annotation.author, annotation.id)


def _words(target: AnnotationTarget) -> str:
    """Return the target as JSON, as its sender named it."""
    return target.model_dump_json(exclude_none=True)


def _kept(connection: duckdb.DuckDBPyConnection, score_ids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the stored rows of feedback by score_id."""
    ids = {"score_ids": listed(set(score_ids))}
    found = read_table(connection, "feedback_of_ids", ids).to_pylist()
    return {row["score_id"]: row for row in found}


def _refuse_taken_ids(annotations: Sequence[Annotation], kept: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise IdTaken if the id of an annotation is that of a stored one with other content or another target."""
    for index, one in enumerate(annotations):
        if one.id is None:
            continue
        earlier = kept[score_id_of_key(one.kind, one.author, one.id)]
        content = {"evaluator": one.name, "named": _words(one.target), **one.model_dump(include=_OPINION)}
        if one.time is not None:
            content["scored_at"] = as_utc(one.time)
        if any(earlier[name] != value for name, value in content.items()):
            raise IdTaken(index, "id", f"{one.id!r} stands for another score of {one.author} already")


def _check_is_removable(connection: duckdb.DuckDBPyConnection, score_id: str) -> datetime:
    """Return the time of the score. Raises NoSuchAnnotation and AnnotationReplaced."""
    stored = _kept(connection, [score_id]).get(score_id)
    if stored is None:
        raise NoSuchAnnotation(
            f"there is no annotation {score_id!r}; scores of evaluators cannot be removed. GET /api/v1/annotations or "
            "the column score_id of the view annotations have the ids"
        )
    about = {"score_id": score_id, "scored_at": stored["scored_at"]}
    row = connection.execute(statement("standing_of_feedback"), about).fetchone()
    if row is None:
        raise NoSuchAnnotation(f"{score_id!r} is about a run that is not stored yet, so there is no score to remove")
    active, reason, newer = row
    if not active and newer is not None and reason != "withdrawn":
        raise AnnotationReplaced(f"{score_id!r} is not active, since {newer!r} has replaced it: remove that")
    time: datetime = stored["scored_at"]
    return time


def _queue(connection: duckdb.DuckDBPyConnection, score_ids: Iterable[str]) -> None:
    """Insert annotations of people into the outbox."""
    row = connection.execute(statement("last_outbox_position")).fetchone()
    connection.execute(
        statement("insert_outbox_of_feedback"),
        {"last_position": row[0] if row else 0, "score_ids": listed(score_ids)},
    )
