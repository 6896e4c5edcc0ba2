"""Reads the memory limit of the control groups of this process: of a container, a systemd unit, a batch job."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

__all__ = ["read_memory_limit"]

_PROC: Final = Path("/proc/self")
_LIMITS: Final = ("memory.max", "memory.high", "memory.limit_in_bytes")
"""The files of version 2, where a process beyond `high` is slowed down until it stops, and the one of version 1."""

_OCTAL: Final = re.compile(r"\\([0-7]{3})")


def read_memory_limit(proc: Path = _PROC) -> int | None:
    """Read the least limit in bytes of the process's own group and of those above it; None if no group has one.

    `proc` is the folder of the process in /proc.
    """
    try:
        mounts = (proc / "mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        groups = (proc / "cgroup").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:  # not Linux
        return None
    return min((limit for folder in _list_folders(mounts, groups) for limit in _read_limits(folder)), default=None)


def _list_folders(mounts: list[str], groups: list[str]) -> Iterator[Path]:
    """List the folder of each group that may limit memory, from the process's own group up to the mounted one."""
    paths = {controllers: path for _, controllers, path in (line.split(":", 2) for line in groups)}
    of_version_1 = next((path for controllers, path in paths.items() if "memory" in controllers.split(",")), None)
    for line in mounts:
        about, _, filesystem = line.partition(" - ")
        kind, _, options = filesystem.partition(" ")
        if kind == "cgroup2":
            path = paths.get("")
        else:
            is_memory = kind == "cgroup" and "memory" in options.rpartition(" ")[2].split(",")
            path = of_version_1 if is_memory else None
        if path is not None:
            root, mount_point = (_unescape(field) for field in about.split(" ")[3:5])
            yield from _list_ancestors(Path(mount_point), PurePosixPath(path), PurePosixPath(root))


def _list_ancestors(mount_point: Path, path: PurePosixPath, root: PurePosixPath) -> Iterator[Path]:
    """List the folders of the group at `path` and of those above it, where `root` of the hierarchy is mounted.

    For a group outside of the mounted part, as in some containers, only the mounted group is visible.
    """
    is_below = path.is_relative_to(root) and ".." not in path.parts
    below = path.relative_to(root) if is_below else PurePosixPath()
    yield mount_point / below
    for parent in below.parents:
        yield mount_point / parent


def _read_limits(folder: Path) -> Iterator[int]:
    for name in _LIMITS:
        try:
            yield int((folder / name).read_text(encoding="ascii"))
        except (OSError, ValueError):  # another version, the root, or "max"
            continue


def _unescape(field: str) -> str:
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), field)
