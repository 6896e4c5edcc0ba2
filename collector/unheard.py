"""Verdicts that arrive in log records and judge nothing, so that whoever sends them can be told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import orjson

from .decode import LOG_COLUMNS

__all__ = ["unheard"]

_EVENT: Final = "gen_ai.evaluation.result"
_NAME: Final = "gen_ai.evaluation.name"
_TRACE_ID, _EVENT_NAME, _ATTRIBUTES = map(LOG_COLUMNS.index, ("trace_id", "event_name", "attributes"))


def unheard(logs: Iterable[Sequence[Any]]) -> Counter[str]:
    """How many of the rows of `logs` are evaluations that are about nothing or have no name, by what they lack."""
    evaluations = (row for row in logs if row[_EVENT_NAME] == _EVENT)
    return Counter(lack for row in evaluations if (lack := _lack(row)) is not None)


def _lack(row: Sequence[Any]) -> str | None:
    if row[_TRACE_ID] is None:
        return "a trace id, so that it judges nothing"
    name = orjson.loads(row[_ATTRIBUTES]).get(_NAME)
    return None if name and isinstance(name, str) else "gen_ai.evaluation.name, so that nobody knows what it says"
