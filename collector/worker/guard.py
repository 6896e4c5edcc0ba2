"""What an evaluation in the worker may use, and what is put right behind it, so that none harms another."""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import signal
import time
from collections.abc import Callable, Mapping
from types import FrameType, TracebackType
from typing import Final

import pyarrow as pa

from tracegrade.evaluators.own import is_foreign
from tracegrade.evaluators.registry import Configured

__all__ = ["Guard", "Spent", "confine"]

_AGAIN_S: Final = 1.0
_BEAT_S: Final = 1.0


class Spent(BaseException):
    """Memory ran out, and what was taken has not been given back: nobody can go on in this process."""


class _TimeIsUp(BaseException):
    """No `except Exception` of an evaluator stops it."""


def confine(memory_bytes: int) -> None:
    """Limits what this process may allocate. Only Linux counts all of it."""
    pa.set_memory_pool(pa.system_memory_pool())  # Arrow's own takes a gigabyte in advance, which would count
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))


class Guard:
    """A `run.Guard`, for the main thread. `beat` is called about once a second, between two evaluations, and
    `end_if_forked` behind each.

    An evaluation that takes longer than its evaluator may is interrupted, if it comes back to Python at all. Raises
    Spent.
    """

    def __init__(self, *, memory_bytes: int, beat: Callable[[], None], end_if_forked: Callable[[], None]) -> None:
        self._memory_bytes = memory_bytes
        self._beat = beat
        self._end_if_forked = end_if_forked
        self._beaten_s = time.monotonic()
        self._limit_s: float | None = None
        self._before: _Surroundings | None = None
        self._is_short_of_memory = False
        signal.signal(signal.SIGALRM, self._interrupt)

    def check(self) -> None:
        """Raises Spent, once memory ran out, unless at least half of it can be had again."""
        if not self._is_short_of_memory:
            return
        gc.collect()
        try:
            bytearray(self._memory_bytes // 2)
        except MemoryError:
            raise Spent("memory ran out, and was not given back") from None
        self._is_short_of_memory = False

    def beat(self) -> None:
        """Lets it be known that the work goes on."""
        self._beat()
        self._beaten_s = time.monotonic()

    def __call__(self, evaluator: Configured) -> Guard:
        self.check()
        self._limit_s = evaluator.timeout_s
        self._before = _Surroundings() if is_foreign(evaluator) else None
        return self

    def __enter__(self) -> None:
        if self._limit_s is not None:
            signal.setitimer(signal.ITIMER_REAL, self._limit_s, _AGAIN_S)  # and again, for those who catch everything

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        self._end_if_forked()
        if self._before is not None:
            self._before.restore()
            signal.signal(signal.SIGALRM, self._interrupt)
        if time.monotonic() - self._beaten_s > _BEAT_S:
            self.beat()
        if error is not None:
            self._explain(error)

    def _explain(self, error: BaseException) -> None:
        """Raises in its place what an evaluation may raise, when it is nothing that an evaluation may raise."""
        match error:
            case _TimeIsUp():
                raise TimeoutError(f"took longer than {self._limit_s:g} s") from None
            case MemoryError():
                self._is_short_of_memory = True
                raise MemoryError(f"needed more than the {self._memory_bytes >> 20} MiB of the worker") from None
            case Exception():
                return
            case _:
                raise RuntimeError(f"it raised {type(error).__name__}: {error}") from None

    def _interrupt(self, _: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_code in _AROUND:
            return  # the evaluation is over, or about to begin: then the next alarm meets it
        raise _TimeIsUp


_AROUND: Final = {Guard.__enter__.__code__, Guard.__exit__.__code__}


class _Surroundings:
    """Working directory and environment as they are now."""

    def __init__(self) -> None:
        self._folder = os.getcwd()  # noqa: PTH109 - as `chdir` wants it
        self._environment: Mapping[str, str] = dict(os.environ)

    def restore(self) -> None:
        with contextlib.suppress(OSError):
            os.chdir(self._folder)
        if dict(os.environ) != self._environment:
            os.environ.clear()
            os.environ.update(self._environment)
