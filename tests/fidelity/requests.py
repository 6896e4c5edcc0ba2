"""What a run was asked must not tell what its tools answered: a judge takes it for what the user said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["answers_in_requests"]

_ASKING = frozenset({"user", "system", "developer"})
_SHORTEST = 12
_ESCAPED = re.compile(r"\\+(?:[bfnrt]|u[0-9a-fA-F]{4})")
_NO_WORD = re.compile(r"[^A-Za-z0-9]+")


def answers_in_requests(
    messages: Sequence[Mapping[str, Any]], calls: Sequence[Mapping[str, Any]], user_inputs: Sequence[str]
) -> Iterator[list[str]]:
    """For each run that was asked something, the results of its own `calls` that stand in what it was asked.

    What the user wrote does not count. JSON is found in JSON, and in a repr: only letters and digits are compared.
    """
    asked: dict[str, str] = {}
    for row in messages:
        if row["role"] in _ASKING:
            run = row["agent_trace_id"]
            asked[run] = f"{asked.get(run, '')} {_bare(row['content'])}"
    written = " ".join(map(_bare, user_inputs))
    for run, text in asked.items():
        results = [row["result"] for row in calls if row["agent_trace_id"] == run]
        yield [result for result in results if _stands_in(text, result) and not _stands_in(written, result)]


def _stands_in(bare: str, result: str | None) -> bool:
    return len(held := _bare(result)) >= _SHORTEST and held in bare


def _bare(text: str | None) -> str:
    """The letters and digits of a text, however often it was escaped."""
    return _NO_WORD.sub("", _ESCAPED.sub("", text or ""))
