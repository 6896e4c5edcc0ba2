"""Scores of past runs."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from .words import Time

__all__ = ["Backfill", "BackfillSummary"]


class Backfill(BaseModel):
    """A request for scores of past runs. Times are UTC and are compared with the start of a run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    since: Time
    until: Time | None = None
    evaluators: tuple[str, ...] = Field(default=(), description="names; none: all of the configuration")
    where: str | None = Field(default=None, description="SQL condition over the columns of agent_traces")
    again: bool = Field(default=False, strict=True, description="also runs that have a score")


class BackfillSummary(BaseModel):
    """What a backfill requested.

    It selects `runs` runs. Numbers of scores by evaluator: those `requested` now, those `requested_before` that do not
    exist yet, and those that were `deferred`. `paused` evaluators begin when they are resumed, `scheduled` ones at the
    time of their schedule.
    """

    model_config = ConfigDict(frozen=True)

    runs: int
    requested: Mapping[str, int]
    requested_before: Mapping[str, int]
    deferred: Mapping[str, int]
    paused: tuple[str, ...] = ()
    scheduled: Mapping[str, str] = {}
