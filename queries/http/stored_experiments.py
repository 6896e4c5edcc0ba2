"""Stored experiments over HTTP: the list, and one with its runs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict, Field

from tracegrade.evaluators.experiments.item import DatasetItem

from ..catalog import report
from ..ports import EvaluatorForm
from .api import Api
from .endpoint import Call, endpoint
from .refusal import Refusal

__all__ = ["show_experiment", "show_experiments"]


class ExperimentEntry(BaseModel):
    """An experiment: of `items` times `repeats` runs, `runs` are stored, and `errors` of them failed.

    `ended_at` is null if it is in progress or was interrupted.
    """

    experiment_id: str
    name: str
    dataset: str | None
    dataset_version: int | None
    items: int
    repeats: int
    evaluators: list[EvaluatorForm]
    task: str
    metadata: dict[str, Any]
    author: str
    started_at: datetime
    ended_at: datetime | None
    runs: int
    errors: int


class ExperimentList(BaseModel):
    """Experiments, the newest first."""

    experiments: list[ExperimentEntry]


class ExperimentQuery(BaseModel):
    """Which experiments."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str | None = Field(default=None, description="only those of this name")
    dataset: str | None = Field(default=None, description="only those on this dataset")
    limit: int = Field(default=100, ge=1, le=1_000, description="most experiments")


class RunQuery(BaseModel):
    """Which runs of an experiment."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    limit: int = Field(default=100, ge=1, le=1_000, description="most runs")
    after: str | None = Field(
        default=None, pattern=r"^\d{1,18}\.\d{1,18}$", description="the `next` of the page before"
    )


class ExperimentRunEntry(BaseModel):
    """A run of an experiment, or the error that it ended with. `repeat` and `position` count from 0."""

    item: DatasetItem
    position: int
    repeat: int
    status: str
    cause: str | None
    agent_trace_id: str | None
    duration_ms: float | None


class ExperimentPage(BaseModel):
    """An experiment with its runs; `next` is the `after` of the next page, null at the end."""

    experiment: ExperimentEntry
    runs: list[ExperimentRunEntry]
    next: str | None


@endpoint("GET", "/api/v1/experiments", "the experiments", query=ExperimentQuery, answer=ExperimentList)
async def show_experiments(api: Api, call: Call) -> Mapping[str, Any]:
    """Answer with the newest experiments."""
    query = call.query(ExperimentQuery)
    about = {"name": query.name, "id": None, "dataset": query.dataset, "limit": query.limit}
    return {"experiments": [_read_entry(row) for row in await api.rows(report("matching_experiments"), **about)]}


@endpoint("GET", "/api/v1/experiments/{id:path}", "an experiment with its runs", query=RunQuery, answer=ExperimentPage)
async def show_experiment(api: Api, call: Call) -> Mapping[str, Any]:
    """Answer with a page of the runs of an experiment, by its whole id."""
    query, experiment_id = call.query(RunQuery), call.path("id")
    about = {"name": None, "id": experiment_id, "dataset": None, "limit": 1}
    found = await api.rows(report("matching_experiments"), **about)
    if not found or found[0]["experiment_id"] != experiment_id:
        raise Refusal(
            404, "not_found", f"there is no experiment {experiment_id[:200]!r}; GET /api/v1/experiments lists them"
        )
    position, _, repeat = (query.after or "-1.-1").partition(".")
    place = {"after_position": int(position), "after_repeat": int(repeat), "limit": query.limit}
    rows, is_cut = await api.page(report("runs_of_experiment"), experiment_id=experiment_id, **place)
    has_more = rows and (is_cut or len(rows) == query.limit)
    return {
        "experiment": _read_entry(found[0]),
        "runs": [{**row, "item": orjson.loads(row["item"])} for row in rows],
        "next": f"{rows[-1]['position']}.{rows[-1]['repeat']}" if has_more else None,
    }


def _read_entry(row: Mapping[str, Any]) -> dict[str, Any]:
    shown = {name: value for name, value in row.items() if name != "plan_hash"}
    return {**shown, **{name: orjson.loads(row[name]) for name in ("evaluators", "metadata")}}
