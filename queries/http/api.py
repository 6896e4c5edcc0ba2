"""The services that the endpoints of the API use."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from tempfile import TemporaryFile
from typing import IO, Any, Final, TypeAlias

from ..cookbook.library import Library
from ..fence import SqlFailed
from ..ports import Commands, ExplainGaps, RunningEvaluator
from .bounded_pool import BoundedPool
from .export import Exports
from .pace import Turns
from .readers import AnyReader, Reader
from .turns import QueryTurns

__all__ = ["MAX_TAKEN_UP", "Api", "Explain", "Listings"]

MAX_TAKEN_UP: Final = 16
"""The most queries that are accepted at once; the reader decides how many of them run."""

_OWN_AT_ONCE: Final = 4
_SNAPSHOTS_AT_ONCE: Final = 2
"""Each is a copy of the store on its disk until it is sent."""

_OWN_TIMEOUT_S: Final = 10.0
_MOST_ROWS: Final = 100_000
_PREVIEWS: Final = 4
_PREVIEW_SURE_S: Final = 20.0
"""One preview runs at a time, and at least this long: its worker alone takes seconds to start."""

Explain: TypeAlias = Callable[[str], Mapping[str, Any]]
"""Explains the scores of the runs whose id has this prefix. Blocks; raises SqlError or Unavailable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listings:
    """What the server knows beside the store; each blocks.

    `evaluators` returns those that run, with their state. It raises SqlError or Unavailable. `reports` returns the
    reports as they are now, those of the user as well. It raises cookbook.ReportError. `remedies` explains the gaps of
    a run; None: nothing here knows remedies. `unbound_budgets` says in a line each which budgets do not bind, and why.
    """

    evaluators: Callable[[], Sequence[RunningEvaluator]]
    reports: Callable[[], Library]
    remedies: ExplainGaps | None = None
    unbound_budgets: Callable[[], Sequence[str]] = tuple


class Api:
    """The reader and commands of the store, with threads for each kind of request, so that no kind delays another. For
    one event loop."""

    def __init__(
        self,
        reader: AnyReader,
        commands: Commands,
        explain: Explain,
        *,
        own: Reader,
        listings: Listings,
        open_scratch: Callable[[], IO[bytes]] = TemporaryFile,
    ) -> None:
        """Take `reader` for the SQL of users, and `own` for that of the program: it is faster, but cannot be killed.

        `open_scratch` opens a temporary file without a name, for what slow clients have not read yet.
        """
        self.reader = reader
        self.own = own
        self.listings = listings
        self.commands = commands
        self.explain = explain
        self.exports = Exports(reader, open_scratch)
        self.queries = ThreadPoolExecutor(max_workers=MAX_TAKEN_UP, thread_name_prefix="sql")
        self.reads = BoundedPool("reads of the store", at_once=_OWN_AT_ONCE, limit=100)
        self.annotations = BoundedPool("annotations", at_once=2, limit=100)
        self.admin_commands = BoundedPool("admin commands", at_once=4, limit=24)
        self.backfills = BoundedPool("backfills", at_once=1, limit=24)
        self.previews = BoundedPool("previews", at_once=_PREVIEWS, limit=_PREVIEWS)
        self.preview_turns = QueryTurns(1, sure_s=_PREVIEW_SURE_S)
        self.copying = ThreadPoolExecutor(max_workers=1, thread_name_prefix="snapshot")
        self.snapshots = Turns(_SNAPSHOTS_AT_ONCE)

    async def list_evaluators(self) -> Sequence[RunningEvaluator]:
        """Return the evaluators that run, in the order of the configuration. Raises SqlError or Unavailable."""
        return await self.reads.run(self.listings.evaluators)

    async def list_unbound_budgets(self) -> Sequence[str]:
        """Return a line for each budget in dollars that does not bind."""
        return await self.reads.run(self.listings.unbound_budgets)

    async def rows(self, sql: str, **parameters: Any) -> list[dict[str, Any]]:
        """Return the rows of a statement of the program, by column. Raises SqlError or Unavailable."""
        rows, is_cut = await self.page(sql, **parameters)
        if is_cut:
            raise SqlFailed(f"the answer has more than the {len(rows):,} rows that fit: narrow the period")
        return rows

    async def page(self, sql: str, **parameters: Any) -> tuple[list[dict[str, Any]], bool]:
        """Return the first rows of a statement of the program, and whether its answer was cut, which also depends on
        the size of the rows. Raises SqlError or Unavailable."""
        read = partial(
            self.own.read,
            sql,
            parameters=parameters or None,
            timeout_s=_OWN_TIMEOUT_S,
            max_rows=_MOST_ROWS,
            cancelled=threading.Event(),
        )
        answer = await self.reads.run(read)
        rows: list[dict[str, Any]] = answer.table.to_pylist()
        return rows, answer.truncated
