"""The catalogue of evaluators by name, and how options turn one into an evaluator that is ready to run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any, Final

from pydantic import ValidationError

from ..custom import user_code
from ..definition.evaluator_object import EvaluatorObject
from ..definition.function_path import CONFIGURATION_ONLY, Resolve
from ..definition.registry import (
    Configured,
    Definition,
    Options,
    UnknownEvaluator,
    WrongOptions,
    WrongThreshold,
    checked_threshold,
    content_hash,
    registered,
    registered_definitions,
)
from ..text.option_hints import option_hint, other_option
from ..text.suggestions import nearest
from ..text.validation_errors import faults, reason, shown, steps
from .source_names import source_hint

__all__ = ["as_configured", "built_in_definition", "catalogue", "configure", "configured", "definition_of"]

_BUILT_IN: Final = ("..checks", "..llm", "..compat")
"""The packages that define evaluators, in the order in which a name is searched."""

_OWN: Final = __package__.rpartition(".")[0]

_DEFAULT_JUDGE: Final = "default"
"""The judge that is asked if the specification names none."""


def catalogue() -> Mapping[str, Definition]:
    """Return every evaluator that can be named, by name, except those of installed packages that cannot be loaded."""
    offered = user_code.offered()
    return dict(sorted({**offered, **_built_in()}.items()))


def configure(
    use: str,
    *,
    name: str | None = None,
    options: Mapping[str, Any] | None = None,
    threshold: float | None = None,
    only_with_reference: bool = False,
) -> Configured:
    """Return an evaluator that is ready to run. Raises UnknownEvaluator or WrongOptions.

    With `only_with_reference` a run without a reference gets no score at all, not even a skipped one.
    """
    if name is not None and not isinstance(name, str):
        raise WrongOptions([((), f"the name of {use} is {shown(name)}; write text")])
    if not isinstance(only_with_reference, bool):
        raise WrongOptions([((), f"`only_with_reference` is {shown(only_with_reference)}; write True or False")])
    settings = {"name": name, "options": options, "threshold": threshold, "only_with_reference": only_with_reference}
    spec = {"use": use, **{key: value for key, value in settings.items() if value is not None}}
    return configured(definition_of(use), spec)


def as_configured(evaluator: Any) -> Any:
    """Return the evaluator of a name, or of an object of another system's interface; any other value as it is.

    Raises UnknownEvaluator for a name.
    """
    if isinstance(evaluator, str):
        return configure(evaluator)
    if not isinstance(evaluator, EvaluatorObject):
        return evaluator
    definition, options = registered(type(evaluator.options)), evaluator.options
    if definition is None:
        raise TypeError(f"{evaluator.name} has options of an evaluator that is not registered")
    given = {name: getattr(options, name) for name in options.model_fields_set}
    threshold = None if options.own_threshold is not None else evaluator.threshold
    made = configure(definition.name, name=evaluator.name, options=given, threshold=threshold)
    return replace(made, function=evaluator.function, kind="code", asks=None)


def configured(definition: Definition, spec: Mapping[str, Any], *, resolve: Resolve | None = None) -> Configured:
    """Return the evaluator that `definition` and the settings of `spec` make. Raises WrongOptions.

    Without `resolve`, options hold functions, but no names of functions.
    """
    options = spec.get("options", {})
    if not isinstance(options, Mapping) or not all(isinstance(key, str) for key in options):
        raise WrongOptions([((), f"the options of {definition.name} are {shown(options)}; write a mapping by name")])
    try:
        function = definition.factory.model_validate(dict(options), context={"resolve": resolve})
    except ValidationError as error:
        raise WrongOptions(list(_faults(definition, error, options))) from error
    threshold = _threshold(definition, function, spec.get("threshold"))
    content = {"use": definition.name, "options": function.model_dump(mode="json"), "threshold": threshold}
    made = Configured(
        name=spec.get("name", definition.name),
        type=definition.name,
        version=definition.version,
        scope=definition.scope,
        threshold=threshold,
        only_with_reference=spec.get("only_with_reference", False),
        function=function,  # type: ignore[arg-type]  # every registered class has a call, or asks; a contract test holds it
        reads=definition.reads,
        options=options,
        spec=spec,
        config_hash=content_hash(content),
        has_user_threshold=spec.get("threshold") is not None,
    )
    if "judge" not in spec and not function.must_ask:
        return made
    asks = spec.get("judge", _DEFAULT_JUDGE)
    return replace(made, kind="llm", asks=asks, config_hash=content_hash({**content, "prompts": _prompts(definition)}))


def _threshold(definition: Definition, function: Options, threshold: float | None) -> float | None:
    """Return the least value that passes; None if the options decide without one. Raises WrongThreshold."""
    if function.decided_by is not None:
        if threshold is not None:
            decides = f"{definition.name} decides by {function.decided_by} which run passes"
            raise WrongThreshold(f"{decides}; change that, and leave `threshold` out")
        return function.own_threshold
    if function.own_threshold is not None:
        return function.own_threshold
    return definition.threshold if threshold is None else checked_threshold(definition.name, threshold)


def _prompts(definition: Definition) -> str:
    """Return a hash that changes with the prompts of the evaluator."""
    from ..llm.prompt import hash_prompts  # noqa: PLC0415 - most evaluators ask no judge

    return hash_prompts(getattr(definition.factory, "prompts", ()))


def definition_of(use: str) -> Definition:
    """Return the definition of that name. Raises UnknownEvaluator, with the nearest name."""
    if not isinstance(use, str):
        own = "; a function is named in build({'python': 'module:function'})" if callable(use) else ""
        raise UnknownEvaluator(f"the name of an evaluator is text, not {shown(use)}{own}")
    for known in _imported():
        if use in known:
            return known[use]
    offered = user_code.entry_point(use)
    if offered is not None:
        return offered
    if (source := source_hint(use)) is not None:
        raise UnknownEvaluator(f"no evaluator is named {use!r}: {source}")
    names = [*registered_definitions(), *user_code.entry_points_by_name()]
    raise UnknownEvaluator(f"no evaluator is named {use!r}{nearest(use, names)}; `tracegrade evaluators` lists them")


def built_in_definition(use: str) -> Definition:
    """Return the definition of that name if it is one of Tracegrade's own, and load none of others. Raises
    UnknownEvaluator."""
    for known in _imported():
        if use in known and known[use].factory.__module__.startswith(f"{_OWN}."):
            return known[use]
    if use in registered_definitions() or use in user_code.entry_points_by_name():
        raise UnknownEvaluator(f"{use!r} is not built in, and {CONFIGURATION_ONLY}")
    return definition_of(use)  # raises, with what may have been meant


def _built_in() -> Mapping[str, Definition]:
    for _ in _imported():
        pass
    return registered_definitions()


def _imported() -> Iterator[Mapping[str, Definition]]:
    """Yield all definitions so far after importing each package in turn, so that a caller who finds a name early
    imports no further package."""
    for package in _BUILT_IN:
        import_module(package, __package__)
        yield registered_definitions()


def _faults(
    definition: Definition, error: ValidationError, options: Mapping[str, Any]
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    for fault in faults(error):
        keys = steps(fault)
        key = ".".join(map(str, keys))
        if fault["type"] == "extra_forbidden":
            meant = option_hint(definition.factory, options, keys)
            yield keys, f"{definition.name} has no option {key!r}{meant}"
        elif fault["type"] == "missing" and key in definition.factory.model_fields:
            wanted = definition.factory.model_fields[key].description
            yield keys, f"{definition.name} needs the option {key!r}" + (f": {wanted}" if wanted else "")
        elif keys:
            meant = other_option(definition.factory, options, keys)
            yield keys, f"option {key!r} of {definition.name}: {reason(fault)}{meant}"
        else:
            yield keys, f"{definition.name}: {reason(fault)}"
