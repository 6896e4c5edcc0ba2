"""Imports every module of a folder, so that an evaluator is registered by adding a file."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules

__all__ = ["import_modules"]


def import_modules(package: str, folders: Iterable[str]) -> None:
    """Import the modules of `package` in `folders`, in the order of their names; not its sub-packages."""
    for name in sorted(module.name for module in iter_modules(folders) if not module.ispkg):
        import_module(f"{package}.{name}")
