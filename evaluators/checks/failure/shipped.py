"""Reads words and regular expressions from files of this package, so that phrases and languages are added without
changes of code."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

__all__ = ["read_patterns", "read_words"]


@cache
def read_patterns(package: str, name: str, *, before: str = "", flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Return a pattern that matches `before` followed by any line of the file, or of the files in the folder, `name`.

    Each line is a regular expression; lines that begin with `# ` are comments.
    """
    lines = _read_lines(files(package) / name)
    alternatives = "|".join(sorted(line for line in lines if line and not line.startswith("# ")))
    return re.compile(f"{before}(?:{alternatives})", flags)


def read_words(package: str, name: str) -> Mapping[str, frozenset[str]]:
    """Return the groups of words in the TOML file `name` of `package`, by name of the group."""
    text = (files(package) / name).read_text(encoding="utf-8")
    return {group: frozenset(words.split()) for group, words in tomllib.loads(text).items()}


def _read_lines(file: Traversable) -> Iterable[str]:
    if file.is_dir():
        return [line for below in file.iterdir() for line in _read_lines(below)]
    return file.read_text(encoding="utf-8").splitlines()
