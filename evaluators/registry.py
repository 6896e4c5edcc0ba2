"""Names for evaluators: what exists, what it takes, and how a configured one is identified.

An evaluator is any callable `(AgentTrace) -> Score | bool | float | str | dict | None`. Those with options are
frozen pydantic models with that call; `@evaluator` gives them name, version, scope and default threshold.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from .hints import fields_at, hint, nearest

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
    """An option is unknown or has the wrong type; the message names the key and the nearest right word.

    `faults` has a text a fault, each with the keys under which it stands in the options.
    """

    def __init__(self, faults: Sequence[tuple[tuple[str | int, ...], str]]) -> None:
        super().__init__("; ".join(text for _, text in faults))
        self.faults = tuple(faults)


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
    reads: tuple[str, ...] = ()
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
        raise WrongOptions(list(_faults(definition, error))) from error
    threshold = definition.threshold if threshold is None else threshold
    return Configured(
        name=name or use,
        type=use,
        version=definition.version,
        scope=definition.scope,
        threshold=threshold,
        only_with_reference=only_with_reference,
        judge=judge,  # type: ignore[arg-type]  # every registered class has a call; the contract test holds them to it
        reads=definition.reads,
        options=options,
        config_hash=_hash({"use": use, "options": judge.model_dump(mode="json"), "threshold": threshold}),
    )


def definition_of(use: str) -> Definition:
    """The evaluator of that name. Raises UnknownEvaluator, with the nearest name."""
    definitions = catalogue()
    if use in definitions:
        return definitions[use]
    raise UnknownEvaluator(
        f"no evaluator is called {use!r}{nearest(use, definitions)}; `tracegrade evaluators` lists them"
    )


def _faults(definition: Definition, error: ValidationError) -> Iterator[tuple[tuple[str | int, ...], str]]:
    for fault in error.errors():
        *above, last = fault["loc"] or ("",)
        key = ".".join(map(str, (*above, last)))
        if fault["type"] == "extra_forbidden":
            offer = hint(str(last), fields_at(definition.factory, above))
            yield fault["loc"], f"{definition.name} has no option {key!r}{offer}"
        else:
            yield fault["loc"], f"option {key!r} of {definition.name}: {fault['msg']}"


def _hash(value: object) -> str:
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
