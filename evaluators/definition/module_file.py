"""Imports a Python file by its path."""

from __future__ import annotations

import hashlib
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

__all__ = ["module_of_file"]


def module_of_file(path: Path) -> ModuleType:
    """Return the module in a file, imported once per process. It may import modules in its folder.

    Raises FileNotFoundError, and what the file raises; the next call then tries again.
    """
    file = path.expanduser().resolve()
    name = f"tracegrade_file_{hashlib.sha256(str(file).encode()).hexdigest()[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    if not file.is_file():
        raise FileNotFoundError(f"there is no such file; the working directory is {Path.cwd()}")
    module_spec = spec_from_file_location(name, file)
    if module_spec is None or module_spec.loader is None:
        raise ImportError("it is not Python")
    if (folder := str(file.parent)) not in sys.path:
        sys.path.append(folder)
    module = sys.modules[name] = module_from_spec(module_spec)
    try:
        module_spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
