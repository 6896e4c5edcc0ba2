"""The gate: decides whether scores are good enough for a release. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, model_validator

from ..catalog.source_names import name_hint
from ..model.value import Value
from ..text.messages import counted
from .statistics import Interval, difference_of_means, difference_of_shares

__all__ = ["Check", "CheckStatus", "Figures", "GateResult", "Statistic", "Thresholds", "decide", "describe_unscored"]

Statistic: TypeAlias = Literal["mean", "pass_rate"]
CheckStatus: TypeAlias = Literal["passed", "failed", "no_data"]

_STATISTICS: Final[tuple[Statistic, ...]] = ("mean", "pass_rate")
_WORDS: Final[Mapping[Statistic, str]] = {"mean": "mean", "pass_rate": "pass rate"}
_ROUNDING: Final = 1e-9
"""What a mean may be below its threshold only because numbers are rounded."""

_Share = Annotated[float, Field(ge=0, le=1)]


class Thresholds(Value):
    """What the scores of an evaluator have to reach. A drop is how much lower they are than those of the baseline."""

    min_mean: _Share | None = Field(default=None, description="the lowest mean of the values")
    min_pass_rate: _Share | None = Field(default=None, description="the lowest share of scores that pass")
    max_mean_drop: _Share | None = Field(default=None, description="how much lower the mean may be than before")
    max_pass_rate_drop: _Share | None = Field(default=None, description="how much lower the pass rate may be")
    min_n: int | None = Field(default=None, ge=1, description="the least number of scores that decide")

    @model_validator(mode="after")
    def _require_threshold(self) -> Thresholds:
        if not any(self.limits(statistic) != (None, None) for statistic in _STATISTICS):
            raise ValueError("write at least one of min_mean, min_pass_rate, max_mean_drop and max_pass_rate_drop")
        return self

    def limits(self, statistic: Statistic) -> tuple[float | None, float | None]:
        """Return the minimum of a statistic, and its largest drop."""
        if statistic == "mean":
            return self.min_mean, self.max_mean_drop
        return self.min_pass_rate, self.max_pass_rate_drop


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The scores of one evaluator in numbers: those with a value, those that passed or failed, and the others.

    `failed_runs` are runs of an experiment whose task failed: they have no score, and did not pass.
    """

    valued: int = 0
    mean: float | None = None
    variance: float = 0.0
    decided: int = 0
    passed: int = 0
    skipped: int = 0
    errors: int = 0
    failed_runs: int = 0

    def __add__(self, other: Figures) -> Figures:
        """Return the figures of both together, as T. F. Chan and others combine variances (STAN-CS-79-773, 1979)."""
        valued = self.valued + other.valued
        change = (other.mean or 0.0) - (self.mean or 0.0)
        squares = self.variance * max(self.valued - 1, 0) + other.variance * max(other.valued - 1, 0)
        squares += change**2 * self.valued * other.valued / valued if self.valued and other.valued else 0.0
        return Figures(
            valued=valued,
            mean=((self.mean or 0.0) * self.valued + (other.mean or 0.0) * other.valued) / valued if valued else None,
            variance=squares / (valued - 1) if valued > 1 else 0.0,
            decided=self.decided + other.decided,
            passed=self.passed + other.passed,
            skipped=self.skipped + other.skipped,
            errors=self.errors + other.errors,
            failed_runs=self.failed_runs + other.failed_runs,
        )

    def count(self, statistic: Statistic) -> int:
        """Return the number of scores and failed runs behind a statistic."""
        return self.valued if statistic == "mean" else self.decided + self.failed_runs

    def value(self, statistic: Statistic) -> float | None:
        """Return a statistic; None without scores."""
        if statistic == "mean":
            return self.mean
        return self.passed / of if (of := self.count(statistic)) else None

    def difference(self, statistic: Statistic, other: Figures) -> Interval | None:
        """Return the 95 % interval of how much higher a statistic is than that of `other`; None for too few scores."""
        if statistic == "pass_rate":
            of, other_of = self.count(statistic), other.count(statistic)
            return difference_of_shares(self.passed, of, other.passed, other_of) if of and other_of else None
        if self.mean is None or other.mean is None or min(self.valued, other.valued) < 2:
            return None
        return difference_of_means(self.mean, self.variance, self.valued, (other.mean, other.variance, other.valued))


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One statistic of an evaluator beside its limits. `n` is the number of scores and failed runs behind `value`.

    `change` is the difference to the baseline, and `interval` contains it with 95 %. `message` says all of it in words.
    """

    evaluator: str
    statistic: Statistic
    status: CheckStatus
    message: str
    n: int
    min_n: int
    value: float | None = None
    minimum: float | None = None
    max_drop: float | None = None
    baseline: float | None = None
    baseline_n: int | None = None
    change: float | None = None
    interval: Interval | None = None
    skipped: int = 0
    errors: int = 0
    failed_runs: int = 0


@dataclass(frozen=True, slots=True)
class GateResult:
    """The checks of a gate."""

    checks: tuple[Check, ...]

    @property
    def status(self) -> CheckStatus:
        """`failed` if a check failed, else `no_data` if one could not be decided, else `passed`."""
        statuses = {check.status for check in self.checks}
        if "failed" in statuses:
            return "failed"
        return "passed" if statuses == {"passed"} else "no_data"


def decide(
    thresholds: Mapping[str, Thresholds],
    figures: Mapping[str, Figures],
    baseline: Mapping[str, Figures] | None = None,
    *,
    min_n: int = 1,
    known: Collection[str] = (),
) -> GateResult:
    """Check the figures of evaluators, by name, against their thresholds.

    `min_n` is for thresholds without one of their own. Without data a check is never passed. The nearest name is
    suggested for an evaluator that has no figures and is not `known` either. Raises ValueError if a drop is limited and
    there is no `baseline`.
    """
    return GateResult(
        tuple(
            _check(name, statistic, limits, sides=_Sides(figures, baseline, known), min_n=limits.min_n or min_n)
            for name, limits in thresholds.items()
            for statistic in _STATISTICS
            if limits.limits(statistic) != (None, None)
        )
    )


@dataclass(frozen=True, slots=True)
class _Sides:
    """The figures that are checked, those before, and the names of evaluators that exist."""

    figures: Mapping[str, Figures]
    baseline: Mapping[str, Figures] | None
    known: Collection[str]


def _check(
    name: str,
    statistic: Statistic,
    thresholds: Thresholds,
    *,
    sides: _Sides,
    min_n: int,
) -> Check:
    minimum, max_drop = thresholds.limits(statistic)
    if max_drop is not None and sides.baseline is None:
        raise ValueError(f"{name}: max_{statistic}_drop needs a baseline to compare with")
    own = sides.figures.get(name, Figures())
    before = None if sides.baseline is None else sides.baseline.get(name, Figures())
    value, earlier = own.value(statistic), None if before is None else before.value(statistic)
    change = None if value is None or earlier is None else value - earlier
    missing = list(_find_missing(name, statistic, sides, min_n))
    missing_before = [] if before is None or max_drop is None else list(_find_missing_before(statistic, before, min_n))
    interval = None if before is None else own.difference(statistic, before)
    drop = None if missing_before or change is None else -change
    failures = [] if missing else list(_find_failures(statistic, value, drop, minimum, max_drop))
    reasons = failures or [*missing, *missing_before]
    status: CheckStatus = "failed" if failures else "no_data" if reasons else "passed"
    return Check(
        evaluator=name,
        statistic=statistic,
        status=status,
        message=": ".join(filter(None, ("; ".join(_describe(statistic, own, before, interval)), "; ".join(reasons)))),
        n=own.count(statistic),
        min_n=min_n,
        value=value,
        minimum=minimum,
        max_drop=max_drop,
        baseline=earlier,
        baseline_n=None if before is None else before.count(statistic),
        change=change,
        interval=interval,
        skipped=own.skipped,
        errors=own.errors,
        failed_runs=own.failed_runs,
    )


def _find_missing(name: str, statistic: Statistic, sides: _Sides, min_n: int) -> Iterator[str]:
    """Yield why a check cannot be decided."""
    if not sides.figures:
        yield "there are no scores"
        return
    if name not in sides.figures:
        is_right = name in sides.known
        names = sorted({*sides.figures, *sides.known})
        yield f"no scores of {name}{' in this selection' if is_right else name_hint(name, names)}"
        return
    if (n := sides.figures[name].count(statistic)) < min_n:
        yield f"{n:,} of at least {min_n:,} scores"


def _find_missing_before(statistic: Statistic, before: Figures, min_n: int) -> Iterator[str]:
    """Yield why a drop from the baseline cannot be decided."""
    if before.count(statistic) < min_n:
        yield f"the baseline has {before.count(statistic):,} of at least {min_n:,} scores"


def _find_failures(
    statistic: Statistic, value: float | None, drop: float | None, minimum: float | None, max_drop: float | None
) -> Iterator[str]:
    """Yield which limits are broken."""
    if minimum is not None and value is not None and value < minimum - _ROUNDING:
        yield f"at least {_show(statistic, minimum)}"
    if max_drop is not None and drop is not None and drop > max_drop + _ROUNDING:
        yield f"{_show(statistic, drop)} lower than the baseline, at most {_show(statistic, max_drop)}"


def _describe(statistic: Statistic, own: Figures, before: Figures | None, interval: Interval | None) -> Iterator[str]:
    """Yield the value, what it was before with the change, and how many targets have no score."""
    value, earlier = own.value(statistic), None if before is None else before.value(statistic)
    if value is not None:
        yield f"{_WORDS[statistic]} {_show(statistic, value)} of {own.count(statistic):,}"
    if value is not None and earlier is not None and before is not None:
        within = ""
        if interval is not None:
            low, high = (_show_change(statistic, each) for each in (interval.low, interval.high))
            within = f" (95 %: {low} to {high})"
        unit = " points" if statistic == "pass_rate" else ""
        change = f"{_show_change(statistic, value - earlier)}{unit}{within}"
        yield f"before {_show(statistic, earlier)} of {before.count(statistic):,}, change {change}"
    if others := describe_unscored(own):
        yield others


def describe_unscored(numbers: Figures | Check) -> str:
    """Return how many targets have no score, and why: `3 skipped, 1 error`; empty if all have one."""
    texts = [f"{numbers.skipped:,} skipped"] if numbers.skipped else []
    counts = ((numbers.errors, "error"), (numbers.failed_runs, "failed run"))
    return ", ".join([*texts, *(counted(count, word) for count, word in counts if count)])


def _show(statistic: Statistic, value: float) -> str:
    return f"{value:.4g}" if statistic == "mean" else f"{100 * value:.4g}%"


def _show_change(statistic: Statistic, value: float) -> str:
    return f"{value if statistic == 'mean' else 100 * value:+.3g}"
