"""Tries an evaluator with other options, a query or a rubric on stored runs, before it is switched on."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Any, Final

from pydantic import ValidationError
from starlette.responses import Response

from tracegrade.evaluators.catalog.configure import definition_of
from tracegrade.evaluators.definition.registry import UnknownEvaluator
from tracegrade.evaluators.text.times import parse_time
from tracegrade.evaluators.text.validation_errors import explain

from ...ports import MOST_PREVIEWED, CommandRefused, Preview, PreviewRequest, RunningEvaluator
from ..charts.bars import BarChart, Step, lay_out_bars
from ..page import page
from ..visit import Visit

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
    entry = _write_entry(running, visit.query("evaluator")) or _EXAMPLES.get(visit.query("example") or "options", "")
    return _render(visit, {**_USUAL, "entry": entry})


@page("POST", "/preview", parameters=())
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
    api = visit.site.api
    try:
        preview = await api.previews.run(lambda: api.commands.preview(request))
    except CommandRefused as refused:
        return _render(visit, fields, fault=str(refused))
    return _render(visit, fields, preview=preview)


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


def _write_entry(running: Iterable[RunningEvaluator], name: str | None) -> str | None:
    """Return the entry of an evaluator as YAML; None if it is not of the catalogue: its code does not go over the
    web."""
    found = next((each for each in running if each.name == name), None)
    if found is None:
        return None
    try:
        definition = definition_of(found.type)
    except UnknownEvaluator:
        return None
    lines: dict[str, Any] = {"use": found.type}
    if found.name != found.type:
        lines["name"] = found.name
    if found.threshold is not None and found.threshold != definition.threshold:
        lines["threshold"] = found.threshold
    if found.options:
        lines["options"] = found.options
    if found.when is not None:
        lines["when"] = found.when
    if found.judge is not None:
        lines["judge"] = found.judge
    return "".join(f"{key}: {_write_value(value)}\n" for key, value in lines.items())


def _write_value(value: Any) -> str:
    """Return a value as JSON, which is YAML as well; a simple word without quotation marks."""
    if isinstance(value, str) and value.replace("_", "").isalnum() and not value[0].isdigit():
        return value
    return json.dumps(value, ensure_ascii=False)
