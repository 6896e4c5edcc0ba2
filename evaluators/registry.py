"""Names for evaluators: what exists, what it takes, and how a configured one is identified.

An evaluator is any callable `(AgentTrace) -> Score | bool | float | str | dict | None`. Those with options are
frozen pydantic models with that call; `@evaluator` gives them name, version, scope and default threshold.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

__all__ = [
    "Configured",
    "Definition",
    "EvaluatorKind",
    "Options",
    "Scope",
    "UnknownEvaluator",
    "WrongOptions",
    "catalogue",
    "configure",
    "definition_of",
    "evaluator",
]

Scope: TypeAlias = Literal["trace", "tool_call", "session", "tool"]
EvaluatorKind: TypeAlias = Literal["code", "llm", "sql", "human", "external"]


class UnknownEvaluator(ValueError):
    """Nobody knows an evaluator of that name."""


class WrongOptions(ValueError):
    """An option is unknown or has the wrong type; the message names the key and the nearest right word."""


class Options(BaseModel):
    """Base of evaluators that take options: the fields are the options, the call is the evaluation."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """An evaluator as it can be named in a configuration. Raise `version` when its verdicts change."""

    name: str
    version: int
    scope: Scope
    threshold: float
    factory: type[Options]
    reads: tuple[str, ...]
    skipped_when: str
    source: str

    @property
    def summary(self) -> str:
        return (inspect.getdoc(self.factory) or "").partition("\n")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """A definition with options, under a name of its own. `config_hash` is part of every verdict's identity."""

    name: str
    type: str
    version: int
    scope: Scope
    threshold: float
    only_with_reference: bool
    judge: Callable[[Any], object]
    config_hash: str
    kind: EvaluatorKind = "code"
    options: Mapping[str, Any] = field(default_factory=dict)


_DEFINITIONS: dict[str, Definition] = {}


def evaluator(  # noqa: PLR0913 - each is a line of what the catalogue tells
    name: str,
    *,
    version: int,
    source: str,
    reads: tuple[str, ...] = (),
    skipped_when: str = "",
    threshold: float = 1.0,
    scope: Scope = "trace",
) -> Callable[[type[Options]], type[Options]]:
    """Name a class of evaluators.

    `source` says where its semantics come from; `reads` the fields of what it is given that it looks at, such as
    `tool_calls` or `reference.tasks`; `skipped_when` in which cases it has nothing to say.
    """

    def register(factory: type[Options]) -> type[Options]:
        _DEFINITIONS[name] = Definition(
            name=name,
            version=version,
            scope=scope,
            threshold=threshold,
            factory=factory,
            reads=reads,
            skipped_when=skipped_when,
            source=source,
        )
        return factory

    return register


def catalogue() -> Mapping[str, Definition]:
    """Every evaluator that can be named, by name."""
    for package in ("..checks", "..peers"):
        importlib.import_module(package, __name__)
    return dict(sorted(_DEFINITIONS.items()))


def configure(
    use: str,
    *,
    name: str | None = None,
    options: Mapping[str, Any] | None = None,
    threshold: float | None = None,
    only_with_reference: bool = False,
) -> Configured:
    """An evaluator ready to run. Raises UnknownEvaluator or WrongOptions, saying what to write instead.

    With `only_with_reference` a run that nobody expected anything of gets no verdict at all, not even a skipped one.
    """
    definition = definition_of(use)
    options = dict(options or {})
    try:
        judge = definition.factory(**options)
    except ValidationError as error:
        raise WrongOptions(_explain(definition, error)) from error
    threshold = definition.threshold if threshold is None else threshold
    return Configured(
        name=name or use,
        type=use,
        version=definition.version,
        scope=definition.scope,
        threshold=threshold,
        only_with_reference=only_with_reference,
        judge=judge,  # type: ignore[arg-type]  # every registered class has a call; the contract test holds them to it
        options=options,
        config_hash=_hash({"use": use, "options": judge.model_dump(mode="json"), "threshold": threshold}),
    )


def definition_of(use: str) -> Definition:
    """The evaluator of that name. Raises UnknownEvaluator, with the nearest name."""
    definitions = catalogue()
    if use in definitions:
        return definitions[use]
    raise UnknownEvaluator(
        f"no evaluator is called {use!r}{_nearest(use, definitions)}; `tracegrade evaluators` lists them"
    )


def _explain(definition: Definition, error: ValidationError) -> str:
    known = definition.factory.model_fields
    faults = []
    for fault in error.errors():
        key = ".".join(str(step) for step in fault["loc"])
        if fault["type"] == "extra_forbidden":
            offer = _nearest(key, known) or f"; it takes {', '.join(known) or 'no options'}"
            faults.append(f"{definition.name} has no option {key!r}{offer}")
        else:
            faults.append(f"option {key!r} of {definition.name}: {fault['msg']}")
    return "; ".join(faults)


def _nearest(word: str, known: Mapping[str, object]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _hash(value: object) -> str:
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
