"""What the processes of a server hold: memory, threads, descriptors, connections, files."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

import psutil
from tests.support.processes import measure_private_bytes

__all__ = ["Gauge", "Held"]

_EVERY_S: Final = 0.1
_REMOVED: Final = " (deleted)"


@dataclass(frozen=True, slots=True)
class Held:
    """What the server holds at one moment, with its workers as `processes`."""

    processes: int
    threads: int
    descriptors: int
    connections: int

    def beyond(self, other: Held, *, slack: int) -> dict[str, int]:
        """By what, and by how many, this is more than the other one and `slack`."""
        more = {one.name: getattr(self, one.name) - getattr(other, one.name) for one in fields(Held)}
        return {name: number for name, number in more.items() if number > slack}


class Gauge:
    """Looks at a server and all that it started. `peak_bytes`: of the memory that all have for themselves together."""

    def __init__(self, pid: int) -> None:
        self._process = psutil.Process(pid)
        self.peak_bytes = 0

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Ten times a second, until the context is left."""
        stopped = threading.Event()
        thread = threading.Thread(target=self._watch, args=(stopped,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            stopped.set()
            thread.join()

    @property
    def is_alive(self) -> bool:
        return self._process.is_running() and self._process.status() != psutil.STATUS_ZOMBIE

    def held(self) -> Held:
        """Now. Raises psutil.NoSuchProcess where the server has ended."""
        with self._process.oneshot():
            connections = [each for each in self._process.net_connections("inet") if each.status != psutil.CONN_LISTEN]
            return Held(
                processes=len(self._process.children(recursive=True)),
                threads=self._process.num_threads(),
                descriptors=self._process.num_fds(),
                connections=len(connections),
            )

    def files(self, folder: Path) -> Counter[str]:
        """Return the names of all files in `folder`, where the store and what is temporary are, and of those that are
        open though they have no name any more. A process that ends meanwhile has none."""
        found = Counter(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())
        for process in (self._process, *self._process.children(recursive=True)):
            found.update(_list_removed(process.pid))
        return found

    def _watch(self, stopped: threading.Event) -> None:
        while not stopped.wait(_EVERY_S):
            self.peak_bytes = max(self.peak_bytes, self._bytes())

    def _bytes(self) -> int:
        try:
            processes = [self._process, *self._process.children(recursive=True)]
        except psutil.NoSuchProcess:
            return 0
        return sum(map(measure_private_bytes, processes))


def _list_removed(pid: int) -> Sequence[str]:
    """Return the files on disk that a process has open, and that have been removed."""
    names: list[str] = []
    with suppress(OSError):
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                name = str(descriptor.readlink())
                if name.endswith(_REMOVED) and not name.startswith("/memfd:"):
                    names.append(name)
    return names
