"""Disks that are full, and room that comes again."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

__all__ = ["SmallDisk", "growth_forbidden", "let_grow", "small_disk"]

_NEAR = 64 * 1024


class SmallDisk:
    """A file system of its own, of a few megabytes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def fill(self) -> None:
        """Leaves no room."""
        with self._ballast.open("ab", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(_NEAR))
            except OSError:
                pass
            try:
                while True:
                    file.write(bytes(512))
            except OSError:
                pass

    def make_room(self) -> None:
        """Frees what `fill` took."""
        self._ballast.unlink()

    def forbid_writing(self) -> None:
        """Mounts it for reading only, as the system does with a disk that fails. No file of it may be open."""
        subprocess.run(["mount", "-o", "remount,ro", str(self.folder)], check=True)


@contextmanager
def small_disk(folder: Path, *, megabytes: int) -> Iterator[SmallDisk]:
    """A tmpfs at `folder`. The test is skipped where none can be mounted."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("a file system of a few megabytes can only be mounted by root, where mounting is allowed")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def growth_forbidden(path: Path) -> Iterator[None]:
    """No file of this process may become larger than `path` is now: DuckDB cannot checkpoint what is new into it, while
    its write-ahead log, which is small, can be written. That is a full disk which the file system does not tell of."""
    former = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, former[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, former)


def let_grow(pid: int, size_bytes: int | None) -> None:
    """Lets the files of a process grow to `size_bytes`, or without a limit."""
    limit = resource.RLIM_INFINITY if size_bytes is None else size_bytes
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
