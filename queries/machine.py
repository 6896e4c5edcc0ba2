"""Hides what queries and errors would reveal about the machine: paths of the store and of home directories.

Readers of the store may be remote: relations and functions by which DuckDB shows paths are refused, and errors that
are sent to others name files without their folders.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["find_teller", "without_folders"]

_TELLERS: Final = re.compile(
    r"duckdb_(databases|settings|extensions|temporary_files|external_file_cache)|pragma_database_list|pg_settings|current_setting"
    r"|query_table"  # it can read any of them by a name that is computed at run time
)
_NAMED: Final = re.compile(r'"(?:function|table)_name":\s*"((?:[^"\\]|\\.)*)"')
_FOLDERS: Final = re.compile(r"(?<![\w.:/])/(?!(?:v1|api)/)(?:[^/\s\"']+/)+")
_PROCESS: Final = re.compile(r" ?\(PID \d+\)")
_ABOUT_THE_QUERY: Final = ("Binder", "Catalog", "Conversion", "Invalid Input", "Out of Range", "Parser")


def find_teller(tree: str) -> str | None:
    """Find the first table or function in a serialized query that describes the machine; None if there is none."""
    return next((name for name in _NAMED.findall(tree) if _TELLERS.fullmatch(name.lower())), None)


def without_folders(message: str) -> str:
    """Remove folders of files and numbers of processes from an error, unless it quotes a query or its data."""
    if message.startswith(tuple(f"{kind} Error" for kind in _ABOUT_THE_QUERY)):
        return message
    return _PROCESS.sub("", _FOLDERS.sub("", message))
