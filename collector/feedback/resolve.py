"""Finds what feedback is about: the run, or the tool call in a run, that its sender's words name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

from .model import Subject

__all__ = ["Place", "Places"]

Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """A run, or the `call` in it; `span_id` is the span that was named, else that of the call or the run."""

    run: Row
    span_id: str
    call: Row | None = None

    @property
    def target_id(self) -> str:
        """As in `scores`."""
        run: str = self.run["agent_trace_id"]
        return run if self.call is None else f"{run}#{self.call['position']}"


class Places:
    """The runs of one trace and what is in them: rows of `agent_traces`, `tool_calls`, `llm_calls` and `spans`.

    Calls that a run only shows for another one, to which it handed over, are to be left out.
    """

    def __init__(self, runs: Iterable[Row], calls: Iterable[Row], models: Iterable[Row], spans: Iterable[Row]) -> None:
        ordered = sorted(runs, key=lambda run: (run["started_at"], run["agent_span_id"]))
        self._runs = {run["agent_trace_id"]: run for run in ordered}
        self._spans = {span["span_id"]: span for span in spans}
        self._calls = [self._call_at(call) for call in calls]
        answers = [(model["response_id"], self._model_at(model)) for model in models]
        self._answers = {response_id: place for response_id, place in reversed(answers) if response_id is not None}
        self._tops = {run["agent_span_id"]: Place(run, run["agent_span_id"]) for run in ordered}
        called = {call["span_id"]: place for place in self._calls if (call := place.call) and call["span_id"]}
        asked = {place.span_id: place for _, place in answers}
        self._told = {**asked, **called, **self._tops}
        self._near: dict[str, str | None] = {}

    def find(self, subject: Subject) -> Place | None:
        """The place of `subject`; None while there is none, which more spans may change."""
        if subject.tool_call_id is not None or subject.tool_call_position is not None:
            return next((place for place in self._calls if self._is_meant(place, subject)), None)
        if subject.span_id is not None:
            return self._around(subject.span_id)
        if subject.response_id is not None:
            return self._answers.get(subject.response_id)
        return next(iter(self._outermost), None)

    def _is_meant(self, place: Place, subject: Subject) -> bool:
        """Whether it is the call of that position, or of that id: in the run of the named span.

        Where no span is named a position is one in the outermost run, and an id one in any.
        """
        call = place.call or {}
        top = subject.span_id
        if top is None and subject.tool_call_id is None and self._outermost:
            top = self._outermost[0].span_id
        return (
            top in {None, place.run["agent_span_id"]}
            and subject.tool_call_id in {None, call["tool_call_id"]}
            and subject.tool_call_position in {None, call["position"]}
        )

    def _around(self, span_id: str) -> Place | None:
        """The call that a span records or repeats, else the innermost run around it, else the first one below it."""
        at = self._nearest(span_id)
        if at is None:
            below = self._below.get(span_id) or next(iter(self._outermost), None)
            return replace(below, span_id=span_id) if below is not None and span_id in self._spans else None
        is_call = at == span_id or self._spans[span_id]["tool_name"] is not None  # a tool's server repeats its client
        return Place(self._told[at].run, span_id, self._told[at].call if is_call else None)

    def _nearest(self, span_id: str) -> str | None:
        """The first span, from this one upwards, that a run tells of; each link is followed once."""
        path = []
        at: str | None = span_id
        while at is not None and at not in self._near:
            path.append(at)
            self._near[at] = at if at in self._told else None
            at = None if at in self._told else self._parent(at)
        found = self._near[path[-1] if at is None else at]
        self._near.update(dict.fromkeys(path, found))
        return found

    def _parent(self, span_id: str) -> str | None:
        parent: str | None = self._spans[span_id]["parent_span_id"] if span_id in self._spans else None
        return parent

    @cached_property
    def _outermost(self) -> list[Place]:
        return [place for place in self._tops.values() if place.run["parent_agent_trace_id"] not in self._runs]

    @cached_property
    def _below(self) -> dict[str, Place]:
        """The first of the outermost runs below each span that is above any."""
        found: dict[str, Place] = {}
        for place in self._outermost:
            at = self._parent(place.span_id)
            while at is not None and at not in found:
                found[at] = place
                at = self._parent(at)
        return found

    def _call_at(self, call: Row) -> Place:
        run = self._runs[call["agent_trace_id"]]
        return Place(run, call["span_id"] or run["agent_span_id"], call)

    def _model_at(self, model: Row) -> Place:
        run = self._runs[model["agent_trace_id"]]
        return Place(run, model["span_id"] or run["agent_span_id"])
