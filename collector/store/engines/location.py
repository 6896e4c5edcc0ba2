"""Protocol of the location of a store, which may be closed or absent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .database import Database

__all__ = ["Location", "QuackListener"]


@dataclass(frozen=True, slots=True)
class QuackListener:
    """The HOST:PORT at which clients of Quack are answered, and the token that they have to send."""

    address: str
    token: str
    is_beyond_loopback: bool = False

    @property
    def uri(self) -> str:
        """The address as clients write it."""
        return f"quack:{self.address}"


class Location(Protocol):
    """The location that a store URL names. An implementation imports DuckDB only when the store is opened.

    All methods except `exists`, `size_bytes`, `find_holder`, `find_fault` and `companion` raise StoreUnavailable.
    """

    @property
    def name(self) -> str:
        """The name of the store in messages."""

    def exists(self) -> bool: ...

    def size_bytes(self) -> int:
        """Return the size of the store; 0 if there is none."""

    def find_holder(self) -> int | None:
        """Return the PID of another process that has the store open for writing; None if there is none or unknown."""

    def find_fault(self) -> str | None:
        """Return why a server could not use this location, as text for its user; None if it could. Writes nothing."""

    def companion(self, suffix: str) -> Path:
        """Return the path of the local file that belongs to the store: with the suffix `server` a server's note."""

    def ensure_writable(self) -> None:
        """Write a small file as a test. Raises StoreFull if the disk is full."""

    def open(
        self,
        *,
        memory_limit: str | None = None,
        read_only: bool = False,
        checkpoints_itself: bool = True,
        threads: int | None = None,
        query_bytes: int | None = None,
        quack: QuackListener | None = None,
    ) -> Database:
        """Open the store, or create it if there is none. Raises StoreLocked if another process holds it.

        With `read_only` the store is not changed, and other processes may read it at the same time; raises
        StoreOutdated if it has to be migrated. Without a `memory_limit` DuckDB gets its share of the available memory.
        Users' SQL runs in this process or, with `query_bytes`, the memory limit of a query in bytes, in a process per
        query. With `checkpoints_itself=False` DuckDB checkpoints only on request and when the store is closed. Without
        `threads` DuckDB uses one per core. With `quack` the store can answer clients of Quack.
        """

    def ensure_store(self) -> None:
        """Raise StoreUnavailable if the file here is not a store of any version."""

    def copy_to(self, target: Path, *, memory_limit: str | None) -> None:
        """Write the content of the store as one DuckDB file. Raises StoreLocked if a process has the store open."""

    def ensure_unused(self) -> None:
        """Raise StoreLocked if a process has the store open."""

    def replace_with(self, draft: Path) -> str | None:
        """Move a complete DuckDB file to the location of the store, and keep the former store under another name.

        Returns that name; None if there was no store. Raises StoreLocked if a process has it open.
        """

    def is_same_as(self, file: Path) -> bool:
        """Return whether `file` is the file of the store."""
