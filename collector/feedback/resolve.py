"""Resolves the subject of feedback: the run, or the tool call in a run, that its sender names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

from .model import Subject

__all__ = ["ResolvedTarget", "SubjectResolver"]

Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ResolvedTarget:
    """A run, or the `call` in it; `span_id` is the span that was named, else that of the call or the run."""

    run: Row
    span_id: str
    call: Row | None = None

    @property
    def target_id(self) -> str:
        """The id as in `scores`."""
        run: str = self.run["agent_trace_id"]
        return run if self.call is None else f"{run}#{self.call['position']}"


class SubjectResolver:
    """Resolves subjects in one trace, from rows of `agent_traces`, `tool_calls`, `llm_calls` and `spans`.

    Leave out calls that a run only includes from another one, to which it handed over.
    """

    def __init__(self, runs: Iterable[Row], calls: Iterable[Row], models: Iterable[Row], spans: Iterable[Row]) -> None:
        ordered = sorted(runs, key=lambda run: (run["started_at"], run["agent_span_id"]))
        self._runs = {run["agent_trace_id"]: run for run in ordered}
        self._spans = {span["span_id"]: span for span in spans}
        self._calls = [self._call_at(call) for call in calls]
        answers = [(model["response_id"], self._model_at(model)) for model in models]
        self._answers = {response_id: target for response_id, target in reversed(answers) if response_id is not None}
        self._tops = {run["agent_span_id"]: ResolvedTarget(run, run["agent_span_id"]) for run in ordered}
        target_of_call = {
            call["span_id"]: target for target in self._calls if (call := target.call) and call["span_id"]
        }
        target_of_model_call = {target.span_id: target for _, target in answers}
        self._target_of_span = {**target_of_model_call, **target_of_call, **self._tops}
        self._nearest_ids: dict[str, str | None] = {}

    def find(self, subject: Subject) -> ResolvedTarget | None:
        """Returns the target of `subject`; None while there is none, which more spans may change."""
        if subject.tool_call_id is not None or subject.tool_call_position is not None:
            return next((target for target in self._calls if self._matches(target, subject)), None)
        if subject.span_id is not None:
            return self._find_around(subject.span_id)
        if subject.response_id is not None:
            return self._answers.get(subject.response_id)
        return next(iter(self._outermost), None)

    def _matches(self, target: ResolvedTarget, subject: Subject) -> bool:
        """Returns whether the target is the call of that position, or of that id, in the run of the named span.

        Where no span is named a position is one in the outermost run, and an id one in any.
        """
        call = target.call or {}
        top = subject.span_id
        if top is None and subject.tool_call_id is None and self._outermost:
            top = self._outermost[0].span_id
        return (
            top in {None, target.run["agent_span_id"]}
            and subject.tool_call_id in {None, call["tool_call_id"]}
            and subject.tool_call_position in {None, call["position"]}
        )

    def _find_around(self, span_id: str) -> ResolvedTarget | None:
        """Returns the call that a span records or repeats, else the innermost run around it, else the first below."""
        nearest_id = self._find_nearest(span_id)
        if nearest_id is None:
            below = self._below.get(span_id) or next(iter(self._outermost), None)
            return replace(below, span_id=span_id) if below is not None and span_id in self._spans else None
        is_call = (
            nearest_id == span_id or self._spans[span_id]["tool_name"] is not None
        )  # a tool's server repeats its client
        return ResolvedTarget(
            self._target_of_span[nearest_id].run, span_id, self._target_of_span[nearest_id].call if is_call else None
        )

    def _find_nearest(self, span_id: str) -> str | None:
        """Returns the first span, from this one upwards, that has a target; each link is followed once."""
        path = []
        current: str | None = span_id
        while current is not None and current not in self._nearest_ids:
            path.append(current)
            self._nearest_ids[current] = current if current in self._target_of_span else None
            current = None if current in self._target_of_span else self._parent_of(current)
        known_id = self._nearest_ids[path[-1] if current is None else current]
        self._nearest_ids.update(dict.fromkeys(path, known_id))
        return known_id

    def _parent_of(self, span_id: str) -> str | None:
        parent: str | None = self._spans[span_id]["parent_span_id"] if span_id in self._spans else None
        return parent

    @cached_property
    def _outermost(self) -> list[ResolvedTarget]:
        return [target for target in self._tops.values() if target.run["parent_agent_trace_id"] not in self._runs]

    @cached_property
    def _below(self) -> dict[str, ResolvedTarget]:
        """The first of the outermost runs below each of their ancestors."""
        targets: dict[str, ResolvedTarget] = {}
        for target in self._outermost:
            above = self._parent_of(target.span_id)
            while above is not None and above not in targets:
                targets[above] = target
                above = self._parent_of(above)
        return targets

    def _call_at(self, call: Row) -> ResolvedTarget:
        run = self._runs[call["agent_trace_id"]]
        return ResolvedTarget(run, call["span_id"] or run["agent_span_id"], call)

    def _model_at(self, model: Row) -> ResolvedTarget:
        run = self._runs[model["agent_trace_id"]]
        return ResolvedTarget(run, model["span_id"] or run["agent_span_id"])
