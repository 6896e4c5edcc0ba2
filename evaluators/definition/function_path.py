"""Imports functions that are named as `module:function`, and checks them before the first call."""

from __future__ import annotations

import importlib
import inspect
import sys
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Annotated, Any, Final

from pydantic import BaseModel, ImportString, ValidationInfo, field_validator
from pydantic.fields import FieldInfo

from ..text.suggestions import hint
from .imports import ensure_allowed
from .module_file import module_of_file

__all__ = ["NamesFunctions", "NoSuchFunction", "checked_function", "imported"]

_UNIONS: Final = frozenset({typing.Union, UnionType})


class NoSuchFunction(ValueError):
    """There is no such module or function, or it does not take the arguments it would get. The message says why."""


class NamesFunctions(BaseModel):
    """Base of models with fields of type ImportString (pydantic), which name a function.

    A module is searched on the path of Python, then in the working directory.
    """

    @field_validator("*", mode="before")
    @classmethod
    def _find_function(cls, value: object, info: ValidationInfo) -> object:
        wanted = _function_type(cls.model_fields[str(info.field_name)], value)
        return value if wanted is None else checked_function(value, wanted)


def checked_function(value: object, type_: Any) -> object:
    """Return the function at the path `value`, or `value` if it is a function, that can be called as `type_` says.

    Any other value is returned unchanged; the type of the field refuses it. Raises NoSuchFunction.
    """
    function = imported(value) if isinstance(value, str) else value
    if typing.get_origin(type_) is Callable and (isinstance(value, str) or callable(value)):
        _check(function, typing.get_args(type_)[0], name=value if isinstance(value, str) else repr(value))
    return function


def imported(path: str) -> Any:
    """Return the value at `module:name`. Raises NoSuchFunction, or NotImported while imports are forbidden."""
    name, colon, steps = path.partition(":")
    if not colon:
        module, _, attribute = path.rpartition(".")
        raise NoSuchFunction(f"{path!r} names no module; write {module or 'module'}:{attribute}")
    ensure_allowed(path)
    value: Any = _module(name)
    for step in steps.split("."):
        if not hasattr(value, step):
            raise NoSuchFunction(f"{name} has no {steps!r}{hint(step, sorted(_callables(value)))}")
        value = getattr(value, step)
    return value


def _function_type(field: FieldInfo, value: object) -> Any:
    """Return the type that the field declares for the function that `value` names; None if it names no function."""
    annotation = field.annotation
    if annotation is ImportString or _imports(field.metadata):
        return Any if annotation is ImportString else annotation
    if typing.get_origin(annotation) not in _UNIONS:
        return None
    kinds = [kind for kind in typing.get_args(annotation) if kind is not NoneType]
    functions = [
        typing.get_args(kind)[0]
        for kind in kinds
        if typing.get_origin(kind) is Annotated and _imports(typing.get_args(kind)[1:])
    ]
    is_function = len(kinds) == 1 or not isinstance(value, str) or ":" in value
    return functions[0] if functions and is_function else None


def _imports(metadata: typing.Iterable[object]) -> bool:
    importing: Any = ImportString
    return any(each is importing or isinstance(each, importing) for each in metadata)


def _check(function: object, arguments: Any, *, name: str) -> None:
    """Raise NoSuchFunction unless `function` can be called with as many `arguments` and is not async."""
    if not callable(function):
        raise NoSuchFunction(f"{name} is not a function, but of type {type(function).__name__}")
    if not hasattr(function, "__name__"):
        raise NoSuchFunction(f"{name} is a {type(function).__name__} without a name; wrap it in a function, `def`")
    if inspect.iscoroutinefunction(function):
        raise NoSuchFunction(f"{name} is async, which is not supported here; write a function without `async`")
    if not isinstance(arguments, list):
        return
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError as error:
        counted = f"{len(arguments)} argument{'s' * (len(arguments) != 1)}"
        raise NoSuchFunction(f"{name} is called with {counted}, which it does not take: {error}") from error
    except ValueError:
        return  # some functions written in C have no signature


def _module(name: str) -> ModuleType:
    if "" not in sys.path:
        sys.path.append("")  # the working directory, last, so that it cannot hide installed modules
    try:
        return module_of_file(Path(name)) if name.endswith(".py") else importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise NoSuchFunction(f"{name} cannot be imported: {type(error).__name__}: {error}") from error
        where = "neither installed nor in the working directory"
        raise NoSuchFunction(f"there is no module {error.name!r}, {where}") from error
    except (Exception, SystemExit) as error:
        raise NoSuchFunction(f"{name} cannot be imported: {type(error).__name__}: {error}") from error


def _callables(holder: Any) -> Iterator[str]:
    """Yield the names of public callables that `holder` defines itself."""
    home = getattr(holder, "__name__" if isinstance(holder, ModuleType) else "__module__", None)
    for name, value in getattr(holder, "__dict__", {}).items():
        if callable(value) and not name.startswith("_") and getattr(value, "__module__", home) == home:
            yield name
