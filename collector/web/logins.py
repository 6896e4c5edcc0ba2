"""The logins of browsers that last, in a private file beside the store.

They are not in the store, where SQL, snapshots and exports would show them, and outlive a restart. The file has hashes,
so that nobody who reads it can go on with somebody's login.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import orjson

from tracegrade.evaluators.judges.limits.bounded_dict import BoundedDict

from ..system.log import log
from ..system.private_file import create_private_file, move_in_place, read_own

__all__ = ["LOGIN_S", "Logins"]

LOGIN_S: Final = 12 * 3600
"""How long a login lasts, in seconds."""

_MOST: Final = 1_000
_MOST_BYTES: Final = 1_000 * 100


class Logins:
    """The last 1,000 logins. Without a `file` they end with the process."""

    def __init__(self, file: Path | None = None, *, now: Callable[[], float] = time.time) -> None:
        self._file = file
        self._now = now
        self._ends: BoundedDict[float] = BoundedDict(_MOST)
        self._ends.update(_read(file) if file else {})

    def begin(self, browser: str) -> None:
        """Let a login of this browser last from now on."""
        self._ends[_hash(browser)] = self._now() + LOGIN_S
        self._write()

    def end(self, browser: str) -> None:
        """End the login of this browser, also for who has a copy of its cookie."""
        if self._ends.pop(_hash(browser), None) is not None:
            self._write()

    def lasts(self, browser: str) -> bool:
        """Return whether a login of this browser has begun and not ended."""
        return self._ends.get(_hash(browser), 0.0) > self._now()

    def _write(self) -> None:
        lasting = {browser: end for browser, end in self._ends.items() if end > self._now()}
        if self._file is None:
            return
        draft = self._file.with_name(f"{self._file.name}.draft")
        try:
            with create_private_file(draft) as writing:
                writing.write(orjson.dumps(lasting))
            move_in_place(draft, self._file)
        except OSError as error:
            log.warning("logins will end when the server is restarted", file=str(self._file), cause=str(error))


def _read(file: Path) -> Mapping[str, float]:
    content = read_own(file, limit_bytes=_MOST_BYTES, is_secret=True)
    try:
        stored = orjson.loads(content or b"{}")
        return {str(browser): float(end) for browser, end in stored.items()}
    except (ValueError, TypeError, AttributeError):
        return {}  # it was cut off on a full disk: the readers log in again


def _hash(browser: str) -> str:
    return hashlib.sha256(browser.encode()).hexdigest()
