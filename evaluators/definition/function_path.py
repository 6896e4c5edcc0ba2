"""Functions of the operator's configuration: their names, which only its loader resolves, and checks before the first
call."""

from __future__ import annotations

import importlib
import inspect
import sys
import typing
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, TypeVar

from pydantic import ValidationInfo
from pydantic_core import core_schema

from ..text.suggestions import hint
from .imports import ensure_allowed, restore_pandas
from .module_file import module_of_file

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler

__all__ = ["CONFIGURATION_ONLY", "ConfiguredFunction", "NoSuchFunction", "Resolve", "import_function"]

T = TypeVar("T")

Resolve: TypeAlias = Callable[[str], Any]
"""Returns the function at `module:function`. Raises NoSuchFunction or NotImported.

Who has one may name code: it is given to what the operator wrote, and to nothing that came over the network.
"""

CONFIGURATION_ONLY: Final = "can be named only in the configuration file of the server, by its operator"


class NoSuchFunction(ValueError):
    """There is no such module or function, or it does not take the arguments it would get. The message says why."""


if TYPE_CHECKING:
    ConfiguredFunction = Annotated[T, ...]
else:

    class ConfiguredFunction:
        """The type of an option that holds a function: `ConfiguredFunction[Callable[[str], bool]]`.

        A function itself is accepted, and checked. Its name, `module:function`, is resolved by the Resolve under
        `resolve` in the context of the validation, and refused if there is none.
        """

        def __class_getitem__(cls, type_: Any) -> Any:
            return Annotated[type_, cls()]

        def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
            return core_schema.with_info_before_validator_function(
                partial(_find_function, arguments=typing.get_args(source)[0]),
                handler(source),
                serialization=core_schema.plain_serializer_function_ser_schema(_write_path, when_used="json"),
            )


def import_function(path: str) -> Any:
    """Return the value at `module:name`: the Resolve of the operator's own files.

    A module is searched on the path of Python, then in the working directory. Raises NoSuchFunction, or NotImported
    while imports are forbidden.
    """
    name, colon, steps = path.partition(":")
    if not colon:
        module, _, attribute = path.rpartition(".")
        raise NoSuchFunction(f"{path!r} names no module; write {module or 'module'}:{attribute}")
    ensure_allowed(path)
    restore_pandas()
    value: Any = _module(name)
    for step in steps.split("."):
        if not hasattr(value, step):
            raise NoSuchFunction(f"{name} has no {steps!r}{hint(step, sorted(_callables(value)))}")
        value = getattr(value, step)
    return value


def _find_function(value: object, info: ValidationInfo, *, arguments: Any) -> object:
    """Return the function that `value` is or names. The type of the field refuses any other value."""
    if not isinstance(value, str):
        if callable(value):
            _check(value, arguments, name=repr(value))
        return value
    resolve: Resolve | None = (info.context or {}).get("resolve")
    if resolve is None:
        raise NoSuchFunction(f"a function {CONFIGURATION_ONLY}")
    function = resolve(value)
    _check(function, arguments, name=value)
    return function


def _write_path(function: Any) -> str:
    return f"{function.__module__}.{function.__name__}"


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
