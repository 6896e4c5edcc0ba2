"""Labelled runs imported as `tracegrade import` does, and what the default evaluators said of each."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from tracegrade.collector.config.settings import Settings, load
from tracegrade.collector.otlp import file as otlp_file
from tracegrade.collector.otlp.file import Part
from tracegrade.collector.server.pipeline import Pipeline

from .case import Case

__all__ = ["Result", "score_cases"]

_SCOPES = "('trace', 'tool_call')"


@dataclass(frozen=True, slots=True)
class Result:
    """A case after its evaluation: by evaluator the explanations of failing scores, and one of any score."""

    case: Case
    failing: Mapping[str, str]
    explanations: Mapping[str, str]
    run_count: int

    @property
    def actual(self) -> frozenset[str]:
        """The evaluators that failed at least one run or call of the case."""
        return frozenset(self.failing)

    @property
    def is_right(self) -> bool:
        return self.actual == self.case.expected


@dataclass(frozen=True, slots=True)
class _Import:
    case: Case
    parts: tuple[Part, ...]
    trace_ids: frozenset[str]


async def score_cases(cases: Sequence[Case]) -> list[Result]:
    """The results of all cases, in their order. Raises Malformed for a file that is not OTLP.

    Cases with a trace in common are put into stores of their own, so that their scores do not mix.
    """
    results: dict[str, Result] = {}
    for batch in _batches([_read(case) for case in cases]):
        results |= {result.case.name: result for result in await _score(batch)}
    return [results[case.name] for case in cases]


def _read(case: Case) -> _Import:
    parts = tuple(part for file in case.files for part in otlp_file.read(file))
    return _Import(case, parts, frozenset().union(*map(otlp_file.trace_ids, parts)))


def _batches(imports: Sequence[_Import]) -> Iterator[list[_Import]]:
    """As few batches as come of it when each takes what has no trace in common with the rest of it."""
    waiting = list(imports)
    while waiting:
        batch: list[_Import] = []
        later: list[_Import] = []
        trace_ids: set[str] = set()
        for each in waiting:
            (batch if trace_ids.isdisjoint(each.trace_ids) else later).append(each)
            trace_ids |= each.trace_ids
        yield batch
        waiting = later


async def _score(batch: Sequence[_Import]) -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        pipeline = Pipeline(_settings(Path(folder) / "labelled.duckdb"))
        pipeline.start()
        try:
            for each in batch:
                for part in each.parts:
                    await pipeline.queue.accept(part.signal, part.body)
            await pipeline.finish()
            return [_result(pipeline, each) for each in batch]
        finally:
            await pipeline.close()


def _settings(store: Path) -> Settings:
    """The settings of an installation without a file, which waits for nothing that might still come."""
    settings = load(store=str(store), evaluators=[{"use": "defaults"}])
    assembly = settings.assembly.model_copy(update={"judge_settle": timedelta(0)})
    return settings.model_copy(update={"assembly": assembly})


def _result(pipeline: Pipeline, of: _Import) -> Result:
    trace_ids = "(" + ", ".join(f"'{trace_id}'" for trace_id in sorted(of.trace_ids)) + ")"
    with pipeline.database.cursor() as connection:
        chosen = connection.table("latest_scores").filter(f"trace_id in {trace_ids} and scope in {_SCOPES}")
        scores: list[dict[str, Any]] = chosen.order("target_time, target_id, score_id").to_arrow_table().to_pylist()
        runs = connection.table("agent_traces").filter(f"trace_id in {trace_ids}").to_arrow_table().num_rows
    failing = [score for score in scores if score["status"] == "scored" and score["passed"] is False]
    return Result(of.case, _explanations(failing), _explanations(scores), runs)


def _explanations(scores: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """By evaluator what its first score says, or why it was skipped."""
    by_evaluator: dict[str, str] = {}
    for score in scores:
        by_evaluator.setdefault(score["evaluator"], score["explanation"] or score["reason"] or "")
    return by_evaluator
