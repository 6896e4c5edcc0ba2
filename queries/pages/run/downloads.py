"""A run as files: its trace as OTLP JSON, and an item for a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from starlette.responses import Response

from ...answers.log_record import LogRecord
from ...answers.run import RunDetail
from ...answers.span import Span
from ...catalog import report
from ...http.reads import answer_read
from ...read.run import read_found
from ...read.run_parts import Part
from ...read.source import Read, rows_of
from ..errors import PageError
from ..page import page
from ..visit import Visit
from .item import make_item
from .otlp import write_otlp
from .reading import find_run_of, read_at

__all__ = ["download_item", "download_otlp"]

_CONFLICT: Final = 409
_TOO_LARGE: Final = 413
_MOST: Final = 9_999
"""The most spans, and log records, of a download."""

_RECORDS: Final = ("spans_in_trace", "logs_in_trace")
_PARTS_OF_ITEM: Final[tuple[Part, ...]] = ("tool_definitions",)


@page("GET", "/runs/{id}/otlp.json", parameters=("at",))
async def download_otlp(visit: Visit) -> Response:
    """Answer with the spans and log records of the trace of a run, which `tracegrade import` reads."""
    at, id_ = read_at(visit), visit.path("id")

    def read(own: Read) -> tuple[Sequence[Any], Sequence[Any]]:
        run = find_run_of(own, id_, at)
        about = {name: run[name] for name in ("trace_id", "earliest", "latest")}
        found = (own(report(name), parameters={**about, "limit": _MOST + 1}) for name in _RECORDS)
        spans, logs = (rows_of(result) for result in found)
        return spans, logs

    spans, logs = await answer_read(visit.site.api, visit.request, lambda sources: read(sources.own))
    if not spans:
        raise PageError(404, "There are no spans", "The run was imported without spans, or they were removed.")
    if max(len(spans), len(logs)) > _MOST:
        advice = f"It has more than {_MOST:,} spans or log records: `tracegrade export` writes them to files."
        raise PageError(_TOO_LARGE, "This trace is too large for a download", advice)
    content = write_otlp(map(Span.model_validate, spans), map(LogRecord.model_validate, logs))
    return _attach(content, f"{spans[0]['trace_id']}.otlp.json")


@page("GET", "/runs/{id}/item.json", parameters=("at",))
async def download_item(visit: Visit) -> Response:
    """Answer with a run as an item of a dataset: its input, and the tools that it was offered."""
    at, id_ = read_at(visit), visit.path("id")

    def read(own: Read) -> RunDetail:
        return read_found(own, find_run_of(own, id_, at), parts=_PARTS_OF_ITEM)

    run = await answer_read(visit.site.api, visit.request, lambda sources: read(sources.own))
    if not run.input:
        raise PageError(_CONFLICT, "A run without input is no item", "The input of this run was not recorded.")
    return _attach(
        make_item(run).model_dump_json(exclude_defaults=True, indent=2).encode(), f"{run.trace_id}.item.json"
    )


def _attach(content: bytes, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, headers=headers, media_type="application/json")
