"""Datasets over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import orjson
from pydantic import BaseModel, ConfigDict, Field

from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.text.suggestions import most_similar, nearest

from ..catalog import report
from ..ports import DatasetChange, DatasetVersion
from .api import Api
from .endpoint import Call, endpoint
from .problem import Details
from .refusal import Refusal

__all__ = ["change_dataset", "read_item", "show_dataset", "show_datasets"]

_MOST_VERSIONS: Final = 1_000
_JSON: Final = (
    "expected_tool_calls",
    "minimums",
    "expected_trajectory",
    "tasks",
    "constraints",
    "tools",
    "tags",
    "metadata",
)


class DatasetEntry(BaseModel):
    """A dataset in its newest version."""

    dataset: str
    version: int
    items: int
    created_at: datetime
    changed_at: datetime


class DatasetList(BaseModel):
    """Datasets by name. `truncated`: there are more than the limit."""

    datasets: list[DatasetEntry]
    truncated: bool


class DatasetQuery(BaseModel):
    """Which datasets."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    search: str | None = Field(default=None, max_length=200, description="only those whose name contains it")
    limit: int = Field(default=1_000, ge=1, le=1_000, description="most datasets")


class VersionEntry(DatasetVersion):
    """A version: how many items it has, and how it differs from the one before."""

    created_at: datetime
    author: str


class ItemQuery(BaseModel):
    """Which items of a dataset."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int | None = Field(default=None, ge=1, lt=2**63, description="default: the newest")
    limit: int = Field(default=100, ge=1, le=1_000, description="most items")
    after: int = Field(default=0, ge=0, lt=2**63, description="the `next` of the page before")


class DatasetPage(BaseModel):
    """A version of a dataset with its items; `next` is the `after` of the next page, null at the end."""

    dataset: str
    version: int
    versions: list[VersionEntry]
    items: list[DatasetItem]
    next: int | None


@endpoint("GET", "/api/v1/datasets", "the datasets", query=DatasetQuery, answer=DatasetList)
async def show_datasets(api: Api, call: Call) -> Mapping[str, Any]:
    """Answer with datasets by name."""
    rows = await api.rows(report("latest_datasets"), **call.query(DatasetQuery).model_dump())
    datasets = [{name: row[name] for name in DatasetEntry.model_fields} for row in rows]
    return {"datasets": datasets, "truncated": bool(rows) and rows[0]["total"] > len(rows)}


@endpoint("GET", "/api/v1/datasets/{name:path}", "a dataset: versions and items", query=ItemQuery, answer=DatasetPage)
async def show_dataset(api: Api, call: Call) -> Mapping[str, Any]:
    """Answer with a page of the items of a version."""
    query, name = call.query(ItemQuery), call.path("name")
    versions = await api.rows(report("versions_of_dataset"), dataset=name, version=query.version, limit=_MOST_VERSIONS)
    if not versions:
        raise await _refuse(api, name)
    version = query.version or versions[0]["version"]
    if version not in {row["version"] for row in versions}:
        raise Refusal(404, "not_found", f"{name} has no version {version}; the newest is {versions[0]['version']}")
    page = {"version": version, "after_position": query.after, "limit": query.limit}
    rows, is_cut = await api.page(report("items_of_dataset"), dataset=name, **page)
    return {
        "dataset": name,
        "version": version,
        "versions": [{**row, "unchanged": row["items"] - row["added"] - row["changed"]} for row in versions],
        "items": [read_item(row) for row in rows],
        "next": rows[-1]["position"] if rows and (is_cut or len(rows) == query.limit) else None,
    }


@endpoint(
    "POST",
    "/api/v1/datasets",
    "add items to a dataset, or remove them",
    body=DatasetChange,
    answer=DatasetVersion,
    example='{"dataset": "refunds", "items": [{"input": "I want my money back", "expected_tool_calls": ["refund"]}]}',
)
async def change_dataset(api: Api, call: Call) -> DatasetVersion:
    """Answer with the version that the change has made."""
    change = call.body(DatasetChange)
    return await api.admin_commands.run(lambda: api.commands.change_dataset(change))


async def _refuse(api: Api, name: str) -> Refusal:
    names = [row["dataset"] for row in await api.rows(report("latest_datasets"), search=None, limit=_MOST_VERSIONS)]
    text = f"there is no dataset {name[:200]!r}{nearest(name, names)}"
    return Refusal(404, "not_found", text, details=Details(near=most_similar(name, names)))


def read_item(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item of a row, in the form in which it is sent."""
    run = row["source_agent_trace_id"]
    return {
        "id": row["item_id"],
        "input": orjson.loads(row["input"]) if row["input_is_object"] else row["input"],
        "expected_response": row["expected_response"],
        "split": row["split"],
        "source": None if run is None else {"agent_trace_id": run, "revision": row["source_revision"]},
        **{name: None if row[name] is None else orjson.loads(row[name]) for name in _JSON},
    }
