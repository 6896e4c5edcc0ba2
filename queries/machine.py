"""What a query or an error would tell of the machine: where the store is, and whose home it is in.

Who may read the store may be far away, and needs none of it: names are refused under which DuckDB tells its paths, and
errors that go to others name files without their folders.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["teller_in", "without_folders"]

_TELLERS: Final = re.compile(
    r"duckdb_(databases|settings|extensions|temporary_files|external_file_cache)|pragma_database_list|pg_settings|current_setting"
    r"|query_table"  # it reads any of them under a name that is put together while it runs
)
_NAMED: Final = re.compile(r'"(?:function|table)_name":\s*"((?:[^"\\]|\\.)*)"')
_FOLDERS: Final = re.compile(r"(?<![\w.:/])/(?!(?:v1|api)/)(?:[^/\s\"']+/)+")
_ABOUT_THE_QUERY: Final = ("Binder", "Catalog", "Conversion", "Invalid Input", "Out of Range", "Parser")


def teller_in(tree: str) -> str | None:
    """The first table or function in a query, as DuckDB serializes it, that tells of the machine; None without one."""
    return next((name for name in _NAMED.findall(tree) if _TELLERS.fullmatch(name.lower())), None)


def without_folders(message: str) -> str:
    """An error with the names of files, whose folders are left out, but for those that quote a query or its data."""
    if message.startswith(tuple(f"{kind} Error" for kind in _ABOUT_THE_QUERY)):
        return message
    return _FOLDERS.sub("", message)
