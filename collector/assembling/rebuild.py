"""Rebuilds: stored traces are assembled again, in portions, after new spans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime

from tracegrade.queries.ports import Rebuild, Rebuilding, RebuildUnderWay

from ..clock import as_utc, utc_now
from ..store.engines.database import Database
from ..store.results import rebuilds
from ..store.results.rebuilds import Portion, UnderWay
from ..store.results.writer import Results
from .assembler import Assembler

__all__ = ["StoredTraces"]


class StoredTraces:
    """Begins and executes rebuilds. Progress is in the store, so that a restarted process continues.

    `is_rebuilding`: a rebuild is under way.
    """

    def __init__(self, database: Database, results: Results, assembler: Assembler) -> None:
        self._database = database
        self._results = results
        self._assembler = assembler
        with database.cursor() as connection:
            self.is_rebuilding = rebuilds.under_way(connection) is not None

    def begin(self, wanted: Rebuild) -> Rebuilding:
        """Begin a rebuild, or join the one that is under way if it covers the same traces. For any thread.

        Raises RebuildUnderWay if the one under way does not cover them.
        """
        since = None if wanted.since is None else as_utc(wanted.since)
        with self._results.transaction() as connection:
            before = rebuilds.under_way(connection)
            if before is None:
                rebuilds.begin(connection, since, now=utc_now())
            current = rebuilds.under_way(connection)
        if current is None:
            raise RuntimeError("the rebuild that has just begun is not in the store")
        if not _covers(current, since):
            raise RebuildUnderWay(_refusal(current))
        self.is_rebuilding = True
        return Rebuilding(**asdict(current), is_joined=before is not None)

    def step(self) -> tuple[Callable[[], None], int]:
        """Assemble the next portion of the rebuild that is under way; end the rebuild if none is left.

        Blocks; for one thread at a time. Returns the function to call on the event loop, and the number of revisions
        written.
        """
        with self._database.cursor() as connection:
            current = rebuilds.under_way(connection)
            portion = Portion() if current is None else rebuilds.portion_after(connection, current.done)
        if portion:
            return self._assembler.assemble_again(portion)
        with self._results.transaction() as connection:
            if current is not None:
                rebuilds.end(connection, now=utc_now())
            self.is_rebuilding = rebuilds.under_way(connection) is not None
        return _nothing, 0


def _covers(current: UnderWay, since: datetime | None) -> bool:
    """Return whether a rebuild covers all traces of one that begins at `since` (None: all)."""
    return current.since is None or (since is not None and since >= current.since)


def _refusal(current: UnderWay) -> str:
    began = f"{current.since:%Y-%m-%d %H:%M:%S} UTC"
    return (
        f"a rebuild of the traces since {began} is under way ({current.done:,} of {current.traces:,}), which does not "
        f"reach as far back; wait until it has ended (`tracegrade rebuild --since {current.since:%Y-%m-%dT%H:%M:%S}` "
        "shows how far it is), then ask again"
    )


def _nothing() -> None:
    """Do nothing: an empty portion leaves the index as it is."""
