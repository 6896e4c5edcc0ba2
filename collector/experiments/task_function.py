"""Finds the function that a user names as the task of an experiment."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from tracegrade.evaluators.text.suggestions import hint

from ..errors import Fault
from .task_call import Task

__all__ = ["find_task"]


def find_task(word: str) -> Task:
    """Import `module:function`, also from the current folder. Raises Fault."""
    module_name, separator, function = word.partition(":")
    if not (separator and module_name and function):
        raise Fault(f"{word!r} does not name a function; write module:function, such as my_agent:answer")
    with _importing_from(Path.cwd()):
        try:
            module = import_module(module_name)
        except Exception as error:
            raise Fault(f"{module_name} cannot be imported: {type(error).__name__}: {error}") from error
    task = getattr(module, function, None)
    if not callable(task):
        names = [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]
        raise Fault(f"{module_name} has no function {function!r}{hint(function, names)}")
    return task  # type: ignore[no-any-return]  # a task may return anything


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    """Search modules in `folder`, too, as `python -m` does; it stays, since functions import later, too."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    yield
