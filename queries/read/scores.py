"""Lists of scores, page by page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ..answers.score import Score
from ..catalog import report
from ..filter import RunFilter
from .source import Sources, rows_of
from .window import ANY_TIME, Window

__all__ = ["ScoreKey", "ScoreList", "ScoreRows", "read_score_page"]


@dataclass(frozen=True, slots=True)
class ScoreKey:
    """A score in a list: when it was given, and its id."""

    scored_at: datetime
    score_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreList:
    """The active scores that were given in a period, newest first. None selects all."""

    window: Window
    run_filter: RunFilter | None = None
    evaluator: str | None = None
    evaluator_kind: str | None = None
    status: str | None = None
    passed: bool | None = None
    target: str | None = None


@dataclass(frozen=True, slots=True)
class ScoreRows:
    """Scores, and the key of the last one if more follow."""

    scores: list[Score]
    last: ScoreKey | None


def read_score_page(scores: ScoreList, sources: Sources, *, after: ScoreKey | None = None, limit: int) -> ScoreRows:
    """Return the first `limit` scores of a list, or those that come after one."""
    place = after or ScoreKey(scores.window.until, "")
    parameters = {
        "scored_since": scores.window.since,
        "scored_until": scores.window.until,
        "after_scored_at": place.scored_at,
        "after_score_id": place.score_id,
        "evaluator": scores.evaluator,
        "evaluator_kind": scores.evaluator_kind,
        "status": scores.status,
        "passed": scores.passed,
        "target": scores.target,
        "limit": limit + 1,
    }
    if scores.run_filter is None:
        result = sources.own(report("newest_scores"), parameters=parameters)
    else:
        sql = report("newest_scores_of_runs", condition=scores.run_filter.condition)
        of_runs = {**scores.run_filter.parameters, **ANY_TIME.parameters}
        result = sources.for_filter(scores.run_filter)(sql, parameters={**parameters, **of_runs})
    rows = [Score.model_validate(row) for row in rows_of(result)]
    shown = rows[:limit]
    has_more = result.truncated or len(rows) > limit
    return ScoreRows(shown, ScoreKey(shown[-1].scored_at, shown[-1].score_id) if shown and has_more else None)
