"""The worker processes of a program, by the kind of job that they do.

The only place that decides how many there are, and which jobs share one: callers ask for a kind of job and get
something that does it. A process starts with its first job, and is replaced when it dies or hangs (`worker.process`).
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
"""How many third-party evaluators may run at the same time; those that hang occupy all but one worker at most."""


class Workers:
    """The workers of a pipeline. One assembles traces and runs the built-in checks; it is `begun`, where there is one.
    Each configuration of evaluators has further ones of its own."""

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
        """Assembles traces."""
        return self._shared

    @property
    def checks(self) -> Workbench:
        """Runs the built-in checks."""
        return self._shared

    def for_evaluators(self) -> EvaluatorWorkers:
        """Workers for all other evaluators of a configuration."""
        return EvaluatorWorkers(self._schemas, memory_bytes=self._memory_bytes)

    def change_prices(self, prices: Mapping[str, Prices]) -> None:
        """Lets `prices` of models, by pattern, count for what is assembled from now on. For any thread."""
        self._shared.change_prices(prices)

    def close(self) -> None:
        """Ends the workers after their current jobs, except those `for_evaluators`."""
        self._shared.close()

    def kill(self) -> None:
        """Ends the workers now, even during a job, except those `for_evaluators`."""
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
        """A worker that asks this judge."""
        workbench = Workbench(self._schemas, memory_bytes=self._memory_bytes, asked=asked)
        self._judges.append(workbench)
        return workbench

    def finish(self) -> None:
        """Lets no judge be asked a further question: calls that are under way have been paid for, and are kept."""
        for workbench in self._judges:
            workbench.finish()

    def close(self) -> None:
        """Ends the workers after their current jobs."""
        for workbench in (*self._user_code, *self._judges):
            workbench.close()

    def kill_user_code(self) -> None:
        """Ends the workers of third-party evaluators now, even during a job."""
        for workbench in self._user_code:
            workbench.kill()

    def kill(self) -> None:
        """Ends all of these workers now, even during a job."""
        self.kill_user_code()
        for workbench in self._judges:
            workbench.kill()
