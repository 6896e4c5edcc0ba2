"""Rebuilds: stored traces are assembled again."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from .refusal import CommandRefused
from .words import Time, check_year

__all__ = ["Rebuild", "RebuildUnderWay", "Rebuilding"]


class Rebuild(BaseModel):
    """A request to assemble stored traces again: those with a span that began at `since` or later (UTC), or all."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    since: Annotated[Time, AfterValidator(check_year)] | None = None


class Rebuilding(BaseModel):
    """A rebuild in progress: `done` of `traces` are assembled again. `is_joined`: it was in progress before."""

    model_config = ConfigDict(frozen=True)

    rebuild_id: int
    since: datetime | None
    traces: int
    done: int
    is_joined: bool


class RebuildUnderWay(CommandRefused):
    """Another rebuild is in progress, which does not reach as far back."""

    kind = "conflict"
