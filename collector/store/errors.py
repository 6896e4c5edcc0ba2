"""Errors of a store that cannot be used, the same for all engines.

StoreUnavailable       the message says what to do
├── StoreFull          the disk is full
├── StoreOutOfMemory   the engine has no memory for this write; a smaller one may succeed
├── StoreLocked        another process holds the store
├── StoreOutdated      an earlier version wrote it; it has to be opened for writing first
├── StoreInvalidated       the engine has invalidated its instance; the store has to be reopened
├── StoreBeingRead     no checkpoint now: another process is reading
└── StoreBeingWritten  no checkpoint now: a transaction is under way

An engine raises these in place of its own errors. Errors of a statement or of its values pass through.
"""

from __future__ import annotations

from tracegrade.queries.ports import Unavailable

from ..errors import Fault

__all__ = [
    "StoreBeingRead",
    "StoreBeingWritten",
    "StoreFull",
    "StoreInvalidated",
    "StoreLocked",
    "StoreOutOfMemory",
    "StoreOutdated",
    "StoreUnavailable",
    "first_line",
]


class StoreUnavailable(Fault, Unavailable):
    """The store cannot be used now. Senders keep the data that is not stored, and send it again."""

    exit_code = 4


class StoreFull(StoreUnavailable):
    """The disk of the store is full; the store can be used once there is space."""

    def __init__(self, store: object, error: object) -> None:
        super().__init__(
            f"{store}: there is no room on the disk. Free some, or name a --store on another disk ({first_line(error)})"
        )


class StoreOutOfMemory(StoreUnavailable):
    """The engine does not have enough memory for a statement."""


class StoreLocked(StoreUnavailable):
    """Another process holds the store."""

    def __init__(self, store: object, pid: int | None = None) -> None:
        holder = f"process {pid}" if pid else "another process"
        super().__init__(
            f"{store} is held by {holder}. One process at a time can open it, even for reading: "
            f"ask the server that holds it (commands of the user who started it find it by themselves, others with "
            f"--server), or stop {holder}."
        )


class StoreOutdated(StoreUnavailable):
    """The store cannot be opened only for reading: an earlier version wrote it, and it has to be migrated first."""


class StoreInvalidated(StoreUnavailable):
    """The engine has invalidated its instance, for the reason in `__cause__`; the caretaker reopens the store."""

    def __init__(self) -> None:
        super().__init__("the store has to be opened again, which the server does by itself; try again")


class StoreBeingRead(StoreUnavailable):
    """Another process reads the store, which cannot be checkpointed until it ends."""


class StoreBeingWritten(StoreUnavailable):
    """A transaction is under way, and the store cannot be checkpointed until it ends."""


def first_line(error: object) -> str:
    """Return the first line of an error message; DuckDB adds lines with hints and positions."""
    return str(error).partition("\n")[0]
