"""Little memory for a server: by a control group where one can be made, else by a limit of its processes."""

from __future__ import annotations

import contextlib
import os
import resource
import secrets
import signal
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.polling import until

__all__ = ["Confinement", "confinement"]

_ROOT = Path("/sys/fs/cgroup")


class Confinement(ABC):
    """What is started within `entered` has so much memory, with all that it starts. `name` says what sees to it."""

    name: str

    @abstractmethod
    @contextmanager
    def entered(self) -> Iterator[None]:
        """Starts processes in it."""

    @abstractmethod
    def kills(self) -> int:
        """How many processes in it the kernel has ended for want of memory."""


@contextmanager
def confinement(memory_bytes: int) -> Iterator[Confinement]:
    """The strictest that can be had here. A group is removed again, with what still runs in it."""
    for version in (_version_2, _version_1):
        group = version(memory_bytes)
        if group is not None:
            try:
                yield group
            finally:
                group.remove()
            return
    yield _Limit(memory_bytes)


class _Group(Confinement):
    """A control group. Its processes may have so much together."""

    def __init__(self, folder: Path, former: Path, name: str) -> None:
        self.folder = folder
        self.name = name
        self._former = former

    @contextmanager
    def entered(self) -> Iterator[None]:
        """A new process is in the group of the one that starts it."""
        _move_to(self.folder)
        try:
            yield
        finally:
            _move_to(self._former)

    def remove(self) -> None:
        """Ends what is left of what was started in it: a worker notices a second late that its server is gone."""
        until(self._is_removed)

    def _is_removed(self) -> bool:
        for pid in (self.folder / "cgroup.procs").read_text(encoding="ascii").split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        with contextlib.suppress(OSError):  # it is busy for a moment after its last process has ended
            self.folder.rmdir()
        return not self.folder.exists()

    def kills(self) -> int:
        lines: list[str] = []
        for name in ("memory.events", "memory.oom_control"):
            with contextlib.suppress(OSError):
                lines += (self.folder / name).read_text(encoding="ascii").splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))


class _Limit(Confinement):
    """RLIMIT_DATA, as `prlimit --data` sets it: each process may reserve so much, whether or not it uses it."""

    name = "prlimit"

    def __init__(self, memory_bytes: int) -> None:
        self._bytes = memory_bytes

    @contextmanager
    def entered(self) -> Iterator[None]:
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (self._bytes, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))

    def kills(self) -> int:
        return 0


def _version_1(memory_bytes: int) -> _Group | None:
    return _made(_ROOT / "memory", "memory", "memory.limit_in_bytes", memory_bytes, "cgroup v1")


def _version_2(memory_bytes: int) -> _Group | None:
    """Only where the groups below our own may limit memory, which the one who made ours has to allow."""
    return _made(_ROOT, "", "memory.max", memory_bytes, "cgroup v2")


def _made(mounted: Path, controller: str, limit: str, memory_bytes: int, name: str) -> _Group | None:
    own = _own_path(controller)
    if own is None or not (mounted / own / "cgroup.procs").exists():
        return None
    folder = mounted / own / f"tracegrade-soak-{secrets.token_hex(4)}"
    try:
        folder.mkdir()
    except OSError:
        return None
    try:
        (folder / limit).write_text(str(memory_bytes), encoding="ascii")
        group = _Group(folder, mounted / own, name)
        with group.entered():
            return group
    except OSError:  # no such controller here, or processes may not be moved
        folder.rmdir()
        return None


def _own_path(controller: str) -> Path | None:
    """The path of our own group below what is mounted."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if controller in controllers.split(","):
                return Path(path.lstrip("/"))
    return None


def _move_to(folder: Path) -> None:
    (folder / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")
