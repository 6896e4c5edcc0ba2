"""Evaluators that users write: functions and classes by their path, and entry points of installed packages.

They need not import anything of Tracegrade. Each becomes a definition like those of the catalogue: its parameters after
the first one are its options. It gets a copy of the target, so that it cannot change the target for other evaluators.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any, ClassVar, Final, cast

from pydantic import ConfigDict, Field, create_model, model_serializer

from ..definition.function_path import NoSuchFunction, Resolve
from ..definition.imports import restore_pandas
from ..definition.registry import Configured, Definition, Options, UnknownEvaluator, registered
from ..execution.isolation import Awaiting, Isolated, has_call, isolated
from ..text.suggestions import nearest
from .per_turn import OverTurns

__all__ = ["GROUP", "Own", "at", "entry_point", "entry_points_by_name", "is_foreign", "offered"]

GROUP: Final = "tracegrade.evaluators"
"""The group of entry points under which packages offer evaluators."""

_GIVEN: Final = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.VAR_POSITIONAL,
)
_NAMED: Final = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def at(path: str, resolve: Resolve) -> Definition:
    """Return the evaluator that `resolve` finds at `module:function`, or that of the entry point `path`. Raises
    UnknownEvaluator."""
    if ":" in path:
        return _definition(path, _found(path, resolve), source=path)
    if (offered := entry_point(path)) is not None:
        return offered
    known = nearest(path, entry_points_by_name())
    unknown = f"{path!r} is not an entry point of the group {GROUP}{known}"
    raise UnknownEvaluator(f"{unknown}; name a function as `module:function`")


def _found(path: str, resolve: Resolve) -> Any:
    try:
        return resolve(path)
    except NoSuchFunction as error:
        raise UnknownEvaluator(str(error)) from error


def offered() -> Mapping[str, Definition]:
    """Return the evaluators of installed packages by name, except those that cannot be loaded."""
    definitions: dict[str, Definition] = {}
    for name, point in entry_points_by_name().items():
        try:
            definitions[name] = _loaded(point)
        except UnknownEvaluator:
            continue  # `entry_point` raises it when the evaluator is used
    return definitions


def entry_point(name: str) -> Definition | None:
    """Return the evaluator `name` of an installed package; None if there is none. Raises UnknownEvaluator if broken."""
    point = entry_points_by_name().get(name)
    return None if point is None else _loaded(point)


def entry_points_by_name() -> Mapping[str, EntryPoint]:
    """Return the entry points of installed packages; of two with the same name, the one found first."""
    return {point.name: point for point in reversed(tuple(entry_points(group=GROUP)))}


def is_foreign(evaluator: Configured) -> bool:
    """Return whether the evaluator may run user code. Ours changes nothing in the process, and is quick."""
    function = evaluator.function.function if isinstance(evaluator.function, OverTurns) else evaluator.function
    return not isinstance(function, Options) or isinstance(function, (Isolated, Own))


class Own(Awaiting):
    """Calls a function of a user, or an instance of a class, made at the first call. Given options become keywords."""

    made_of: ClassVar[Callable[..., Any]]

    def __call__(self, given: Any) -> object:
        return self.event_loop.result(self.function(deepcopy(given)))

    @cached_property
    def function(self) -> Callable[[Any], object]:
        made_of, options = type(self).made_of, self.options()
        if inspect.isclass(made_of):
            return cast("Callable[[Any], object]", made_of(**options))
        return lambda given: made_of(given, **options)

    @model_serializer
    def options(self) -> dict[str, Any]:
        """Return the options that were given, by the names of the parameters."""
        parameter_of = {name: field.alias or name for name, field in type(self).model_fields.items()}
        given = {parameter_of[name]: getattr(self, name) for name in self.model_fields_set & parameter_of.keys()}
        return {**given, **(self.model_extra or {})}


class _Open(Own):
    model_config = ConfigDict(extra="allow")


def _loaded(point: EntryPoint) -> Definition:
    of = f"{point.dist.name} {point.dist.version}" if point.dist else point.value
    restore_pandas()
    try:
        return _definition(point.name, point.load(), source=of)
    except (Exception, SystemExit) as error:
        raise UnknownEvaluator(
            f"the evaluator {point.name!r} of {of} cannot be loaded: {_error_text(error)}"
        ) from error


def _definition(name: str, code: Any, *, source: str) -> Definition:
    if inspect.isclass(code) and issubclass(code, Options):
        if not code.can_ask:
            _check(name, code)
        known = registered(code) or _plain(name, code, code, source=source)
        return replace(known, name=name, factory=isolated(code))
    return _plain(name, code, _factory(name, code), source=source)


def _plain(name: str, code: Any, factory: type[Options], *, source: str) -> Definition:
    version = getattr(code, "version", 1)
    return Definition(
        name=name,
        version=version if type(version) is int else 1,
        scope="trace",
        threshold=1.0,
        factory=factory,
        reads=(),
        skipped_when="",
        source=source,
    )


def _factory(name: str, code: Any) -> type[Own]:
    _check(name, code)
    parameters = _parameters(code)
    base: type[Own] = _Open if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters) else Own
    by_name = [parameter for parameter in parameters if parameter.kind in _NAMED]
    try:
        factory = _model(name, base, by_name)
    except Exception:  # noqa: BLE001 - a type that pydantic cannot read does not make the function unusable
        factory = _model(name, base, [parameter.replace(annotation=Any) for parameter in by_name])
    factory.__doc__ = inspect.getdoc(code)
    factory.made_of = code
    return factory


def _check(name: str, code: Any) -> None:
    if not callable(code):
        raise UnknownEvaluator(f"{name} is not a function or class, but of type {type(code).__name__}")
    if inspect.isclass(code):
        if not has_call(code):
            raise UnknownEvaluator(f"instances of the class {name} cannot be called; give it `__call__(self, trace)`")
        return
    first = next(iter(_signature(code).parameters.values()), None)
    if first is None or first.kind not in _GIVEN:
        raise UnknownEvaluator(f"{name} takes no arguments; an evaluator takes the run as its first argument")


def _parameters(code: Any) -> list[inspect.Parameter]:
    """Return the parameters that may be options: all of a class, those after the first of a function."""
    parameters = list(_signature(code).parameters.values())
    if inspect.isclass(code) or parameters[0].kind is inspect.Parameter.VAR_POSITIONAL:
        return parameters
    return parameters[1:]


def _signature(code: Any) -> inspect.Signature:
    try:
        return inspect.signature(code, eval_str=True)
    except Exception:  # noqa: BLE001 - evaluating its annotations runs user code
        try:
            return inspect.signature(code)
        except (ValueError, TypeError):  # some functions written in C have no signature
            return inspect.signature(lambda given: given)


def _model(name: str, base: type[Own], parameters: list[inspect.Parameter]) -> type[Own]:
    """Return a model with a field per parameter, whose name is only an alias: pydantic reserves some names."""
    fields: Any = {
        f"option_{position}": (_type(parameter), _field(parameter)) for position, parameter in enumerate(parameters)
    }
    return create_model(name, __base__=base, **fields)


def _type(parameter: inspect.Parameter) -> Any:
    annotation = parameter.annotation
    return Any if annotation is parameter.empty or isinstance(annotation, str) else annotation


def _field(parameter: inspect.Parameter) -> Any:
    if parameter.default is parameter.empty:
        return Field(alias=parameter.name)
    return Field(default_factory=lambda: parameter.default, alias=parameter.name)


def _error_text(error: BaseException) -> str:
    return str(error) if isinstance(error, UnknownEvaluator) else f"{type(error).__name__}: {error}"
