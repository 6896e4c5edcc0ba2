"""The definition of a dialect: how one instrumentation writes an agent's work into spans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

from ...spans.span import Span
from ...spans.step import Step

__all__ = ["Dialect", "Evidence", "Level", "Remedy", "Sign", "Unrecorded"]

Level: TypeAlias = Literal["framework", "convention", "fallback"]
"""A framework's own attributes say more than those of a convention that many frameworks write."""

_LEVELS: tuple[Level, ...] = ("framework", "convention", "fallback")


class Sign(IntEnum):
    """The sign by which a dialect claims a span, the most certain first."""

    SCOPE = 0
    KEY = 1
    ANY = 2


@dataclass(frozen=True, slots=True)
class Evidence:
    """The source of knowledge about a dialect, for these versions of a package.

    `recording`: spans that the package itself exported are among the tests. `source`: cases are built from the code
    that emits the spans. `documentation`: cases are built from documents alone.
    """

    package: str
    versions: str
    kind: Literal["recording", "source", "documentation"]


@dataclass(frozen=True, slots=True)
class Remedy:
    """How to make a package record the content that a gap names, besides the dialect's `content` setting.

    `scope` is a pattern for the instrumentation scopes of the package.
    """

    gap: str
    scope: str
    text: str


@dataclass(frozen=True, slots=True)
class Unrecorded:
    """Behaviour of a framework with tool calls that its spans do not record, if their scope matches `scope`.

    `leaves`: it carries out every call that it can, and ends a run at those that are left to somebody else.
    `pauses`: it closes the span of a call that waits for approval without error and result.
    `hands_over`: it does not answer a call by which an agent hands over, and the agent that takes over follows.
    """

    behaviour: Literal["leaves", "pauses", "hands_over"]
    scope: str = "*"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one instrumentation writes an agent's work into spans.

    A dialect claims spans from one of its `scopes` and spans that have one of its `keys` (a pattern may end in `*`);
    a dialect without both claims every span. Where that does not decide, `speaks` does. A span is read by the dialect
    with the surest claim; among equal claims a framework's precedes a convention's, and a convention's the fallback.

    `read` returns the step that the span records, or None when it only gives structure. `content` is the setting that
    makes the framework record content, where it does not do so by itself; `remedies` are what else helps with packages
    that write this dialect. `unrecorded` is behaviour that the framework does not record. `evidence` names
    the sources.
    """

    name: str
    read: Callable[[Span], Step | None]
    scopes: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    speaks: Callable[[Span], bool] | None = None
    level: Level = "framework"
    content: str | None = None
    remedies: tuple[Remedy, ...] = ()
    unrecorded: tuple[Unrecorded, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    @property
    def claims_every_span(self) -> bool:
        """Whether it names neither scopes nor keys."""
        return not self.scopes and not self.keys

    def claims_scope(self, scope: str) -> bool:
        """Return whether it claims spans from this scope."""
        return any(_fits(scope, pattern) for pattern in self.scopes)

    def claims_key(self, key: str) -> bool:
        """Return whether it claims spans with this attribute."""
        return any(_fits(key, pattern) for pattern in self.keys)

    def remedy(self, gap: str, scope: str | None) -> str | None:
        """Return the known remedy against `gap` in spans from this scope, if any."""
        fitting = (remedy for remedy in self.remedies if remedy.gap == gap and fnmatchcase(scope or "", remedy.scope))
        return next((remedy.text for remedy in fitting), None)

    def leaves_unrecorded(self, behaviour: str, scope: str | None) -> bool:
        """Return whether the framework that writes spans from this scope has this unrecorded behaviour."""
        return any(
            unrecorded.behaviour == behaviour and fnmatchcase(scope or "", unrecorded.scope)
            for unrecorded in self.unrecorded
        )

    def precedence(self, sign: Sign) -> tuple[int, int, str]:
        """Return the sort key among the dialects that claim a span."""
        return sign, _LEVELS.index(self.level), self.name


def _fits(name: str, pattern: str) -> bool:
    """Match as fnmatchcase does, which would compile each of a hundred patterns, longer than reading a run takes."""
    start, star, end = pattern.partition("*")
    if not star:
        return name == pattern
    return name.startswith(start) and (not end or fnmatchcase(name, pattern))
