"""Runs that are worth a label by a person, over HTTP."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from pydantic import BaseModel, Field

from ..catalog import report
from ..formats import DEFAULT_FORMAT
from ..ports.words import Name
from .api import Api
from .endpoint import Call, endpoint
from .query_answer import AskedQuery, read_query
from .window import Window

__all__ = ["LabellingEntry", "show_labelling"]

_TIMEOUT_S: Final = 30.0


class LabellingWindow(Window):
    """A period in which runs and sessions began, and which of them."""

    evaluator: Name | None = Field(default=None, description="only those to label for this evaluator")
    limit: int = Field(default=20, ge=1, le=1000)


class LabellingEntry(BaseModel):
    """A run, call or session that is worth a label under the name of the evaluator, and why. Times are UTC."""

    place: int
    target_id: str
    scope: str
    agent_trace_id: str | None
    session_id: str | None
    agent_name: str | None
    started_at: datetime | None
    evaluator: str
    evaluator_kind: str
    value: float | None
    passed: bool | None
    explanation: str | None
    reason: str


class LabellingQueue(BaseModel):
    """Runs and sessions that are worth a label, the best first."""

    queue: list[LabellingEntry]


@endpoint(
    "GET",
    "/api/v1/labelling",
    "list runs that are worth a label by a person, and why",
    query=LabellingWindow,
    answer=LabellingQueue,
)
async def show_labelling(api: Api, call: Call) -> LabellingQueue:
    """Answer with the queue. Many scores are compared, so that the query runs where it can be killed."""
    wanted = call.query(LabellingWindow)
    given = {"service": None, "evaluator": wanted.evaluator, "limit": wanted.limit}
    query = AskedQuery(
        sql=report("labelling"),
        parameters={**wanted.parameters(wanted.find_period()), **given},
        max_rows=wanted.limit,
        timeout_s=_TIMEOUT_S,
        format_name=DEFAULT_FORMAT,
    )
    rows = await read_query(api, call.request, query, lambda result: result.table.to_pylist(), max_rows=wanted.limit)
    return LabellingQueue(queue=[LabellingEntry(**row) for row in rows])
