"""Lists of runs, page by page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pyarrow as pa

from ..catalog import report
from ..result import Arrow, Result
from .paging import RowTooLarge
from .run_keys import RunKey, RunList, read_keys
from .source import Read, Sources, rows_of

__all__ = ["MOST_CHARACTERS", "WHOLE_TEXTS", "Page", "read_page", "read_runs"]

MOST_CHARACTERS: Final = 1_000
"""How much lists show of a long text."""

WHOLE_TEXTS: Final = 2**31


@dataclass(frozen=True, slots=True)
class Page:
    """Rows of `runs` in the order of the list, and the key of the last one if more follow."""

    result: Result
    last: RunKey | None

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows as dicts."""
        return rows_of(self.result)


def read_page(
    runs: RunList,
    sources: Sources,
    *,
    after: RunKey | None = None,
    limit: int,
    most_characters: int = MOST_CHARACTERS,
) -> Page:
    """Return the first `limit` runs of a list, or those that come after one, with the beginnings of long texts."""
    keys = read_keys(runs, sources, after=after, limit=limit + 1)
    shown = keys[:limit]
    result = read_runs(sources.own, shown, most_characters=most_characters)
    return Page(result, shown[-1] if len(keys) > limit else None)


def read_runs(read: Read, keys: Sequence[RunKey], *, most_characters: int = MOST_CHARACTERS) -> Result:
    """Return the rows of these runs in their order, without those that are gone since.

    They are asked for again as long as an answer is cut short by its size. Raises RowTooLarge.
    """
    result = _read_rows(read, keys, most_characters)
    table, places = result.table, _number(result.table)
    while result.truncated:
        if not result.table.num_rows:
            raise RowTooLarge
        result = _read_rows(read, [key for key in keys if key.agent_trace_id not in places], most_characters)
        table = pa.concat_tables([table, result.table])
        places = _number(table)
    order = [places[key.agent_trace_id] for key in keys if key.agent_trace_id in places]
    return replace(result, table=table.take(pa.array(order, pa.int64())))


def _read_rows(read: Read, keys: Sequence[RunKey], most_characters: int) -> Result:
    parameters = {
        "agent_trace_ids": [key.agent_trace_id for key in keys],
        "started_ats": [key.started_at for key in keys],
        "most_characters": most_characters,
    }
    return read(report("runs_by_key"), parameters=parameters)


def _number(table: Arrow) -> dict[str, int]:
    """Return the place of each run by its id."""
    return {id_: place for place, id_ in enumerate(table.column("agent_trace_id").to_pylist())}
