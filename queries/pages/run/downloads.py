"""A run as files: its trace as OTLP JSON, and an item for a dataset."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from tracegrade.evaluators.experiments.item import DatasetItem, ItemSource

from ...answers.run import RunDetail
from ...http.reads import answer_read
from ...read.run import read_found
from ...read.run_parts import Part
from ...read.source import Read
from ..errors import PageError
from ..page import page
from ..visit import Visit
from .otlp import write_otlp
from .reading import find_run_of, read_at

__all__ = ["download_item", "download_otlp"]

_CONFLICT: Final = 409


@page("GET", "/runs/{id}/otlp.json", parameters=("at",))
async def download_otlp(visit: Visit) -> Response:
    """Answer with the spans of the trace of a run, which `tracegrade import` and every OTLP receiver read."""
    run = await _read(visit, ("spans",))
    if not run.spans:
        raise PageError(404, "There are no spans", "The run was imported without spans, or they were removed.")
    return _attach(write_otlp(run.spans), f"{run.trace_id}.otlp.json")


@page("GET", "/runs/{id}/item.json", parameters=("at",))
async def download_item(visit: Visit) -> Response:
    """Answer with a run as an item of a dataset: its input, and the tools that it was offered."""
    run = await _read(visit, ("tool_definitions",))
    if not run.input:
        raise PageError(_CONFLICT, "A run without input is no item", "The input of this run was not recorded.")
    return _attach(
        _make_item(run).model_dump_json(exclude_defaults=True, indent=2).encode(), f"{run.trace_id}.item.json"
    )


def _make_item(run: RunDetail) -> DatasetItem:
    """Return the item, whose expectations are to be written by people."""
    definitions = [
        each.model_dump(include={"name", "description", "input_schema"}) for each in run.tool_definitions or []
    ]
    source = ItemSource(agent_trace_id=run.agent_trace_id, revision=run.revision)
    return DatasetItem.model_validate({"input": run.input, "source": source, "tools": definitions or None})


async def _read(visit: Visit, parts: tuple[Part, ...]) -> RunDetail:
    at, id_ = read_at(visit), visit.path("id")

    def read(own: Read) -> RunDetail:
        return read_found(own, find_run_of(own, id_, at), parts=parts)

    return await answer_read(visit.site.api, visit.request, lambda sources: read(sources.own))


def _attach(content: bytes, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, headers=headers, media_type="application/json")
