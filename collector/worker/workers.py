"""The worker processes of a program, by the kind of job that they do.

This module alone decides how many there are, and which kinds of jobs share one. A process starts with its first job, or
while the first run is waited for, and is replaced if it dies or hangs (`worker.process`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from .client import AskedJudge, Workbench
from .pool import Pool
from .start import Started

if TYPE_CHECKING:
    from tracegrade.evaluators.pricing.prices import Prices

__all__ = ["EvaluatorWorkers", "Workers"]

_POOL: Final = 3
"""The number of third-party evaluators that may run at once; those that hang occupy all but one worker at most."""


class Workers:
    """The workers of a pipeline. One of them assembles traces and runs the built-in checks.

    `begun` is this worker, if it was started before. Each configuration of evaluators has further workers of its own.
    """

    def __init__(
        self,
        schemas: Mapping[str, pa.Schema],
        *,
        memory_bytes: int,
        prices: Mapping[str, Prices] = MappingProxyType({}),
        begun: Started | None = None,
    ) -> None:
        self._schemas = schemas
        self._memory_bytes = memory_bytes
        self._shared = Workbench(schemas, memory_bytes=memory_bytes, prices=prices, begun=begun)

    @property
    def assembly(self) -> Workbench:
        """The workbench that assembles traces."""
        return self._shared

    @property
    def checks(self) -> Workbench:
        """The workbench that runs the built-in checks."""
        return self._shared

    def for_evaluators(self) -> EvaluatorWorkers:
        """Return workers for all other evaluators of a configuration."""
        return EvaluatorWorkers(self._schemas, memory_bytes=self._memory_bytes)

    def change_prices(self, prices: Mapping[str, Prices]) -> None:
        """Use `prices` of models, by pattern, for all further assembly. May be called from any thread."""
        self._shared.change_prices(prices)

    def close(self) -> None:
        """End the workers after their current jobs, except those `for_evaluators`."""
        self._shared.close()

    def kill(self) -> None:
        """End the workers at once, even during a job, except those `for_evaluators`."""
        self._shared.kill()


class EvaluatorWorkers:
    """The workers for third-party evaluators, which share a pool, and for judges, which have one each."""

    def __init__(self, schemas: Mapping[str, pa.Schema], *, memory_bytes: int) -> None:
        self._schemas = schemas
        self._memory_bytes = memory_bytes
        self._user_code = [Workbench(schemas, memory_bytes=memory_bytes) for _ in range(_POOL)]
        self._judges: list[Workbench] = []
        self.user_code: Final = Pool(self._user_code)

    def for_judge(self, asked: AskedJudge) -> Workbench:
        """Return a workbench with a worker that asks this judge."""
        workbench = Workbench(self._schemas, memory_bytes=self._memory_bytes, asked=asked)
        self._judges.append(workbench)
        return workbench

    def finish(self) -> None:
        """Stop asking judges further questions.

        Calls that are under way have been paid for, and their answers are stored.
        """
        for workbench in self._judges:
            workbench.finish()

    def close(self) -> None:
        """End the workers after their current jobs."""
        for workbench in (*self._user_code, *self._judges):
            workbench.close()

    def kill_user_code(self) -> None:
        """End the workers of third-party evaluators at once, even during a job."""
        for workbench in self._user_code:
            workbench.kill()

    def kill(self) -> None:
        """End all of these workers at once, even during a job."""
        self.kill_user_code()
        for workbench in self._judges:
            workbench.kill()
