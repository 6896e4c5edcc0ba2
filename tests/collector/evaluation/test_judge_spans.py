"""Judges' calls as spans, on their way to whoever watches what they cost."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from tests.support.backend import http_backend, plain
from tests.support.score_rows import make_judge_call

from tracegrade.collector.evaluation.judge_spans import TracedJudgeCalls
from tracegrade.evaluators.ports import JudgeCall, Spent


class Nothing:
    """A book that remembers nothing."""

    def lookup(self, request_hashes: Collection[str]) -> Mapping[str, JudgeCall]:
        return {}

    def record(self, calls: Sequence[JudgeCall]) -> None:
        pass

    def spent(self, judge: str, since: datetime) -> Mapping[str, Spent]:
        return {}


def test_span_says_that_there_was_no_score_and_repeats_nothing_that_was_said() -> None:
    said = "card 4111 1111 of Jane Doe"
    unusable = make_judge_call(
        1, status="unusable", error=f"score: {said!r} is not of type 'number'", response={"text": said}
    )
    with http_backend() as backend:
        traced = TracedJudgeCalls(Nothing(), backend.url)
        traced.record([unusable])
        traced.close()
    [span] = backend.spans
    assert plain(span.attributes)["error.type"] == "unusable"
    assert said.encode() not in span.SerializeToString()


def test_what_cost_nothing_now_is_no_span() -> None:
    with http_backend() as backend:
        traced = TracedJudgeCalls(Nothing(), backend.url)
        traced.record([make_judge_call(1, from_cache=True), make_judge_call(2, status="pending"), make_judge_call(3)])
        traced.close()
    assert [plain(span.attributes)["tracegrade.target_id"] for span in backend.spans] == [make_judge_call(3).target_id]
