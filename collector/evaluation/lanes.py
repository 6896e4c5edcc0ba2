"""All evaluators of a configuration, in lanes, with the workers they need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.ports import Workbench

from ..clock import utc_now
from ..config.settings import Settings, evaluators_of, judges_of
from ..records.arrow_batch import Batch
from ..references.rules import References
from ..store.ledger.due import DueTargets, RevisionLimits
from ..store.ledger.judge_calls import StoredJudgeCalls
from ..store.ledger.ledger import StoreLedger
from ..store.ledger.references import ReferenceLookup
from ..store.ledger.sql_evaluators import SqlWorkbench
from ..worker.client import AskedJudge, JudgeCalls
from ..worker.workers import Workers
from .lane import CAREFUL, Lane, TargetLimits, is_ours
from .workbench_by_kind import WorkbenchByKind

if TYPE_CHECKING:
    from ..otlp.own_mark import Mark
    from ..store.engines.database import Database
    from ..store.results.writer import Results
    from .judge_spans import TracedJudgeCalls

__all__ = ["Lanes"]

_ROUNDS: Final = 16
"""A judge's pass takes at least this many times its concurrency, for at its end fewer and fewer questions are open."""


class Lanes:
    """The evaluators of a configuration, in lanes.

    The built-in checks share a lane. Each third-party evaluator (users' Python, SQL and commands, installed packages)
    has its own lane, and these share a pool of workers: one that is slow, hangs or crashes does not stop the others.
    Each judge has a lane and a worker, for all that ask it.

    Raises BadConfiguration before it has changed anything.
    """

    def __init__(
        self,
        settings: Settings,
        database: Database,
        results: Results,
        workers: Workers,
        *,
        mark: Mark | None = None,
    ) -> None:
        self.evaluators: Sequence[Configured] = evaluators_of(settings)
        self.settings = settings
        self._database = database
        self._results = results
        self._mark = mark
        self._references = ReferenceLookup(database, _references(settings))
        self._references.check()
        self._workers = workers.for_evaluators()
        self._queries = SqlWorkbench(database)
        self._traced: TracedJudgeCalls | None = None
        self.all: tuple[Lane, ...] = (
            self._lane([one for one in self.evaluators if is_ours(one)], workers.checks),
            *self._of_others([one for one in self.evaluators if not is_ours(one) and one.asks is None]),
            *self._of_judges([one for one in self.evaluators if one.asks is not None]),
        )

    def enrol(self) -> None:
        """Registers each new or reconfigured evaluator, to judge what arrives from now on and its `backfill`."""
        for lane in self.all:
            lane.ledger.enrol(lane.evaluators)

    def wake(self) -> None:
        """Makes the loop of each lane look at once. For any thread."""
        for lane in self.all:
            lane.woken.set()

    def close(self) -> None:
        """Ends the workers after their current jobs, except the one of the built-in checks."""
        self._workers.close()
        if self._traced is not None:
            self._traced.close()

    def finish(self) -> None:
        """Lets no judge be asked a further question: calls that are under way have been paid for, and are kept."""
        self._workers.finish()

    def kill_user_code(self) -> None:
        """Ends the workers of third-party evaluators now, and cancels the queries of SQL evaluators."""
        self._queries.kill()
        self._workers.kill_user_code()

    def kill(self) -> None:
        """Ends all workers now, except the one of the built-in checks, and cancels the queries of SQL evaluators."""
        self._queries.kill()
        self._workers.kill()

    def _of_others(self, evaluators: Iterable[Configured]) -> list[Lane]:
        workbench = WorkbenchByKind(self._queries, self._workers.user_code)
        return [self._lane([evaluator], workbench, limits=TargetLimits(first=CAREFUL)) for evaluator in evaluators]

    def _of_judges(self, evaluators: Iterable[Configured]) -> list[Lane]:
        evaluators = list(evaluators)
        if not evaluators:
            return []
        calls = self._judge_calls()
        judges = judges_of(self.settings)
        by_judge = sorted(evaluators, key=lambda one: one.asks or "")
        return [
            self._of_judge(AskedJudge(name, judges[name], calls), list(group))
            for name, group in groupby(by_judge, key=lambda one: one.asks or "")
        ]

    def _of_judge(self, asked: AskedJudge, evaluators: Sequence[Configured]) -> Lane:
        worker = self._workers.for_judge(asked)
        targets = _ROUNDS * asked.judge.concurrency
        return self._lane(
            evaluators,
            worker,
            max_revisions=asked.judge.max_revisions,
            limits=TargetLimits(first=targets, least=targets),
            renew=worker.renew,
        )

    def _judge_calls(self) -> JudgeCalls:
        """The judge calls of the store; with `export.judges` each call is also exported as a span."""
        calls = StoredJudgeCalls(self._database, self._results)
        export = self.settings.export
        if not export.judges or export.endpoint is None:
            return calls
        from .judge_spans import TracedJudgeCalls  # noqa: PLC0415 - the SDK costs time, and few send spans of judges

        self._traced = TracedJudgeCalls(calls, export.endpoint, self._mark)
        return self._traced

    def _lane(
        self,
        evaluators: Sequence[Configured],
        workbench: Workbench[Batch[Any]],
        *,
        max_revisions: int | None = None,
        **how: Any,
    ) -> Lane:
        due_targets = DueTargets(
            self._database,
            self._references,
            revision_limits=RevisionLimits(self.settings.assembly.judge_settle, max_revisions),
            session_idle=self.settings.evaluation.session_idle,
            evaluators=self.evaluators,
            now=utc_now,
        )
        has_outbox = self.settings.export.endpoint is not None
        ledger = StoreLedger(self._database, self._results, due_targets, has_outbox=has_outbox)
        return Lane(evaluators, ledger, workbench, now=utc_now, **how)


def _references(settings: Settings) -> References:
    return References.read(settings.references, sources=settings.trust.references)
