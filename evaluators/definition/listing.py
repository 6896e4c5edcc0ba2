"""Imports every module of a folder, so that a file in it is all that an evaluator needs to be known."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules

__all__ = ["import_modules"]


def import_modules(package: str, folders: Iterable[str]) -> None:
    """Imports the modules of `package` that are in `folders`, in the order of their names; not its sub-packages."""
    for name in sorted(module.name for module in iter_modules(folders) if not module.ispkg):
        import_module(f"{package}.{name}")
