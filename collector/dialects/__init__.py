"""The dialects, one module per instrumentation, found by listing this folder, and the choice among them for a span.

A module defines `DIALECT`. It imports no other dialect: what several share is in `shared`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

from ..spans.span import Shape, Span
from ..spans.step import Step
from .shared.dialect import Dialect, Sign
from .shared.guardrail import read_guardrail
from .shared.interrupt import with_interrupt
from .shared.langchain import without_middleware
from .shared.moved_content import with_moved_content
from .shared.truncation import with_truncated
from .shared.usage import with_whole_counts

__all__ = ["DIALECTS", "find_dialect", "leaves_unrecorded", "read"]

_REMEMBERED_KEYS = 300


def _load_dialects() -> tuple[Dialect, ...]:
    names = sorted(module.name for module in iter_modules(__path__) if not module.ispkg)
    dialects: list[Dialect] = [import_module(f"{__name__}.{name}").DIALECT for name in names]
    return tuple(dialects)


DIALECTS = _load_dialects()


def read(span: Span) -> tuple[str, Step] | None:
    """Return the dialect's name and the step that `span` records; None for a span that only gives structure."""
    span = with_moved_content(span) if span.events else span
    dialect = find_dialect(span)
    if dialect is None:
        return None
    step = dialect.read(span)
    if step is None:
        guardrail = read_guardrail(span)
        return None if guardrail is None else (dialect.name, guardrail)
    step = with_truncated(span, with_interrupt(span, without_middleware(span, step)))
    return dialect.name, with_whole_counts(step)


def find_dialect(span: Span) -> Dialect | None:
    """Return the dialect that reads `span`: the one with the most certain claim."""
    shape = span.shape
    is_usual = len(shape) <= _REMEMBERED_KEYS
    claiming = _remembered(span.scope_name, shape) if is_usual else _find_claiming(span.scope_name, shape)
    for dialect in claiming:
        if dialect.speaks is None or dialect.speaks(span):
            return dialect
    return None


@lru_cache(maxsize=1024)
def leaves_unrecorded(behaviour: str, name: str, scope: str | None) -> bool:
    """Return whether the framework of this dialect has this unrecorded behaviour in spans from this scope."""
    return any(dialect.name == name and dialect.leaves_unrecorded(behaviour, scope) for dialect in DIALECTS)


@lru_cache(maxsize=4096)
def _remembered(scope: str | None, shape: Shape) -> tuple[Dialect, ...]:
    """Return the claiming dialects from a cache: most spans have the keys of an earlier one."""
    return _find_claiming(scope, shape)


def _find_claiming(scope: str | None, shape: Shape) -> tuple[Dialect, ...]:
    """Return the dialects that claim such a span, the most certain claim first."""
    signs = dict(_SIGNS_ON_EVERY_SPAN)
    for key in shape:
        signs.update(_signs_by_key(key))
    if scope is not None:
        signs.update(_signs_by_scope(scope))
    dialects = (dialect for dialect in DIALECTS if dialect.name in signs)
    return tuple(sorted(dialects, key=lambda dialect: dialect.precedence(signs[dialect.name])))


_SIGNS_ON_EVERY_SPAN = {dialect.name: Sign.ANY for dialect in DIALECTS if dialect.claims_every_span}


@lru_cache(maxsize=8192)
def _signs_by_key(key: str) -> Mapping[str, Sign]:
    """Return the signs by dialect; spans of other shapes mostly have the same keys."""
    return {dialect.name: Sign.KEY for dialect in DIALECTS if dialect.claims_key(key)}


@lru_cache(maxsize=256)
def _signs_by_scope(scope: str) -> Mapping[str, Sign]:
    return {dialect.name: Sign.SCOPE for dialect in DIALECTS if dialect.claims_scope(scope)}
