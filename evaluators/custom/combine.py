"""Combines evaluators into one: the mean, product or minimum of their values, or whether all of them pass."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from ..definition.registry import Configured
from ..execution.run import score
from ..model import Score
from ..text.suggestions import nearest

__all__ = ["HOW", "Combination", "How", "WrongMembers", "weights", "with_members"]

How: TypeAlias = Literal["mean", "product", "min", "all_pass"]
HOW: Final[tuple[str, ...]] = get_args(How)


class WrongMembers(ValueError):
    """A combination has an unknown member, or one that contains the combination. `member` is its name."""

    def __init__(self, message: str, *, member: str) -> None:
        super().__init__(message)
        self.member = member


def weights(of: Mapping[str, float] | Sequence[str]) -> Mapping[str, float]:
    """Return the weight of each member, 1 if `of` is a list of names."""
    return dict(of) if isinstance(of, Mapping) else dict.fromkeys(of, 1.0)


def with_members(
    name: str, spec: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]], *, above: tuple[str, ...] = ()
) -> Mapping[str, Any]:
    """Return the `spec` of `name`; if it is a combination, with the specs of its members added.

    `known` are all specs of the configuration by name. Raises WrongMembers.
    """
    combine = spec.get("combine")
    if combine is None:
        return spec
    path = (*above, name)
    members: dict[str, Mapping[str, Any]] = {}
    for member in weights(combine["of"]):
        if member in path:
            raise WrongMembers(f"{' combines '.join((*path, member))}: that is a cycle", member=member)
        if member not in known:
            raise WrongMembers(f"no evaluator here is called {member!r}{nearest(member, known)}", member=member)
        members[member] = with_members(member, known[member], known, above=path)
    return {**spec, "combine": {**combine, "members": members}}


class _Part(NamedTuple):
    name: str
    weight: float
    score: Score
    passed: bool | None


@dataclass(frozen=True, slots=True)
class Combination:
    """Combines the scores of other evaluators on the same target.

    A member that is skipped, or whose score cannot be combined, is left out; if all are, the combination is skipped.
    An error of a member is an error of the combination. Weights count only in the mean.
    """

    how: How
    members: tuple[tuple[Configured, float], ...]

    def __call__(self, given: Any) -> Score:
        parts = [_part(member, weight, given) for member, weight in self.members]
        details = {"members": {part.name: _part_details(part) for part in parts}}
        broken = [part for part in parts if part.score.status == "error"]
        if broken:
            reason = "; ".join(f"{part.name}: {part.score.reason}" for part in broken)
            return Score.failed(reason).model_copy(update={"details": details})
        counted = [part for part in parts if self._counts(part)]
        if not counted:
            return Score.skip("; ".join(f"{part.name}: {_why_not(part)}" for part in parts), **details)
        return Score(value=self._value(counted), explanation=self._explained(counted, parts), details=details)

    def _counts(self, part: _Part) -> bool:
        result = part.passed if self.how == "all_pass" else part.score.value
        return part.score.status == "scored" and result is not None

    def _value(self, parts: Sequence[_Part]) -> float:
        if self.how == "all_pass":
            return float(all(part.passed for part in parts))
        return _VALUES[self.how]([(part.score.value or 0.0, part.weight) for part in parts])

    def _explained(self, counted: Sequence[_Part], parts: Sequence[_Part]) -> str:
        values = ", ".join(f"{part.name} {_describe_part(part)}" for part in counted)
        others = ", ".join(part.name for part in parts if part not in counted)
        return f"{self.how} of {values}" + (f"; left out: {others}" if others else "")


def _mean(values: Iterable[tuple[float, float]]) -> float:
    pairs = list(values)
    return min(1.0, math.fsum(value * weight for value, weight in pairs) / math.fsum(weight for _, weight in pairs))


_VALUES: Final[Mapping[str, Callable[[Sequence[tuple[float, float]]], float]]] = {
    "mean": _mean,
    "product": lambda pairs: math.prod(value for value, _ in pairs),
    "min": lambda pairs: min(value for value, _ in pairs),
}


def _part(member: Configured, weight: float, given: Any) -> _Part:
    member_score = score(member, given)
    return _Part(member.name, weight, member_score, member.passes(member_score))


def _part_details(part: _Part) -> Mapping[str, Any]:
    fields = {"value": part.score.value, "passed": part.passed, "label": part.score.label, "reason": part.score.reason}
    return {"status": part.score.status, "weight": part.weight, **{k: v for k, v in fields.items() if v is not None}}


def _why_not(part: _Part) -> str:
    return part.score.reason or "it gives neither a value nor whether the target passed"


def _describe_part(part: _Part) -> str:
    value = f"{part.score.value:.2f}" if part.score.value is not None else ("passes" if part.passed else "fails")
    return value if part.weight == 1 else f"{value} (weight {part.weight:g})"
