"""Previews of evaluators that a server runs: of options, SQL and rubrics, never of code that came over the web."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Any, Final

import pyarrow as pa

from tracegrade.evaluators.definition.function_path import CONFIGURATION_ONLY
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.queries import ports
from tracegrade.queries.http.readers import Reader

from ..client.query import Read
from ..clock import as_utc
from ..config.settings import Settings
from ..errors import Fault
from ..metrics import counters
from ..preview.answers import Record
from ..preview.comparison import Change
from ..preview.cost import Cost
from ..preview.draft import Draft, build_draft
from ..preview.entry import read_entry
from ..preview.evaluation import PreviewWorker
from ..preview.preview import Preview, Previewed
from ..preview.runs import Selection
from ..preview.statistics import Agreement
from ..system.memory_limit import worker_bytes
from ..worker.process import WorkbenchClosed, WorkerLost
from .bound_reader import bind

__all__ = ["preview_entry"]

_LIMIT_S: Final = 60.0
_QUERY_S: Final = 10.0
_ADVICE: Final = "choose fewer runs, or run `tracegrade preview` in a terminal, which has no limit"
_MOST_CHANGES: Final = 20
_MOST_REASONS: Final = 10


def preview_entry(  # noqa: PLR0913 - what to evaluate, and the parts of the server that it uses
    request: ports.PreviewRequest,
    settings: Settings,
    *,
    own: Reader,
    fenced: Reader,
    schemas: Mapping[str, pa.Schema],
    record: Record,
    cancelled: threading.Event,
) -> ports.Preview:
    """Evaluate stored runs with the entry of the request, for a minute or until `cancelled` is set.

    SQL of users runs in `fenced`, all other in `own`, which is faster; the entry is built and evaluated in a worker,
    whose tables have `schemas`; answers of a judge are stored by `record`. Raises CommandRefused or Unavailable.
    """
    limit = threading.Timer(_LIMIT_S, cancelled.set)
    limit.daemon = True
    limit.start()
    try:
        read, read_fenced = bind(own, timeout_s=_QUERY_S), bind(fenced, timeout_s=_LIMIT_S, cancelled=cancelled)
        memory_bytes = worker_bytes(settings.evaluation.worker_memory)
        with PreviewWorker(schemas, memory_bytes=memory_bytes, cancelled=cancelled) as worker:
            draft = _build(request.entry, settings, read_fenced, worker)
            selection = Selection(since=as_utc(request.since), limit=request.limit)
            how: dict[str, Any] = {"fenced": read_fenced, "cancelled": cancelled, "record": record, "worker": worker}
            return _preview(Preview(read, settings, draft.evaluator, selection, **how), draft, request)
    except ports.Unavailable:
        raise
    except Fault as fault:
        counters.refused_previews.labels(reason=_name_reason(fault, cancelled)).inc()
        if cancelled.is_set():
            stopped = "the preview was stopped before it could evaluate anything"
            why = f": {fault}" if isinstance(fault.__cause__, WorkbenchClosed) else f"; {_ADVICE}"
            raise ports.Unavailable(f"{stopped}{why}") from fault
        raise ports.CommandRefused(str(fault)) from fault
    finally:
        limit.cancel()


def _name_reason(fault: Fault, cancelled: threading.Event) -> str:
    if cancelled.is_set():
        return "stopped"
    return "named_code" if CONFIGURATION_ONLY in str(fault) else "entry"


def _build(text: str, settings: Settings, read: Read, worker: PreviewWorker) -> Draft:
    """Build the evaluator of an entry of others, in other processes. Raises Fault, whatever its values are."""
    try:
        return build_draft(read_entry(text), settings, build_with=worker.build, read=read)
    except WorkbenchClosed as closed:
        raise Fault("its options took too long; a regular expression in them may be the cause") from closed
    except WorkerLost as lost:
        raise Fault(f"its options cannot be used: {lost}") from lost
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise Fault(f"the entry has a value that cannot be used: {str(error)[:200]}") from error


def _preview(preview: Preview, draft: Draft, request: ports.PreviewRequest) -> ports.Preview:
    evaluator, chosen = draft.evaluator, preview.chosen
    if chosen.undecided:
        why = next(iter(chosen.undecided.values()))
        raise Fault(f"its `when` fails on {len(chosen.undecided):,} runs: {why}")
    cost = preview.estimate_cost() if preview.target_ids else None
    is_asked = cost is None or not cost.questions or request.ask
    previewed = preview.evaluate() if preview.target_ids and is_asked else None
    if previewed is not None and previewed.is_cut:
        counters.refused_previews.labels(reason="stopped").inc()
    return ports.Preview(
        name=evaluator.name,
        kind=evaluator.kind,
        scope=evaluator.scope,
        version=evaluator.version,
        threshold=evaluator.threshold,
        matching=chosen.matching,
        chosen=len(chosen.agent_trace_ids),
        targets=len(preview.target_ids),
        cost=None if cost is None else _describe_cost(evaluator.asks or "", cost),
        result=None if previewed is None else _describe(previewed),
    )


def _describe_cost(judge: str, cost: Cost) -> ports.PreviewCost:
    return ports.PreviewCost(
        judge=judge,
        questions=cost.questions,
        known=cost.known,
        input_tokens=cost.input_tokens,
        usd=cost.usd,
        most_usd=cost.most_usd,
    )


def _describe(previewed: Previewed) -> ports.PreviewResult:
    summary, active, rate = previewed.distribution, previewed.active, previewed.distribution.pass_rate
    spending = previewed.spending
    return ports.PreviewResult(
        statuses=summary.statuses,
        reasons=_first(summary.skipped),
        errors=_first(summary.errors),
        deferred=_first(previewed.deferred),
        histogram=tuple(summary.histogram),
        passed=0 if rate is None else rate.passed,
        decided=0 if rate is None else rate.of,
        low=None if rate is None else rate.low,
        high=None if rate is None else rate.high,
        mean=summary.mean,
        worst=tuple(_describe_score(score) for score in previewed.worst),
        people=_describe_agreement(previewed.people.agreement if previewed.people else None),
        active=_describe_agreement(active.agreement if active else None),
        is_same=active is not None and active.is_same,
        newly_failing=_describe_changes(active.newly_failing, passed=False) if active else (),
        newly_passing=_describe_changes(active.newly_passing, passed=True) if active else (),
        took_s=previewed.took_s,
        is_cut=previewed.is_cut,
        calls=0 if spending is None else spending.calls,
        spent_usd=None if spending is None else spending.cost_usd,
    )


def _describe_score(score: ScoreRecord) -> ports.PreviewedScore:
    return ports.PreviewedScore(
        target_id=score.target_id,
        agent_trace_id=score.agent_trace_id,
        agent_name=score.agent_name,
        value=score.value,
        passed=score.passed,
        explanation=score.explanation,
    )


def _describe_changes(changes: Iterable[Change], *, passed: bool) -> tuple[ports.PreviewedScore, ...]:
    return tuple(
        ports.PreviewedScore(
            target_id=change.target_id,
            agent_trace_id=change.target_id.partition("#")[0] if ":" not in change.target_id else None,
            agent_name=change.agent_name,
            value=change.value,
            passed=passed,
            explanation=change.explanation,
            value_before=change.value_before,
            explanation_before=change.explanation_before,
        )
        for change in list(changes)[:_MOST_CHANGES]
    )


def _describe_agreement(agreement: Agreement | None) -> ports.PreviewedAgreement | None:
    if agreement is None or not agreement.compared:
        return None
    return ports.PreviewedAgreement(
        both_passed=agreement.both_passed,
        only_preview_passed=agreement.first_alone,
        only_other_passed=agreement.second_alone,
        both_failed=agreement.both_failed,
        kappa=agreement.kappa,
    )


def _first(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(list(counts.items())[:_MOST_REASONS])
