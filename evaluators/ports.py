"""What a pass needs: the ledger, which claims due targets and stores scores, and the workbench, which computes scores.

`collector.store.ledger`, `collector.worker` and `execution.run` implement these protocols.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar

from .definition.registry import Configured
from .definition.score_record import ScoreRecord, Target
from .model import JsonObject

__all__ = [
    "Agent",
    "ClaimT",
    "DeferralKind",
    "Deferred",
    "Due",
    "Evaluated",
    "EvaluationPass",
    "JudgeCache",
    "JudgeCall",
    "Ledger",
    "OnScores",
    "Purpose",
    "Spent",
    "TargetsT",
    "Workbench",
]

ClaimT = TypeVar("ClaimT", bound=Hashable)
TargetsT = TypeVar("TargetsT", bound=Sequence[Target])
TargetsT_contra = TypeVar("TargetsT_contra", bound=Sequence[Target], contravariant=True)


@dataclass(frozen=True, slots=True)
class EvaluationPass:
    """One cycle over targets that are due. Its id is stored with each of its scores."""

    id: str
    started_at: datetime

    @property
    def midnight(self) -> datetime:
        """The start (UTC) of the day whose budgets apply."""
        return self.started_at.replace(hour=0, minute=0, second=0, microsecond=0)


@dataclass(frozen=True, slots=True)
class Due(Generic[ClaimT, TargetsT]):
    """Targets that are due for an evaluator, in the form that the workbench takes, and the ledger's `claim` on them.

    Equal claims are claims on the same targets. `is_full`: more targets may be due, even if there are none here.
    """

    claim: ClaimT
    targets: TargetsT
    is_full: bool = False


DeferralKind: TypeAlias = Literal[
    "batch",
    "budget",
    "condition_failed",
    "earlier_evaluator",
    "judge_busy",
    "judge_misconfigured",
    "judge_unexpected",
    "judge_unreachable",
    "restart",
    "revision_limit",
    "service_turn",
    "session_active",
    "session_changed",
]
"""The kinds of reasons for which targets are deferred, by which they are counted.

The column `kind` of `deferrals` may also be `backfill` or, in rows of earlier versions, `other`.
"""


@dataclass(frozen=True, slots=True)
class Deferred:
    """A target that an evaluator cannot evaluate yet although nothing failed: when to try again (UTC), and why."""

    evaluator: str
    target_id: str
    until: datetime
    reason: str
    kind: DeferralKind


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The scores on some targets. Each pair of evaluator and target without a score is in `deferred`, except pairs to
    which the evaluator does not apply (`only_with_reference`)."""

    scores: Sequence[ScoreRecord]
    deferred: Sequence[Deferred] = ()


Purpose: TypeAlias = Literal["pass", "preview", "experiment"]
"""What the answer of a judge was wanted for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCall:
    """A row of `judge_calls` (see queries/docs/tables.md). Times in UTC.

    `request` and `response` are in the form that the cache stores, None if `from_cache`. `status` is `ok`; `unusable`
    if the answer cannot be used; `error` if there is no answer; or `pending` if it is part of a batch that is not
    answered yet. `batch_id` is a placeholder until the batch has an id. `recorded_by` is `server` if the process that
    holds the store asked the judge, else `client`; `purpose` is what the answer was wanted for.
    """

    judge_call_id: str
    request_hash: str
    evaluator: str
    target_id: str
    pass_id: str | None = None
    judge: str
    model: str
    request: JsonObject | None = None
    response: JsonObject | None = None
    from_cache: bool = False
    status: Literal["ok", "unusable", "error", "pending"]
    error: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    batch_id: str | None = None
    experiment_id: str | None = None
    recorded_by: Literal["server", "client"] = "server"
    purpose: Purpose = "pass"
    started_at: datetime
    duration_ms: float | None = None


OnScores: TypeAlias = Callable[[Sequence[ScoreRecord]], object]
"""Receives scores before their pass ends."""


class JudgeCache(Protocol):
    """Stores the answers of judges, so that no answer is paid for twice."""

    def lookup(self, request_hashes: Collection[str]) -> Mapping[str, JudgeCall]:
        """Return calls by request_hash: the one of status `ok`, else the `pending` one, else the `unusable` one.

        An `unusable` call is returned until its evaluator has a score on its target; then the question is asked again.
        """

    def record(self, calls: Sequence[JudgeCall]) -> None:
        """Store `calls`. MUST have committed when it returns: an answer is used only then.

        A call with the judge_call_id of a `pending` call replaces it.
        """


Agent: TypeAlias = tuple[str | None, str | None]
"""The name of a service, and the name of one of its agents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a judge or an evaluator has cost on one day so far.

    `pending_tokens`, input and output, and `pending_usd` are upper bounds for its calls that are not answered yet.
    `pending_calls` are such calls of a judge, of any day, without their `request`, the first ones of each batch.
    `preview_tokens` and `preview_usd` are the part of previews.
    `usd_by_agent` is what a judge has cost for each agent whose runs and sessions it was asked about, including the
    upper bounds of pending calls.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    pending_tokens: int = 0
    pending_usd: float = 0.0
    preview_tokens: int = 0
    preview_usd: float = 0.0
    pending_calls: Sequence[JudgeCall] = ()
    usd_by_agent: Mapping[Agent, float] = field(default_factory=dict)


class Ledger(Protocol[ClaimT, TargetsT]):
    """Claims the targets that are due for an evaluator, and stores scores."""

    def paused(self) -> Collection[str]:
        """Return the names of the evaluators that a user has paused."""

    def last_passes(self) -> Mapping[str, datetime]:
        """Return when the last pass of each evaluator started, or else when it was enrolled (UTC), by its name."""

    def last_assembled(self) -> int:
        """Return the position of the run that was assembled last."""

    def due(self, evaluator: Configured, limit: int, *, through: int | None = None) -> Due[ClaimT, TargetsT]:
        """Claim what `evaluator` has not evaluated yet: the present revisions of AgentTraces or, in scope `tool`,
        ToolDefinitions, each once, no matter how many runs offered it.

        Services take turns; among the runs of each, the oldest assembly comes first. At most `limit` targets are
        considered, and no run after the position `through`, so that successive calls for several evaluators return
        the same runs.

        MUST NOT return again what `record` was given. SHOULD return equal claims to evaluators that have to evaluate
        the same targets, and then MAY return the targets that it has already loaded. MUST leave out what the `when`,
        `sample` and `else_sample` of the evaluator do not select; that has no effect on later targets. MUST hold a run
        back until the evaluators in `after` have evaluated its present revision.
        """

    def activate(self, evaluation_pass: EvaluationPass, scores: Sequence[ScoreRecord]) -> None:
        """Make `scores` active before their pass ends. MUST have no further effect when `record` gets them again."""

    def record(
        self,
        evaluation_pass: EvaluationPass,
        evaluators: Sequence[Configured],
        due: Due[ClaimT, TargetsT],
        evaluated: Evaluated,
    ) -> None:
        """Store the scores, and that `evaluators` have evaluated what is `due`, except for what is deferred.

        MUST do all of it, supersede older scores and fill the outbox in one transaction. `due` MUST have been claimed
        for each of `evaluators`. Deferred targets are due again at their time.
        """


class Workbench(Protocol[TargetsT_contra]):
    """Computes scores, in this process or in another."""

    def evaluate(self, targets: TargetsT_contra, evaluators: Sequence[Configured]) -> Sequence[ScoreRecord]:
        """Apply each evaluator, all of one kind, to each target. MUST return a score for each pair to which the
        evaluator applies; a failure is a score of status `error`."""

    def ask(
        self,
        evaluation_pass: EvaluationPass,
        targets: TargetsT_contra,
        evaluators: Sequence[Configured],
        on_scores: OnScores,
    ) -> Evaluated:
        """Apply each evaluator of kind llm to each target. MUST score or defer each pair to which it applies.

        MAY give scores to `on_scores` as soon as they are known; they are in the returned value, too.
        """
