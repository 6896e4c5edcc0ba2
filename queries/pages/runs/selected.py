"""What is done with the runs that a reader has selected in a list."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any, Final, TypeAlias, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from starlette.responses import Response

from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.text.validation_errors import explain

from ...answers.run import RunDetail
from ...http.reads import answer_read
from ...ports import Annotation, AnnotationTarget, Backfill, DatasetChange
from ...read.run import AmbiguousRun, UnknownRun, read_found
from ...read.run_parts import Part
from ...read.source import Sources
from ..confirmation import DONE, describe_request, write_confirmation
from ..datasets.run_item import PARTS_OF_ITEM, make_item
from ..errors import PageError, as_sentence
from ..page import page
from ..run.reading import find_run_near, parse_at
from ..visit import Visit

__all__ = ["change_selected"]

_MOST: Final = 50
_BAD_REQUEST: Final = 400
_LABEL: Final = "overall"

M = TypeVar("M", bound=BaseModel)

Fields: TypeAlias = Mapping[str, list[str]]
Chosen: TypeAlias = Mapping[str, str]
"""The ids of selected runs, each with its start as links have it; "" if the form does not have it."""

Action: TypeAlias = Callable[[Visit, Chosen, Fields], Awaitable[Response]]


@page("POST", "/runs")
async def change_selected(visit: Visit) -> Response:
    """Do with the selected runs what the pressed button says, and show the list again."""
    fields = await visit.form()
    runs = {id_: at for id_, _, at in (value.partition("@") for value in fields.get("run", []))}
    action = _ACTIONS.get("".join(fields.get("action", [])))
    if action is None:
        raise _refuse("This button does nothing", "The page is of another version: open the list again.")
    if not runs:
        raise _refuse("No runs are selected", f"Select 1 to {_MOST} runs in the list, then press the button again.")
    if len(runs) > _MOST:
        raise _refuse("Too many runs are selected", f"{len(runs)} are selected: select at most {_MOST}.")
    return await action(visit, runs, fields)


async def _do_entered(visit: Visit, runs: Chosen, fields: Fields) -> Response:
    """Do what the field is for that was filled in, as Enter presses no button."""
    for name, action in (("comment", _comment), ("dataset", _add_to_dataset)):
        if "".join(fields.get(name, [])).strip():
            return await action(visit, runs, fields)
    raise _refuse("No button was pressed", "Press the button for what is to be done with the selected runs.")


async def _compare(visit: Visit, runs: Chosen, _: Fields) -> Response:
    if len(runs) != 2:
        raise _refuse("Two runs are compared", f"{len(runs)} {'is' if len(runs) == 1 else 'are'} selected: select two.")
    (a, a_at), (b, b_at) = runs.items()
    of_list = {name: visit.query(name) for name in ("q", "sort")}
    return visit.redirect(visit.links.to("compare", a=a, a_at=a_at, b=b, b_at=b_at, **of_list))


async def _mark_good(visit: Visit, runs: Chosen, _: Fields) -> Response:
    return await _annotate(visit, runs, "good", name=_LABEL, passed=True)


async def _mark_bad(visit: Visit, runs: Chosen, _: Fields) -> Response:
    return await _annotate(visit, runs, "bad", name=_LABEL, passed=False)


async def _comment(visit: Visit, runs: Chosen, fields: Fields) -> Response:
    text = _read_field(fields, "comment")
    return await _annotate(visit, runs, "comment", name="comment", explanation=text)


async def _annotate(visit: Visit, runs: Chosen, action: str, **content: Any) -> Response:
    annotations = [
        _build(Annotation, target=AnnotationTarget(agent_trace_id=run), author=visit.author, **content) for run in runs
    ]
    api = visit.site.api
    await api.annotations.run(lambda: api.commands.annotate(annotations))
    return _go_back(visit, action, len(runs))


async def _add_to_dataset(visit: Visit, runs: Chosen, fields: Fields) -> Response:
    name = _read_field(fields, "dataset")
    details = await _read_runs(visit, runs, PARTS_OF_ITEM)
    items = tuple(map(_make_item, details))
    change = _build(DatasetChange, dataset=name, items=items, author=visit.author)
    api = visit.site.api
    await api.admin_commands.run(lambda: api.commands.change_dataset(change))
    return visit.redirect(visit.links.to("datasets", name))


async def _export(visit: Visit, runs: Chosen, _: Fields) -> Response:
    details = await _read_runs(visit, runs)
    lines = b"".join(orjson.dumps(run.model_dump(mode="json")) + b"\n" for run in details)
    headers = {"content-disposition": 'attachment; filename="runs.jsonl"'}
    return Response(lines, headers=headers, media_type="application/x-ndjson")


async def _evaluate(visit: Visit, runs: Chosen, _: Fields) -> Response:
    details = await _read_runs(visit, runs)
    starts = [run.started_at for run in details]
    names = ", ".join(f"'{run.agent_trace_id}'" for run in details)
    request = Backfill(
        since=min(starts), until=max(starts) + timedelta(seconds=1), where=f"agent_trace_id in ({names})", again=True
    )
    api = visit.site.api
    summary = await api.backfills.run(lambda: api.commands.backfill(request))
    return _go_back(visit, "evaluate", len(runs), *describe_request(summary))


async def _read_runs(visit: Visit, runs: Chosen, parts: tuple[Part, ...] = ()) -> list[RunDetail]:
    now = visit.site.now()

    def read(sources: Sources) -> list[RunDetail]:
        places = [find_run_near(sources.own, id_, parse_at(at, now)) for id_, at in runs.items()]
        return [read_found(sources.own, place, parts=parts) for place in places]

    try:
        return await answer_read(visit.site.api, visit.request, read)
    except (AmbiguousRun, UnknownRun) as error:
        raise PageError(
            404, "A selected run is not there any more", f"{as_sentence(error)} Nothing was changed."
        ) from error


def _make_item(run: RunDetail) -> DatasetItem:
    item = make_item(run)
    if item is None:
        raise _refuse("A run without input is no item", f"The input of {run.agent_trace_id} was not recorded.")
    return item


def _build(model: type[M], **fields: Any) -> M:
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise _refuse("This was not accepted", f"{explain(error, model)}.") from error


def _read_field(fields: Fields, name: str) -> str:
    value = "".join(fields.get(name, [])).strip()
    if not value:
        raise _refuse(f"The {name} is missing", f"Write the {name} into its field, then press the button again.")
    return value


def _go_back(visit: Visit, action: str, *numbers: int) -> Response:
    """Show the part of the list that the form was on, and what was done."""
    place = {name: visit.query(name) for name in ("q", "sort", "cursor")}
    return visit.redirect(visit.links.to("runs", **place, **{DONE: write_confirmation(action, *numbers)}))


def _refuse(title: str, advice: str) -> PageError:
    return PageError(_BAD_REQUEST, title, f"{advice} Nothing was changed.")


_ACTIONS: Final[Mapping[str, Action]] = {
    "enter": _do_entered,
    "compare": _compare,
    "good": _mark_good,
    "bad": _mark_bad,
    "comment": _comment,
    "dataset": _add_to_dataset,
    "export": _export,
    "evaluate": _evaluate,
}
