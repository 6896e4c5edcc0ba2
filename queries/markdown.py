"""Answers as a table in Markdown, for issues and chats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .foreign_text import escape_markdown
from .result import Column, as_text

__all__ = ["markdown_table"]


def markdown_table(columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> str:
    """Return plain rows as a table of GitHub's Markdown: NULL an empty cell, numbers to the right."""
    lines = [
        [escape_markdown(column.name) for column in columns],
        ["---:" if column.is_number else "---" for column in columns],
        *(["" if value is None else escape_markdown(as_text(value)) for value in row] for row in rows),
    ]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
