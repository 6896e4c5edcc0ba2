"""What is known of a store without opening it."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from .database import Database

__all__ = ["Location"]


class Location(Protocol):
    """The place that a store URL names. An engine fulfils this without importing DuckDB until the store is opened.

    All methods but `exists`, `size_bytes`, `find_holder`, `find_fault` and `companion` raise StoreUnavailable.
    """

    @property
    def name(self) -> str:
        """How messages name the store."""

    def exists(self) -> bool: ...

    def size_bytes(self) -> int:
        """The size of what is stored; 0 where there is no store."""

    def find_holder(self) -> int | None:
        """The process that has the store open for writing; None where no other one has, or it cannot be known."""

    def find_fault(self) -> str | None:
        """Why no server could use this place, in words for its user; None where one could. Nothing is written."""

    def companion(self, suffix: str) -> Path:
        """The local file of ours that belongs to the store and has this suffix: `server` for the note of a server."""

    def ensure_writable(self) -> None:
        """Tries to write something small. Raises StoreFull where the disk is full."""

    def open(
        self,
        *,
        memory_limit: str | None = None,
        read_only: bool = False,
        checkpoints_itself: bool = True,
        threads: int | None = None,
        query_bytes: int | None = None,
    ) -> Database:
        """Opens the store, and makes it where there is none. Raises StoreLocked where another process holds it.

        With `read_only` nothing can change the store, and other processes may read it at the same time; raises
        StoreOutdated where it would have to be migrated. Without a `memory_limit` DuckDB gets its share of the memory
        there is. SQL of users is answered in this process, or with `query_bytes`, the memory that DuckDB may use for
        one query, in a process for each. With `checkpoints_itself=False` DuckDB checkpoints only when it is told to and
        when the store is closed. Without `threads` it has as many as there are cores.
        """

    def ensure_store(self) -> None:
        """Raises StoreUnavailable where what is there is not a store of any version."""

    def copy_to(self, target: Path, *, memory_limit: str | None) -> None:
        """Writes all that is stored as one DuckDB file. Raises StoreLocked where a process has the store open."""

    def ensure_unused(self) -> None:
        """Raises StoreLocked where a process has the store open."""

    def replace_with(self, draft: Path) -> str | None:
        """Moves a complete DuckDB file to the place of the store. Gives the name under which the former store is kept;
        None where there was none. Raises StoreLocked where a process has it open."""

    def is_same_as(self, file: Path) -> bool:
        """Whether `file` is what keeps the store."""
