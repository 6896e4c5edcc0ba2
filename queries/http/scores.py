"""Scores over HTTP."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ..answers.score import ScorePage
from ..read.scores import ScoreKey, ScoreList, read_score_page
from .api import Api
from .endpoint import Call, endpoint
from .list_query import ListQuery, find_place, make_cursor, read_filter
from .reads import answer_read

__all__ = ["show_scores"]


class ScoresQuery(ListQuery):
    """The query parameters of a list of scores; the period is that in which they were given."""

    q: str | None = Field(default=None, description="a filter of runs: scores on these, their calls and sub-agents")
    evaluator: str | None = Field(default=None, description="the name of the evaluator")
    evaluator_kind: Literal["code", "llm", "sql", "human", "external"] | None = None
    status: Literal["scored", "skipped", "error"] | None = None
    passed: bool | None = None
    target: str | None = Field(default=None, description="the beginning of target_id: a run, call, session or tool")


@endpoint("GET", "/api/v1/scores", "list active scores, the newest first", query=ScoresQuery, answer=ScorePage)
async def show_scores(api: Api, call: Call) -> ScorePage:
    """Answer with a page of scores."""
    query = call.query(ScoresQuery)
    window, after = find_place(query, ScoreKey)
    listed = ScoreList(
        window=window,
        run_filter=None if query.q is None else read_filter(query.q),
        evaluator=query.evaluator,
        evaluator_kind=query.evaluator_kind,
        status=query.status,
        passed=query.passed,
        target=query.target,
    )
    page = await answer_read(
        api,
        call.request,
        lambda sources: read_score_page(listed, sources, after=after, limit=query.limit),
        run_filter=listed.run_filter,
    )
    return ScorePage(scores=page.scores, next=make_cursor(query, window, page.last))
