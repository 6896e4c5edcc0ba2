"""What is known of each evaluator: its state, its scores of a period, its agreement with people, its spending."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from ...catalog import report
from ...ports import RunningEvaluator
from ..overview.evaluators import EvaluatorLine, draw_evaluators
from ..overview.facts import Row, Scale, read_scale
from ..visit import Visit
from .groups import Group, find_group

__all__ = ["MOST_SCORED", "Standing", "find_present", "read_standings"]

MOST_SCORED: Final = 100

_BESIDE_RUNS: Final = ("session", "tool")
_NOUNS: Final = {"trace": "runs", "tool_call": "tool calls", "session": "sessions", "tool": "definitions of tools"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """An evaluator; `running` is None if the configuration does not have it, `line` if it has no scores in the period.

    `agreement` is the row of `calibration` for its present form; None without labels of people.
    """

    name: str
    running: RunningEvaluator | None
    line: EvaluatorLine | None
    agreement: Row | None
    spend: Row | None
    group: Group

    @classmethod
    def unknown(cls, name: str) -> Self:
        """Return the standing of an evaluator of which only the past is known."""
        return cls(name=name, running=None, line=None, agreement=None, spend=None, group="not configured")

    @property
    def kind(self) -> str:
        """What gives the scores: code, llm, sql, human."""
        if self.running is not None:
            return self.running.kind
        return "" if self.line is None else str(self.line.row["evaluator_kind"])

    @property
    def noun(self) -> str:
        """What it scores."""
        return "runs" if self.running is None else _NOUNS[self.running.scope]

    @property
    def has_runs(self) -> bool:
        """Whether it scores runs or their calls, so that runs can be listed by its scores."""
        return self.running is None or self.running.scope not in _BESIDE_RUNS

    @property
    def waiting(self) -> int:
        """The number of targets that wait, for any reason."""
        if self.running is None:
            return 0
        progress = self.running.progress
        return progress.new + progress.deferred + progress.backfill


async def read_standings(
    visit: Visit, name: str | None = None, *, search: str | None = None
) -> tuple[Scale, list[Standing], int]:
    """Return the standing of evaluators, in the order of the configuration, then those that it does not have and that
    scored most; and how many there are. Scores are read of all, of one, or of those whose name contains `search`."""
    api = visit.site.api
    scale = await read_scale(visit)
    window, names = scale.window.parameters, visit.selection.names
    running = [each for each in await api.list_evaluators() if (search or "").lower() in each.name.lower()]
    configured = [each.name for each in running]
    about = {"evaluator": name, "search": search, "configured": configured, "limit": MOST_SCORED}
    rows = await api.rows(report("evaluators_by_step"), step_hours=scale.point_hours, **window, **names, **about)
    total = rows[0]["total"] if rows else 0
    if any(each.scope in _BESIDE_RUNS for each in running):
        rows = [*rows, *await _read_beside_runs(visit, scale, about)]
    evaluators = sorted({*configured, *(row["evaluator"] for row in rows)})
    agreements, spending = await asyncio.gather(
        api.rows(report("calibration_of"), evaluator=None, evaluators=evaluators),
        api.rows(report("spend_of_evaluators"), **window, evaluators=evaluators),
    )
    lines = draw_evaluators(rows, scale)
    standings = _combine(running, lines, agreements, {row["evaluator"]: row for row in spending})
    return scale, standings, max(total, len(standings))


async def _read_beside_runs(visit: Visit, scale: Scale, about: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Read what evaluators of sessions and tools said, whose scores are not counted by hour."""
    window = scale.window
    before = window.since - (window.until - window.since) if scale.has_past else window.since
    names = visit.selection.names
    rows = await visit.site.api.rows(report("scores_beside_runs"), before=before, **window.parameters, **names, **about)
    return [{**row, "steps": None, "usual": None, "failed_runs": 0, "priced": 0, "cost_usd": None} for row in rows]


def find_present(agreements: Iterable[Row], running: RunningEvaluator | None) -> Row | None:
    """Return the agreement of the present form; of the newest one for an evaluator that is not configured."""
    forms = [
        row
        for row in agreements
        if running is None or (row["evaluator_version"], row["config_hash"]) == (running.version, running.config_hash)
    ]
    return forms[-1] if forms else None


def _combine(
    running: Sequence[RunningEvaluator],
    lines: Iterable[EvaluatorLine],
    agreements: Iterable[Row],
    spending: Mapping[str, Row],
) -> list[Standing]:
    forms: dict[str, list[Row]] = {}
    for row in agreements:
        forms.setdefault(row["evaluator"], []).append(row)
    configured = {each.name: each for each in running}
    by_name, people = _split(lines, configured)

    def stand(name: str, line: EvaluatorLine | None) -> Standing:
        each = configured.get(name) if line is None or not line.is_people else None
        return Standing(
            name=name,
            running=each,
            line=line,
            agreement=find_present(forms.get(name, ()), each),
            spend=spending.get(name) if each is not None else None,
            group=find_group(each, None if line is None else line.row, is_clear=line is not None and line.is_clear),
        )

    names = [*configured, *(name for name in by_name if name not in configured)]
    return [
        *(stand(name, by_name.get(name)) for name in names),
        *(stand(line.row["evaluator"], line) for line in people),
    ]


def _split(
    lines: Iterable[EvaluatorLine], configured: Mapping[str, RunningEvaluator]
) -> tuple[dict[str, EvaluatorLine], list[EvaluatorLine]]:
    """Return the lines of evaluators by name, and those of people; labels for an evaluator belong to its own page."""
    lines = list(lines)
    by_name = {line.row["evaluator"]: line for line in lines if not line.is_people}
    people = [line for line in lines if line.is_people and line.row["evaluator"] not in {*by_name, *configured}]
    return by_name, people
