"""Stored annotations over HTTP: a list in pages, and the removal of one."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ..catalog import report
from ..ports.words import Name
from .api import Api
from .endpoint import Call, endpoint

__all__ = ["remove_annotation", "show_annotations"]


def _check_cursor(cursor: str) -> str:
    """Return the cursor. Raises ValueError if it is not the `next` of a page."""
    try:
        datetime.fromisoformat(cursor.partition("/")[0])
    except ValueError:
        raise ValueError("this is not the `next` of an earlier page") from None
    return cursor


class AnnotationFilter(BaseModel):
    """Which annotations are listed; without a field all are."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: str | None = Field(
        default=None, min_length=1, max_length=1000, description="a target_id, agent_trace_id or trace_id"
    )
    author: Name | None = None
    name: Name | None = None
    superseded: bool = Field(default=False, description="also those that were removed or replaced")
    limit: int = Field(default=100, ge=1, le=1000)
    cursor: Annotated[str, Field(max_length=100), AfterValidator(_check_cursor)] | None = Field(
        default=None, description="the `next` of the page before"
    )

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the report `annotations_of`, with one row more than the page has."""
        before, _, before_id = (self.cursor or "").partition("/")
        return {
            "target": self.target,
            "author": self.author,
            "name": self.name,
            "with_superseded": self.superseded,
            "limit": self.limit + 1,
            "before": before or None,
            "before_id": before_id,
        }


class StoredAnnotation(BaseModel):
    """A score that a person gave, or another system through the API; times are UTC. Its reason tells why it is not
    active: `withdrawn` after its removal."""

    score_id: str
    target_id: str
    scope: str
    agent_trace_id: str | None
    trace_id: str | None
    span_id: str | None
    tool_call_position: int | None
    session_id: str | None
    agent_name: str | None
    target_time: datetime | None
    name: str
    kind: str
    author: str | None
    value: float | None
    label: str | None
    passed: bool | None
    explanation: str | None
    scored_at: datetime
    superseded_at: datetime | None
    superseded_reason: str | None


class AnnotationPage(BaseModel):
    """Annotations, the newest first. `next` is the cursor of the next page; null: there is none."""

    annotations: list[StoredAnnotation]
    next: str | None


@endpoint("GET", "/api/v1/annotations", "list scores that people gave", query=AnnotationFilter, answer=AnnotationPage)
async def show_annotations(api: Api, call: Call) -> AnnotationPage:
    """Answer with one page."""
    wanted = call.query(AnnotationFilter)
    found = await api.rows(report("annotations_of"), **wanted.parameters())
    page = [StoredAnnotation(**row) for row in found[: wanted.limit]]
    last = page[-1] if len(found) > wanted.limit else None
    return AnnotationPage(annotations=page, next=last and f"{last.scored_at.isoformat()}/{last.score_id}")


@endpoint(
    "DELETE",
    "/api/v1/annotations/{score_id}",
    "remove a score that a person gave; it stays in the history",
    media_types=(),
)
async def remove_annotation(api: Api, call: Call) -> None:
    """Answer with nothing, also if it was removed before."""
    score_id = call.path("score_id")
    await api.annotations.run(lambda: api.commands.remove_annotation(score_id))
