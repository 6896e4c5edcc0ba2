"""Tries an evaluator with other options, a query or a rubric on stored runs, before it is switched on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable
from importlib.resources import files
from typing import Final

from pydantic import ValidationError
from starlette.responses import Response

from tracegrade.evaluators.text.times import parse_time
from tracegrade.evaluators.text.validation_errors import explain

from ...http.body import LARGE_FORM_BYTES
from ...http.disconnect import finish_or_cancel
from ...ports import MOST_PREVIEWED, CommandRefused, Preview, PreviewRequest
from ..charts.bars import BarChart, Step, lay_out_bars
from ..page import page
from ..visit import Visit
from .entry import write_entry

__all__ = ["ask_for_preview", "show_preview"]

_USUAL: Final = {"past": "7d", "limit": "50"}
_BAD_REQUEST: Final = 400
_BINS: Final = 10
_FOLDER: Final = files("tracegrade.queries").joinpath("pages", "evaluators", "examples")
_EXAMPLES: Final = {
    entry.name.removesuffix(".yaml"): entry.read_text()
    for entry in sorted(_FOLDER.iterdir(), key=lambda entry: entry.name)
}


@page("GET", "/preview", parameters=("evaluator", "example"))
async def ask_for_preview(visit: Visit) -> Response:
    """Ask what to try; the entry of an evaluator that runs, or an example."""
    running = await visit.site.api.list_evaluators()
    entry = write_entry(running, visit.query("evaluator")) or _EXAMPLES.get(visit.query("example") or "options", "")
    return _render(visit, {**_USUAL, "entry": entry})


@page("POST", "/preview", parameters=(), form_bytes=LARGE_FORM_BYTES)
async def show_preview(visit: Visit) -> Response:
    """Show what the entry would score. Nothing is stored, so that there is no page to lead to."""
    sent = await visit.form()
    fields = {name: "".join(sent.get(name, [])).strip() for name in ("entry", "past", "limit")}
    try:
        request = PreviewRequest.model_validate(
            {
                "entry": fields["entry"],
                "since": parse_time(fields["past"] or _USUAL["past"], visit.site.now()),
                "limit": fields["limit"] or _USUAL["limit"],
                "ask": "ask" in sent,
            }
        )
    except ValidationError as error:
        return _render(visit, fields, fault=explain(error, PreviewRequest))
    except (ValueError, OverflowError) as error:
        return _render(visit, fields, fault=str(error))
    try:
        preview = await _run(visit, request)
    except CommandRefused as refused:
        return _render(visit, fields, fault=str(refused))
    return _render(visit, fields, preview=preview)


async def _run(visit: Visit, request: PreviewRequest) -> Preview:
    """Run a preview in its turn, as long as its client waits and the server is not about to end."""
    api, cancelled = visit.site.api, threading.Event()

    def work() -> Preview:
        with api.preview_turns.turn(cancelled):
            return api.commands.preview(request, cancelled)

    running = asyncio.ensure_future(api.previews.run(work))
    return await finish_or_cancel(visit.request, running, cancelled, visit.site.streams.wait(None))


def _render(
    visit: Visit, fields: dict[str, str], *, fault: str | None = None, preview: Preview | None = None
) -> Response:
    result = None if preview is None else preview.result
    return visit.render(
        "evaluators/preview.html",
        status=200 if fault is None else _BAD_REQUEST,
        fields=fields,
        examples=_EXAMPLES,
        most=MOST_PREVIEWED,
        fault=fault,
        preview=preview,
        chart=None if result is None or not result.histogram else _draw(result.histogram),
    )


def _draw(histogram: Iterable[int]) -> BarChart:
    """Return the chart of the values in ten bins and of those that are exactly 1; nothing of it can be listed."""
    labels = [*(f"{number / _BINS:g} to {(number + 1) / _BINS:g}" for number in range(_BINS)), "exactly 1"]
    pairs = zip(labels, histogram, strict=False)
    return lay_out_bars([Step(label, {"passed": count}, f"{label}: {count:,}", "") for label, count in pairs])
