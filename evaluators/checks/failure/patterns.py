"""Regular expressions kept in files, one a line, so that a phrase or a language is added without touching code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

__all__ = ["read_patterns"]


@cache
def read_patterns(package: str, name: str, *, before: str = "", flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """A pattern that matches, behind `before`, where a line of `name` in `package` does: a file, or a folder of files.

    Lines that begin with `# ` are comments.
    """
    lines = _lines(files(package) / name)
    alternatives = "|".join(sorted(line for line in lines if line and not line.startswith("# ")))
    return re.compile(f"{before}(?:{alternatives})", flags)


def _lines(file: Traversable) -> Iterable[str]:
    if file.is_dir():
        return [line for below in file.iterdir() for line in _lines(below)]
    return file.read_text(encoding="utf-8").splitlines()
