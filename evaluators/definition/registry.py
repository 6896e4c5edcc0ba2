"""Definitions of evaluators by name, their options, and what identifies a configured evaluator.

An evaluator is any callable `(AgentTrace) -> Score | bool | float | str | dict | None`. Those with options are
frozen pydantic models with that call; `@evaluator` gives them name, version, scope and default threshold.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ClassVar, Literal, TypeAlias

import orjson
from pydantic import BaseModel, ConfigDict

from ..model import Score
from ..text.validation_errors import shown
from .function_path import Resolve
from .recorded import why_unrecorded

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
    "checked_threshold",
    "content_hash",
    "evaluator",
    "registered",
    "registered_definitions",
]

Scope: TypeAlias = Literal["trace", "tool_call", "session", "tool"]
EvaluatorKind: TypeAlias = Literal["code", "llm", "sql", "human", "external"]


class UnknownEvaluator(ValueError):
    """There is no evaluator of that name, or it cannot be loaded."""


class WrongOptions(ValueError):
    """An option is unknown or has the wrong type; the message names the key and the nearest known one.

    `faults` are pairs: the keys that lead to the fault in the options, and a text.
    """

    def __init__(self, faults: Sequence[tuple[tuple[str | int, ...], str]]) -> None:
        super().__init__("; ".join(text for _, text in faults))
        self.faults = tuple(faults)


class WrongThreshold(WrongOptions):
    """The threshold is not a number from 0 to 1, or the options already decide which run passes."""

    def __init__(self, text: str) -> None:
        super().__init__([((), text)])


class Options(BaseModel):
    """Base of evaluators that take options: the fields are the options, the call is the evaluation."""

    can_ask: ClassVar[bool] = False
    """Whether the evaluator can ask a judge."""

    example: ClassVar[Mapping[str, Any]] = {}
    """Options for an example of the evaluator in a configuration; needed if some are required."""

    must_be_recorded: ClassVar[tuple[str, ...] | None] = None
    """The fields that have to be recorded, or the evaluator skips the target. None: those of `reads`, without the tool
    calls if it reads the answer, too, by which a run without recorded calls can be evaluated."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    @property
    def own_threshold(self) -> float | None:
        """The least value that passes, in [0, 1], if an option determines it; else None."""
        return None

    @property
    def decided_by(self) -> str | None:
        """The option that decides which run passes, as shown to users (`` `pass_mark` ``); None if the threshold does.

        If it decides without a least value (`own_threshold` is None), the score has no threshold.
        """
        return None if self.own_threshold is None else "its options"

    @property
    def must_ask(self) -> bool:
        """Whether the evaluator, with these options, always asks a judge."""
        return False

    @classmethod
    def needed_fields(cls, reads: tuple[str, ...]) -> tuple[str, ...]:
        """Return the fields without whose record a target is skipped."""
        if cls.must_be_recorded is not None:
            return cls.must_be_recorded
        return tuple(field for field in reads if field != "tool_calls" or "final_response" not in reads)

    def used_fields(self, reads: tuple[str, ...]) -> tuple[str, ...]:
        """Return those of `reads`, the fields that the definition names, which are used with these options."""
        return reads


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits on what an evaluator spends on its judge in a day (UTC); None = no limit of its own."""

    usd_per_day: float | None = None
    tokens_per_day: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """An evaluator that a configuration can name. Raise `version` when its scores change."""

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
    """A definition with options, under a name of its own. `config_hash` is part of the identity of its scores.

    `threshold` is the least value that passes; None if the evaluator decides without one. If a user configured it
    (`has_user_threshold`), it decides even if the score says itself whether the target passed.
    `config_hash` is empty if a function that the evaluator needs is not imported; it cannot evaluate then.
    `spec` is plain data from which another process builds the same evaluator, with the same `resolve`: None if it may
    name neither code nor programs nor files. `schedule` is text: five cron fields or
    an interval. `timeout_s` is for one target. `include_sub_agents` says whether tool calls of sub-agents count as
    calls of the run; None: only if calls are not compared with what was expected of the agent or offered to it.
    `include_foreign_calls` says whether calls that other services wrote into the run count.
    `sql` is the query of an evaluator of kind sql, which the store runs instead of `function`. `asks` names the judge
    that an evaluator of kind llm asks, within its `budget`; its `function` is a `dialogue.Asking`. `after` names the
    evaluators that evaluate a run first, whose scores `when` may use. `else_sample` is the share of the targets which
    `when` does not select that are evaluated all the same.
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
    resolve: Resolve | None = None
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
        """Whether every function that the evaluator needs is imported."""
        return bool(self.config_hash)

    def passes(self, score: Score) -> bool | None:
        """Return whether the score passes; None if nothing decides it.

        A threshold that a user configured comes first, then `passed` of the score, then the default threshold.
        """
        if score.value is None or self.threshold is None:
            return score.passed
        if score.passed is not None and not self.has_user_threshold:
            return score.passed
        return score.value >= self.threshold


def checked_threshold(name: str, threshold: object) -> float:
    """Return `threshold`. Raises WrongThreshold if it is not a number in [0, 1]."""
    is_number = isinstance(threshold, (int, float)) and not isinstance(threshold, bool)
    if not is_number or not 0 <= threshold <= 1:  # type: ignore[operator]
        raise WrongThreshold(f"the threshold of {name} is {shown(threshold)}; write a number from 0 to 1")
    return threshold  # type: ignore[return-value]


_DEFINITIONS: dict[str, Definition] = {}


def evaluator(  # noqa: PLR0913 - each is a field of the catalogue
    name: str,
    *,
    version: int,
    source: str,
    reads: tuple[str, ...] = (),
    skipped_when: str = "",
    threshold: float | None = 1.0,
    scope: Scope = "trace",
) -> Callable[[type[Options]], type[Options]]:
    """Register a class of evaluators as `name`.

    `source` says where its semantics come from; `reads` which fields of a target it uses, such as `tool_calls` or
    `reference.tasks`; `skipped_when` which targets it skips. `threshold` is the least value that passes; None if each
    score says itself whether the target passed, until a user configures one.
    """

    def register(factory: type[Options]) -> type[Options]:
        _refuse(name, factory)
        _skip_unrecorded(factory, reads)
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


def _skip_unrecorded(factory: type[Options], reads: tuple[str, ...]) -> None:
    """Let the evaluator skip targets of which something that it needs was not recorded, however it is called."""
    needed = factory.needed_fields(reads)
    if "__call__" in dir(factory):
        factory.__call__ = _checked_call(factory.__call__, needed)  # type: ignore[method-assign]
    if "ask" in dir(factory):
        factory.ask = _checked_dialogue(factory.ask, needed)  # type: ignore[attr-defined]


def _checked_call(call: Callable[[Any, Any], object], needed: tuple[str, ...]) -> Callable[[Any, Any], object]:
    @wraps(call)
    def call_if_recorded(self: Any, target: Any) -> object:
        reason = why_unrecorded(target, needed)
        return call(self, target) if reason is None else Score.skip(reason)

    return call_if_recorded


def _checked_dialogue(ask: Callable[[Any, Any], Any], needed: tuple[str, ...]) -> Callable[[Any, Any], Any]:
    @wraps(ask)
    def ask_if_recorded(self: Any, target: Any) -> Generator[Any, Any, Any]:
        reason = why_unrecorded(target, needed)
        return (yield from ask(self, target)) if reason is None else Score.skip(reason)

    return ask_if_recorded


def _refuse(name: str, factory: object) -> None:
    """Raise TypeError or ValueError if `factory` cannot be registered as `name`. A class may be registered again."""
    if not (inspect.isclass(factory) and issubclass(factory, Options)):
        factory_name = getattr(factory, "__name__", repr(factory))
        raise TypeError(
            f"@evaluator({name!r}) decorates {factory_name}, which is not a subclass of Options; "
            "a function needs no decorator: name it in the configuration as `python: module:function`"
        )
    known = _DEFINITIONS.get(name)
    if known is not None and _path(known.factory) != _path(factory):
        raise ValueError(f"two evaluators are called {name!r}: {_path(known.factory)} and {_path(factory)}; rename one")


def _path(factory: type[Options]) -> str:
    return f"{factory.__module__}:{factory.__qualname__}"


def registered_definitions() -> Mapping[str, Definition]:
    """Return all definitions that imported modules have registered with `@evaluator`, by name."""
    return _DEFINITIONS


def registered(factory: type[Options]) -> Definition | None:
    """Return the definition of a class that `@evaluator` registered; None if it did not."""
    return next((definition for definition in _DEFINITIONS.values() if definition.factory is factory), None)


def content_hash(value: object) -> str:
    """Return a hash (16 hex digits) that is equal for values that are equal as JSON, in any order of keys."""
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)).hexdigest()[:16]
