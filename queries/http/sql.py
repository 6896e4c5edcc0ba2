"""SQL over HTTP: the answer is JSON, CSV, Arrow or Parquet."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from .api import Api
from .endpoint import Call, endpoint
from .query_answer import ANSWER, MEDIA_TYPES, AskedQuery, accepted_format, answer_query

__all__ = ["FormatName", "sql"]

FormatName: TypeAlias = Literal["json-table", "json", "jsonl", "csv", "csv-without-formulas", "arrow", "parquet"]


class Query(BaseModel):
    """The body of a request."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    sql: str
    parameters: list[Any] | dict[str, Any] | None = None
    max_rows: int | None = Field(default=10_000, ge=1, le=1_000_000, description="null: all rows, as they arrive")
    timeout_s: float = Field(default=30.0, gt=0, le=300, allow_inf_nan=False)
    format: FormatName | None = None


@endpoint(
    "POST",
    "/api/v1/sql",
    "run one SELECT",
    only_reads=True,
    body=Query,
    answer=ANSWER,
    media_types=MEDIA_TYPES,
    example='{"sql": "from latest_scores"}',
)
async def sql(api: Api, call: Call) -> Response:
    """Answer with at most `max_rows` rows, or with all rows as they arrive."""
    query = call.body(Query)
    asked = AskedQuery(
        sql=query.sql,
        parameters=query.parameters,
        max_rows=query.max_rows,
        timeout_s=query.timeout_s,
        format_name=query.format or accepted_format(call.request),
    )
    return await answer_query(api, call.request, asked)
