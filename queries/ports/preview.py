"""A preview of an evaluator: what it would score, before it is switched on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from .words import Time

__all__ = [
    "MOST_PREVIEWED",
    "Preview",
    "PreviewCost",
    "PreviewRequest",
    "PreviewResult",
    "PreviewedAgreement",
    "PreviewedScore",
]

MOST_PREVIEWED: Final = 200
_MOST_CHARACTERS: Final = 20_000


class PreviewRequest(BaseModel):
    """One entry of `evaluators`, as it would stand in the configuration, and on which runs it is tried. An entry never
    brings code: `use`, `sql` or the `criteria` of a rubric."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entry: str = Field(min_length=1, max_length=_MOST_CHARACTERS, description="YAML")
    since: Time
    limit: int = Field(default=50, ge=1, le=MOST_PREVIEWED, description="the most runs, the newest")
    ask: bool = Field(default=False, description="also ask the judge, which costs money")


class PreviewCost(BaseModel):
    """The questions to the judge that are not answered yet, and their price; None: unknown."""

    model_config = ConfigDict(frozen=True)

    judge: str
    questions: int
    known: int
    input_tokens: int
    usd: float | None
    most_usd: float | None


class PreviewedScore(BaseModel):
    """A score that would be given. `agent_trace_id` is None for sessions and tools; `before` is what is active now."""

    model_config = ConfigDict(frozen=True)

    target_id: str
    agent_trace_id: str | None
    agent_name: str | None
    value: float | None
    passed: bool | None
    explanation: str | None
    value_before: float | None = None
    explanation_before: str | None = None


class PreviewedAgreement(BaseModel):
    """How often the preview passed and failed the same targets as another side."""

    model_config = ConfigDict(frozen=True)

    both_passed: int
    only_preview_passed: int
    only_other_passed: int
    both_failed: int
    kappa: float | None


class PreviewResult(BaseModel):
    """The scores. `histogram` counts the values in ten equal bins, and those of exactly 1; `passed` of `decided` pass,
    which is between `low` and `high` of all such runs. `people` and `active` are None if there is nothing to compare;
    `is_same`: the active evaluator has the same options. `is_cut`: it was stopped, and other targets are missing."""

    model_config = ConfigDict(frozen=True)

    statuses: Mapping[str, int]
    reasons: Mapping[str, int]
    errors: Mapping[str, int]
    deferred: Mapping[str, int]
    histogram: tuple[int, ...]
    passed: int
    decided: int
    low: float | None
    high: float | None
    mean: float | None
    worst: tuple[PreviewedScore, ...]
    people: PreviewedAgreement | None
    active: PreviewedAgreement | None
    is_same: bool
    newly_failing: tuple[PreviewedScore, ...]
    newly_passing: tuple[PreviewedScore, ...]
    took_s: float
    is_cut: bool = False
    calls: int
    spent_usd: float | None


class Preview(BaseModel):
    """A preview: `chosen` of `matching` runs, with their `targets`. `cost` is None if no judge is asked, `result` if
    the judge would have to be asked first."""

    model_config = ConfigDict(frozen=True)

    name: str
    kind: str
    scope: str
    version: int
    threshold: float | None
    matching: int
    chosen: int
    targets: int
    cost: PreviewCost | None
    result: PreviewResult | None
