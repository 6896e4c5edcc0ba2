"""A server that is killed and started again over one store, on the same ports."""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from tests.support.polling import until
from tests.support.server import Ports, Server, free_ports, start, started

__all__ = ["Lives"]

_START_S = 90.0
_STOP_S = 60.0
_GONE_S = 40.0


@dataclass
class Lives:
    """One life after the other. `kills` has the times at which one ended before its work was done, on the clock
    `time.monotonic`."""

    store: Path
    variables: Mapping[str, str]
    ports: Ports = field(default_factory=free_ports)
    kills: list[float] = field(default_factory=list)
    server: Server | None = None
    _workers: dict[int, psutil.Process] = field(default_factory=dict)

    def begin(self) -> Server:
        """The next life, once it listens."""
        process = start(self.store, self.variables, ports=self.ports, mode="ab")
        self.server = started(process, self.store, within_s=_START_S)
        return self.server

    def begin_and_die(self, after_s: float) -> None:
        """A life that ends so soon after its process was made, in whatever it does to start."""
        process = start(self.store, self.variables, ports=self.ports, mode="ab")
        threading.Event().wait(after_s)
        self._note_workers(process.pid)
        process.kill()
        process.wait(timeout=_STOP_S)
        self.kills.append(time.monotonic())

    def kill(self) -> None:
        """Ends the server as the kernel would."""
        assert self.server is not None
        self._note_workers(self.server.process.pid)
        self.server.kill()
        self.kills.append(time.monotonic())

    def kill_worker(self, chance: random.Random) -> bool:
        """Ends one of the processes that assemble and evaluate; gives whether there was any."""
        assert self.server is not None
        workers = self._note_workers(self.server.process.pid)
        if not workers:
            return False
        with contextlib.suppress(psutil.NoSuchProcess):
            chance.choice(workers).kill()
        self.kills.append(time.monotonic())
        return True

    def stop(self) -> None:
        """Lets it end as a service manager would."""
        assert self.server is not None
        code = self.server.stop()
        assert code == 0, f"it stopped with {code}:\n{self.server.log()[-3000:]}"

    def end(self) -> None:
        """Nothing of any life is left."""
        if self.server is not None and self.server.process.poll() is None:
            self.server.process.kill()
            self.server.process.wait(timeout=_STOP_S)

    def expect_workers_gone(self) -> None:
        """Workers end when their server has gone, however it went. Raises AssertionError."""
        until(
            lambda: [one.pid for one in self._workers.values() if one.is_running() and one.status() != "zombie"],
            lambda left: not left,
            within_s=_GONE_S,
        )

    def _note_workers(self, pid: int) -> list[psutil.Process]:
        with contextlib.suppress(psutil.NoSuchProcess):
            found = sorted(psutil.Process(pid).children(recursive=True), key=lambda one: one.pid)
            self._workers |= {one.pid: one for one in found}
            return found
        return []
