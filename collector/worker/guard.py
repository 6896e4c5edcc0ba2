"""Limits time and memory of an evaluation in the worker, and restores working directory and environment."""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType, TracebackType
from typing import Final

import pyarrow as pa

from tracegrade.evaluators.custom.user_code import is_foreign
from tracegrade.evaluators.definition.imports import leave_pandas_out, restore_pandas
from tracegrade.evaluators.definition.registry import Configured

from ..system.arrow_memory import use_system_memory

__all__ = ["Guard", "MemoryExhausted", "confine"]

_AGAIN_S: Final = 1.0
_BEAT_S: Final = 1.0
_OOM_SCORE: Final = Path("/proc/self/oom_score_adj")
_ENDED_FIRST: Final = "500"  # as if it used half of the memory of the machine in addition


class MemoryExhausted(BaseException):
    """Memory ran out and was not released: this process cannot continue."""


class _TimeIsUp(BaseException):
    """An evaluation takes too long. A BaseException, which an evaluator's `except Exception` does not catch."""


def confine(memory_bytes: int) -> None:
    """Limit the memory that this process may allocate; only Linux counts all of it.

    If the machine or container runs out of memory nevertheless, the kernel ends this process before the server, which
    replaces it.
    """
    use_system_memory()
    _defer_pandas()
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = memory_bytes if hard == resource.RLIM_INFINITY else min(memory_bytes, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    with contextlib.suppress(OSError):
        _OOM_SCORE.write_text(_ENDED_FIRST, encoding="ascii")


def _defer_pandas() -> None:
    """Let Arrow take pandas for absent, which it imports with its first array.

    Code that asks Arrow for a DataFrame still gets one: it searches again then.
    """
    leave_pandas_out()
    pa.array([])
    restore_pandas()


class Guard:
    """A `run.Guard`, for the main thread.

    Interrupts an evaluation after its evaluator's timeout, once it runs Python code.

    Calls `beat` between two evaluations, about once a second, and `end_if_forked` after each. Raises MemoryExhausted.
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
        """Raise MemoryExhausted if memory ran out earlier and not even half of the limit can be allocated now."""
        if not self._is_short_of_memory:
            return
        gc.collect()
        try:
            bytearray(self._memory_bytes // 2)
        except MemoryError:
            raise MemoryExhausted("memory ran out, and was not given back") from None
        self._is_short_of_memory = False

    def beat(self) -> None:
        """Send the server a message that the job continues."""
        self._beat()
        self._beaten_s = time.monotonic()

    def __call__(self, evaluator: Configured) -> Guard:
        self.check()
        self._limit_s = evaluator.timeout_s
        self._before = _Surroundings() if is_foreign(evaluator) else None
        return self

    def __enter__(self) -> None:
        if self._limit_s is not None:
            signal.setitimer(signal.ITIMER_REAL, self._limit_s, _AGAIN_S)  # repeated: evaluators may catch everything

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
        """Replace an error that is not an Exception, or lacks the cause, by an Exception that names the cause."""
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
            return  # the evaluation is over, or about to begin: the next alarm interrupts it
        raise _TimeIsUp


_AROUND: Final = {Guard.__enter__.__code__, Guard.__exit__.__code__}


class _Surroundings:
    """The working directory and the environment at the time of construction."""

    def __init__(self) -> None:
        self._folder: str | None = None
        with contextlib.suppress(OSError):  # it may have been deleted
            self._folder = os.getcwd()  # noqa: PTH109 - `chdir` takes a str
        self._environment: Mapping[str, str] = dict(os.environ)

    def restore(self) -> None:
        if self._folder is not None:
            with contextlib.suppress(OSError):
                os.chdir(self._folder)
        if dict(os.environ) != self._environment:
            os.environ.clear()
            os.environ.update(self._environment)
