"""Names for evaluators: what exists, what it takes, and how a configured one is identified.

An evaluator is any callable `(AgentTrace) -> Score | bool | float | str | dict | None`. Those with options are
frozen pydantic models with that call; `@evaluator` gives them name, version, scope and default threshold.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

import orjson
from pydantic import ConfigDict

from ..model import Score
from .function_path import NamesFunctions

__all__ = [
    "Budget",
    "Configured",
    "Definition",
    "EvaluatorKind",
    "Options",
    "Scope",
    "UnknownEvaluator",
    "WrongOptions",
    "WrongThreshold",
    "content_hash",
    "evaluator",
    "registered",
    "registered_definitions",
]

Scope: TypeAlias = Literal["trace", "tool_call", "session", "tool"]
EvaluatorKind: TypeAlias = Literal["code", "llm", "sql", "human", "external"]


class UnknownEvaluator(ValueError):
    """Nobody knows an evaluator of that name, or it cannot be loaded."""


class WrongOptions(ValueError):
    """An option is unknown or has the wrong type; the message names the key and the nearest right word.

    `faults` has a text a fault, each with the keys under which it stands in the options.
    """

    def __init__(self, faults: Sequence[tuple[tuple[str | int, ...], str]]) -> None:
        super().__init__("; ".join(text for _, text in faults))
        self.faults = tuple(faults)


class WrongThreshold(WrongOptions):
    """The threshold is no number from 0 to 1, or does not count beside options that say which run passes."""

    def __init__(self, text: str) -> None:
        super().__init__([((), text)])


class Options(NamesFunctions):
    """Base of evaluators that take options: the fields are the options, the call is the evaluation."""

    can_ask: ClassVar[bool] = False
    """Whether it knows how to ask a judge."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    @property
    def own_threshold(self) -> float | None:
        """The least value that passes, in [0, 1], where the options say it in their own terms."""
        return None

    @property
    def decided_by(self) -> str | None:
        """What of the options says which run passes, as a user knows it (`` `pass_mark` ``); None: the threshold does.

        What decides without a least value (`own_threshold` is None) has a score without a threshold.
        """
        return None if self.own_threshold is None else "its options"

    @property
    def must_ask(self) -> bool:
        """Whether with these options there is no score without a judge."""
        return False


@dataclass(frozen=True, slots=True)
class Budget:
    """What an evaluator may spend on its judge within a day (UTC); None = no limit of its own."""

    usd_per_day: float | None = None
    tokens_per_day: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """An evaluator as it can be named in a configuration. Raise `version` when its scores change."""

    name: str
    version: int
    scope: Scope
    threshold: float | None
    factory: type[Options]
    reads: tuple[str, ...]
    skipped_when: str
    source: str

    @property
    def summary(self) -> str:
        return (inspect.getdoc(self.factory) or "").partition("\n")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """A definition with options, under a name of its own. `config_hash` is part of every score's identity.

    `threshold` is the least value that passes; None where the evaluator decides without one. One that a user configured
    (`has_user_threshold`) decides even where the evaluator says itself whether the target passed.
    `config_hash` is empty where a function that the evaluator needs is not imported: it cannot evaluate then.
    `spec` is plain data from which another process builds the same. `schedule` is text: cron's five fields or an
    interval. `timeout_s` is for one target. `include_sub_agents` says whether the tool calls of sub-agents count as the
    run's; None: where they are not compared with what was expected of the agent or offered to it.
    With `include_foreign_calls` those that other services wrote into the run count, too.
    `sql` is the query of an evaluator of that kind, which the store answers instead of `function`. `asks` names the
    model that one of kind llm asks, within its `budget`; its `function` is a `dialogue.Asking`. `after` names the
    evaluators that look at a run first, whose scores `when` may use; `else_sample` is the share of what `when` leaves
    out.
    """

    name: str
    type: str
    version: int
    scope: Scope
    threshold: float | None
    only_with_reference: bool
    function: Callable[[Any], object]
    config_hash: str
    kind: EvaluatorKind = "code"
    reads: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    spec: Mapping[str, Any] = field(default_factory=dict)
    when: str | None = None
    sample: float = 1.0
    schedule: str | None = None
    backfill_s: float | None = None
    timeout_s: float | None = None
    include_sub_agents: bool | None = None
    include_foreign_calls: bool = False
    sql: str | None = None
    asks: str | None = None
    budget: Budget = Budget()
    after: tuple[str, ...] = ()
    else_sample: float = 0.0
    has_user_threshold: bool = False

    @property
    def is_imported(self) -> bool:
        """Whether all is there that it needs to evaluate."""
        return bool(self.config_hash)

    def passes(self, score: Score) -> bool | None:
        """Return whether the value reaches the threshold that a user configured, else what the score itself says,
        else whether the value reaches the usual threshold; None where there is none of these."""
        if score.value is None or self.threshold is None:
            return score.passed
        if score.passed is not None and not self.has_user_threshold:
            return score.passed
        return score.value >= self.threshold


_DEFINITIONS: dict[str, Definition] = {}


def evaluator(  # noqa: PLR0913 - each is a line of what the catalogue tells
    name: str,
    *,
    version: int,
    source: str,
    reads: tuple[str, ...] = (),
    skipped_when: str = "",
    threshold: float | None = 1.0,
    scope: Scope = "trace",
) -> Callable[[type[Options]], type[Options]]:
    """Name a class of evaluators.

    `source` says where its semantics come from; `reads` the fields of what it is given that it looks at, such as
    `tool_calls` or `reference.tasks`; `skipped_when` in which cases it has nothing to say. `threshold` is the least
    value that passes; None where each score says itself whether the target passed, until a user configures one.
    """

    def register(factory: type[Options]) -> type[Options]:
        _refuse(name, factory)
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


def _refuse(name: str, factory: object) -> None:
    """Raises what says why `factory` cannot be known as `name`. The same class, loaded again, may take its own name."""
    if not (inspect.isclass(factory) and issubclass(factory, Options)):
        factory_name = getattr(factory, "__name__", repr(factory))
        raise TypeError(
            f"@evaluator({name!r}) stands on {factory_name}, which is no class of Options; "
            "a function needs no decorator: name it in the configuration as `python: module:function`"
        )
    known = _DEFINITIONS.get(name)
    if known is not None and _path(known.factory) != _path(factory):
        raise ValueError(f"two evaluators are called {name!r}: {_path(known.factory)} and {_path(factory)}; rename one")


def _path(factory: type[Options]) -> str:
    return f"{factory.__module__}:{factory.__qualname__}"


def registered_definitions() -> Mapping[str, Definition]:
    """Return what `@evaluator` has named so far: by the modules that are imported."""
    return _DEFINITIONS


def registered(factory: type[Options]) -> Definition | None:
    """Return the definition that `@evaluator` gave this class."""
    return next((definition for definition in _DEFINITIONS.values() if definition.factory is factory), None)


def content_hash(value: object) -> str:
    """Return the same for what is the same as JSON, whatever the order of its keys."""
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)).hexdigest()[:16]
