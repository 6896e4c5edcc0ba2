"""What scores look like together: against figures by hand and the store's own."""

from __future__ import annotations

from itertools import product
from typing import Any

import duckdb
import pytest
from tests.support.store import Clock

from tracegrade.collector.preview.comparison import compare_with_active, compare_with_people
from tracegrade.collector.preview.statistics import cohens_kappa, count_agreement, estimate_pass_rate, summarize
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.score_record import ScoreRecord, score_record
from tracegrade.evaluators.model import AgentTrace, Score
from tracegrade.queries import catalog


def scored(run: str = "r", **score: Any) -> ScoreRecord:
    trace = AgentTrace(agent_trace_id=run, trace_id="t", revision=1)
    return score_record(configure("tool_error", threshold=0.5), trace, Score(**score), scored_at=Clock().now)


def row(run: str = "r", **fields: Any) -> dict[str, Any]:
    """A row of the report `scores_to_compare`."""
    usual = dict.fromkeys(("value", "label", "passed", "because", "author"))
    score = scored()
    form = {"evaluator_version": score.evaluator_version, "config_hash": score.config_hash}
    form |= {"revision": 1, "status": "scored"}
    return {**usual, **form, "target_id": run, "evaluator_kind": "code", **fields}


@pytest.mark.parametrize(
    ("passed", "of", "low", "high"),
    [
        (8, 10, 0.4902, 0.9433),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (1, 1, 0.2065, 1.0),
        (500, 1000, 0.4691, 0.5309),
    ],
    ids=["some", "none", "all", "a single one", "many"],
)
def test_interval_of_the_pass_rate_is_wilsons(passed: int, of: int, low: float, high: float) -> None:
    rate = estimate_pass_rate([True] * passed + [False] * (of - passed))
    assert rate is not None
    assert (rate.passed, rate.of, rate.rate) == (passed, of, passed / of)
    assert rate.low == pytest.approx(low, abs=5e-5)
    assert rate.high == pytest.approx(high, abs=5e-5)


def test_scores_that_neither_pass_nor_fail_have_no_pass_rate() -> None:
    assert estimate_pass_rate([None, None]) is None
    assert estimate_pass_rate([None, True]) == estimate_pass_rate([True])


def test_kappa_is_that_of_the_store() -> None:
    store = duckdb.connect()
    catalog.migrate(store)
    for counts in product(range(4), repeat=4):
        (stored,) = store.execute("select cohens_kappa(?, ?, ?, ?)", list(counts)).fetchone() or (None,)
        assert cohens_kappa(*counts) == (None if stored is None else pytest.approx(stored)), counts


def test_histogram_has_ten_equal_bins_and_one_for_exactly_1() -> None:
    summary = summarize(scored(value=value) for value in (0.0, 0.05, 0.1, 0.99, 1.0, 1.0))
    assert summary.histogram == (2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 2)
    assert summary.mean == pytest.approx(0.5233, abs=1e-4)
    assert summary.median == pytest.approx(0.545)


def test_distribution_counts_status_reason_and_label() -> None:
    scores = [
        scored(value=1.0, label="good"),
        scored(value=0.0, label="bad"),
        scored(value=0.5, label="good"),
        scored(status="skipped", reason="no calls"),
        scored(status="skipped", reason="no calls"),
        scored(status="error", reason="ValueError: x"),
    ]
    summary = summarize(scores)
    assert summary.statuses == {"scored": 3, "skipped": 2, "error": 1}
    assert summary.skipped == {"no calls": 2}
    assert summary.errors == {"ValueError: x": 1}
    assert summary.labels == {"good": 2, "bad": 1}
    assert summary.pass_rate is not None
    assert (summary.pass_rate.passed, summary.pass_rate.of) == (2, 3)


def test_no_scores_have_no_figures() -> None:
    summary = summarize([])
    assert (summary.scored, summary.histogram, summary.mean, summary.pass_rate) == (0, (), None, None)


def test_agreement_tells_both_sides_and_chance() -> None:
    summary = count_agreement([(True, True)] * 2 + [(True, False), (False, False)])
    assert (summary.both_passed, summary.first_alone, summary.second_alone, summary.both_failed) == (2, 1, 0, 1)
    assert (summary.compared, summary.share, summary.kappa) == (4, 0.75, 0.5)
    nothing = count_agreement([])
    assert (nothing.compared, nothing.share, nothing.kappa) == (0, None, None)


@pytest.mark.parametrize(
    ("annotation", "passed"),
    [
        ({"passed": True, "value": 0.0}, True),
        ({"value": 0.5}, True),
        ({"value": 0.4}, False),
        ({"label": " Rude"}, False),
        ({"label": "kind"}, True),
        ({"label": "failed"}, False),
        ({"label": "hm"}, None),
    ],
    ids=["word", "value at the threshold", "value below", "label worth 0", "label worth 1", "pass or fail", "unknown"],
)
def test_person_passes_a_run_as_calibration_has_it(annotation: dict[str, Any], *, passed: bool | None) -> None:
    ours = scored(value=1.0, details={"labels": {"rude": 0.0, "kind": 1.0}})
    summary = compare_with_people([ours], [row(evaluator_kind="human", author="ada", **annotation)])
    assert summary is not None
    assert (summary.annotations, summary.agreement.compared) == (1, 0 if passed is None else 1)
    assert summary.agreement.both_passed == (passed is True)


def test_flips_name_the_runs_and_what_was_said_before() -> None:
    scores = [scored("a", value=0.0, explanation="now bad"), scored("b", value=1.0), scored("c", value=1.0)]
    before = [
        row("a", value=1.0, passed=True, because="was good"),
        row("b", value=0.0, passed=False),
        row("c", passed=True),
    ]
    summary = compare_with_active(scores, before)
    assert summary is not None
    assert [(change.target_id, change.explanation, change.explanation_before) for change in summary.newly_failing] == [
        ("a", "now bad", "was good")
    ]
    assert [change.target_id for change in summary.newly_passing] == ["b"]
    assert (summary.targets, summary.is_same, summary.agreement.compared) == (3, True, 3)


def test_active_score_of_another_revision_is_not_compared() -> None:
    assert compare_with_active([scored(value=1.0)], [row(revision=2, passed=False)]) is None


def test_newest_score_counts_where_the_active_evaluator_changed_its_kind() -> None:
    older, newer = row(passed=False, value=0.0), row(evaluator_kind="llm", passed=True, value=1.0)
    summary = compare_with_active([scored(value=1.0)], [older, newer])
    assert summary is not None
    assert (summary.agreement.both_passed, summary.newly_passing) == (1, [])


def test_runs_that_only_one_side_scores_are_counted() -> None:
    scores = [scored("a", value=1.0), scored("b", status="skipped", reason="x")]
    summary = compare_with_active(scores, [row("a", status="skipped"), row("b", passed=True, config_hash="other")])
    assert summary is not None
    assert (summary.newly_scored, summary.no_longer_scored, summary.is_same) == (1, 1, False)
