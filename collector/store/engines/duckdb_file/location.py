"""The location of a DuckDB file. DuckDB is imported only when the file is opened."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import StoreFull, StoreUnavailable
from .disk_space import find_write_error, is_disk_full

if TYPE_CHECKING:
    from ..location import QuackListener
    from .database import DuckDbFile

__all__ = ["FileLocation"]


@dataclass(frozen=True, slots=True)
class FileLocation:
    """Implements `engines.location.Location` for the file at `path`, which need not exist."""

    path: Path

    @property
    def name(self) -> str:
        return str(self.path)

    def exists(self) -> bool:
        return self.path.exists()

    def size_bytes(self) -> int:
        return self.path.stat().st_size if self.path.is_file() else 0

    def find_holder(self) -> int | None:
        from .holder import find_holder  # noqa: PLC0415 - only needed if there is a note of a server

        return find_holder(self.path)

    def find_fault(self) -> str | None:
        path = self.path
        if path.is_dir():
            return f"{path} is a folder; name a file in it"
        if not path.parent.is_dir():
            return f"the folder {path.parent} does not exist; create it, or name another"
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            return f"{path} cannot be written by this user; give the right to, or name another"
        return None

    def companion(self, suffix: str) -> Path:
        return self.path.with_name(f"{self.path.name}.{suffix}")

    def ensure_writable(self) -> None:
        if not self.path.parent.is_dir() or (error := find_write_error(self.path)) is None:
            return  # opening the file reports a missing folder
        if is_disk_full(error):
            raise StoreFull(self.path, error)
        raise StoreUnavailable(f"{self.path}: nothing can be written in {self.path.parent}: {error}")

    def open(
        self,
        *,
        memory_limit: str | None = None,
        read_only: bool = False,
        checkpoints_itself: bool = True,
        threads: int | None = None,
        query_bytes: int | None = None,
        quack: QuackListener | None = None,
    ) -> DuckDbFile:
        from .database import DuckDbFile  # noqa: PLC0415 - commands that use a server do not need DuckDB

        return DuckDbFile(
            self.path,
            memory_limit=memory_limit,
            read_only=read_only,
            checkpoints_itself=checkpoints_itself,
            threads=threads,
            query_bytes=query_bytes,
            quack=quack,
        )

    def ensure_store(self) -> None:
        from .opening import ensure_store  # noqa: PLC0415 - as above

        ensure_store(self.path)

    def copy_to(self, target: Path, *, memory_limit: str | None) -> None:
        from .copies import copy_file  # noqa: PLC0415 - as above

        copy_file(self.path, target, memory_limit=memory_limit)

    def ensure_unused(self) -> None:
        from .copies import lock_file  # noqa: PLC0415 - as above

        with lock_file(self.path, exclusively=True):
            return

    def replace_with(self, draft: Path) -> str | None:
        from .copies import replace_file  # noqa: PLC0415 - as above

        former = replace_file(self.path, draft)
        return None if former is None else str(former)

    def is_same_as(self, file: Path) -> bool:
        return self.path.exists() and file.samefile(self.path)
