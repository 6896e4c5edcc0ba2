"""What tools that read logs return: an error in a log is what was asked for, unless the log could not be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .fields import read_fields
from .shipped import read_patterns
from .text import TextFailure

__all__ = ["is_log_entry", "is_of_log"]

_LONGEST: Final = 400
_OWN_RULES: Final = frozenset({"http_text", "grpc_status", "unknown_tool"})
_LEVELS: Final = frozenset({"level", "lvl", "loglevel", "levelname", "severity", "logger", "loggername", "caller"})


def is_of_log(failure: TextFailure, text: str) -> bool:
    """Return whether an error message is content of the log, and not that of the tool."""
    if failure.rule in _OWN_RULES:
        return False
    return read_patterns(__package__, "log_not_read.txt").search(text.strip()[:_LONGEST]) is None


def is_log_entry(value: object) -> bool:
    """Return whether the data is one entry of a log: it has a level or a logger."""
    return isinstance(value, Mapping) and not _LEVELS.isdisjoint(read_fields(dict(value)))
