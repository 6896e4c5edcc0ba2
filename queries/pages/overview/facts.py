"""What the overview reads, all at once."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias

from ...catalog import report
from ...filter import compile_filter
from ...http.reads import answer_read
from ...ports import RunningEvaluator
from ...read.run_keys import RunList
from ...read.runs import Page, read_page
from ...read.source import Sources
from ...read.window import BEGINNING, Window
from ..choices import Choices, read_choices
from ..visit import Visit

__all__ = ["Facts", "Row", "Scale", "read_facts", "read_scale"]

Row: TypeAlias = Mapping[str, Any]

_MOST_BARS: Final = 80
_BAR_HOURS: Final = (1, 6, 24, 7 * 24, 28 * 24)
_POINTS: Final = 24
_MOST_LISTED: Final = 8
_MOST_SCORED: Final[Mapping[str, Any]] = {"evaluator": None, "search": None, "configured": [], "limit": 200}
_OF_PAST: Final[Mapping[str, Mapping[str, int]]] = {"compared_measures": {}, "changes_of_agents": {"limit": 50}}
"""The reports that need a period before."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The period that is drawn, with the hours of a bar and of a point of a line. `has_past`: there is a period before
    it to compare with."""

    window: Window
    bar_hours: int
    point_hours: int
    has_past: bool

    @classmethod
    def of(cls, window: Window, first_run_at: datetime | None) -> Scale:
        """Return the scale for a period; for all time, it begins with the hour of the first run."""
        has_past = window.since > BEGINNING
        drawn = window
        if not has_past and first_run_at is not None:
            drawn = replace(window, since=first_run_at.replace(minute=0, second=0, microsecond=0))
        hours = max(1, math.ceil((drawn.until - drawn.since) / timedelta(hours=1)))
        bar = next((bar for bar in _BAR_HOURS if hours / bar <= _MOST_BARS), _BAR_HOURS[-1])
        return cls(drawn, bar, max(1, hours // _POINTS), has_past)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Rows of the reports that the overview shows, for its period and names."""

    scale: Scale
    choices: Choices
    bars: Sequence[Row]
    durations: Row
    measures: Sequence[Row]
    changes: Sequence[Row]
    evaluators: Sequence[Row]
    tools: Sequence[Row]
    patterns: Sequence[Row]
    worst: Page
    running: Sequence[RunningEvaluator]


async def read_facts(visit: Visit) -> Facts:
    """Read everything that the overview shows but for the causes of what got worse."""
    scale = await read_scale(visit)
    reports: dict[str, Mapping[str, Any]] = {
        "runs_by_step": {"step_hours": scale.bar_hours},
        "durations_of_runs": {},
        "evaluators_by_step": {"step_hours": scale.point_hours, **_MOST_SCORED},
        "tools_at_fault": {"limit": _MOST_LISTED},
        "failing_patterns": {"limit": _MOST_LISTED},
        **(_OF_PAST if scale.has_past else {}),
    }
    answers = asyncio.gather(*(_read(visit, name, scale, **numbers) for name, numbers in reports.items()))
    worst, running, choices, rows = await asyncio.gather(
        _read_worst(visit), visit.site.api.list_evaluators(), read_choices(visit), answers
    )
    by_name = dict(zip(reports, rows, strict=True))
    return Facts(
        scale=scale,
        choices=choices,
        bars=by_name["runs_by_step"],
        durations=by_name["durations_of_runs"][0],
        measures=by_name.get("compared_measures", ()),
        changes=by_name.get("changes_of_agents", ()),
        evaluators=by_name["evaluators_by_step"],
        tools=by_name["tools_at_fault"],
        patterns=by_name["failing_patterns"],
        worst=worst,
        running=running,
    )


async def read_scale(visit: Visit) -> Scale:
    """Return the scale of the chosen period."""
    if visit.window.since > BEGINNING:
        return Scale.of(visit.window, None)
    (first,) = await visit.site.api.rows(report("first_run"), **visit.window.parameters)
    return Scale.of(visit.window, first["started_at"])


async def _read(visit: Visit, name: str, scale: Scale, **parameters: Any) -> list[dict[str, Any]]:
    named = {**scale.window.parameters, **visit.selection.names, **parameters}
    return await visit.site.api.rows(report(name), **named)


async def _read_worst(visit: Visit) -> Page:
    """Read the first failing runs as a list sorted by the worst score has them."""
    runs = RunList(run_filter=compile_filter(visit.selection.filter("is:failing")), window=visit.window, sort="worst")

    def read(sources: Sources) -> Page:
        return read_page(runs, sources, limit=_MOST_LISTED)

    return await answer_read(visit.site.api, visit.request, read)
