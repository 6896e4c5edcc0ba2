"""Assembling stored traces again: a portion at a time, so that new spans go first."""

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
    """Takes the order for a rebuild, and carries it out. How far it has come is in the store, so that another run of
    the program goes on with it."""

    def __init__(self, database: Database, results: Results, assembler: Assembler) -> None:
        self._database = database
        self._results = results
        self._assembler = assembler
        with database.cursor() as connection:
            self.is_rebuilding = rebuilds.under_way(connection) is not None

    def begin(self, wanted: Rebuild) -> Rebuilding:
        """Begins a rebuild; where one is under way that covers what is wanted, gives that one. For any thread.

        Raises CommandRefused where another one is under way.
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
        """Assembles the next portion of the rebuild that is under way. Blocks; one caller at a time.

        Gives what is left to do on the event loop, and how many revisions were written.
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
    """Whether a rebuild looks at all traces of one that begins at `since`."""
    return current.since is None or (since is not None and since >= current.since)


def _refusal(current: UnderWay) -> str:
    began = f"{current.since:%Y-%m-%d %H:%M:%S} UTC"
    return (
        f"a rebuild of the traces since {began} is under way ({current.done:,} of {current.traces:,}), which does not "
        f"reach as far back; wait until it has ended (`tracegrade rebuild --since {current.since:%Y-%m-%dT%H:%M:%S}` "
        "shows how far it is), then ask again"
    )


def _nothing() -> None:
    """Nothing is left to do."""
