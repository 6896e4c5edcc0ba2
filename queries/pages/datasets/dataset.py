"""The page of a dataset: its items in a version, and how the versions differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from starlette.responses import Response

from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.text.suggestions import nearest

from ...catalog import report
from ...http.datasets import read_item
from ..errors import PageError
from ..page import page
from ..shown import as_text
from ..visit import Visit
from ..whole_number import read_whole_number

__all__ = ["show_dataset"]

_LIMIT: Final = 50
_MOST_EXPERIMENTS: Final = 10
_MOST_VERSIONS: Final = 100
_MOST_NAMES: Final = 1_000
_NOT_FOUND: Final = 404


@page("GET", "/datasets/{name:path}", parameters=("number", "after"))
async def show_dataset(visit: Visit) -> Response:
    """Show the items of a version, page by page; `number` is that of the version, without it the newest is shown."""
    name, api = visit.path("name"), visit.site.api
    versions = await api.rows(
        report("versions_of_dataset"), dataset=name, version=read_whole_number(visit, "number"), limit=_MOST_VERSIONS
    )
    if not versions:
        raise await _refuse(visit, name)
    version = _find_version(visit, name, versions)
    after = read_whole_number(visit, "after") or 0
    place = {"version": version["version"], "after_position": after, "limit": _LIMIT}
    rows = await api.rows(report("items_of_dataset"), dataset=name, **place)
    about = {"name": None, "id": None, "dataset": name, "limit": _MOST_EXPERIMENTS}
    return visit.render(
        "datasets/dataset.html",
        name=name,
        version=version,
        versions=versions,
        items=[_describe(DatasetItem.model_validate(read_item(row))) for row in rows],
        next=rows[-1]["position"] if len(rows) == _LIMIT else None,
        is_first=after == 0,
        experiments=await api.rows(report("matching_experiments"), **about),
    )


def _find_version(visit: Visit, name: str, versions: list[dict[str, Any]]) -> dict[str, Any]:
    number = read_whole_number(visit, "number") or versions[0]["version"]
    for version in versions:
        if version["version"] == number:
            return version
    link = (visit.links.to("datasets", name), "The newest version")
    advice = f"{name} has no version {number}; the newest is {versions[0]['version']}."
    raise PageError(_NOT_FOUND, "There is no such version", advice, link=link)


async def _refuse(visit: Visit, name: str) -> PageError:
    names = [
        row["dataset"] for row in await visit.site.api.rows(report("latest_datasets"), search=None, limit=_MOST_NAMES)
    ]
    advice = f"There is no dataset {name[:200]!r}{nearest(name, names)}."
    return PageError(_NOT_FOUND, "There is no such dataset", advice, link=(visit.links.to("datasets"), "All datasets"))


def _describe(item: DatasetItem) -> Mapping[str, Any]:
    """Return an item with its input and its expectations as texts."""
    expected = {name: as_text(value) for name, value in item.model_dump(mode="json", include={*item.defined}).items()}
    return {
        "item": item,
        "input": as_text(item.input),
        "response": expected.pop("expected_response", None),
        "calls": None if item.expected_tool_calls is None else [call.name for call in item.expected_tool_calls],
        "expected": expected,
    }
