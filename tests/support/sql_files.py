"""SQL files of the package as they run."""

from __future__ import annotations

from typing import Final

from tracegrade.queries.sql_file import SqlFile

__all__ = ["complete"]

_TEXTS: Final = {"condition": "revision > 1", "query": "from due"}
"""What a user may write, by placeholder."""


def complete(file: SqlFile) -> str:
    """The text of the file, with SQL of a user in each of its placeholders."""
    return file.splice({name: _TEXTS[name] for name in file.splices})
