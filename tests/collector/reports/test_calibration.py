"""How far judges agree with people: figures against the same by hand, and which scores make a pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from fractions import Fraction
from functools import cache
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.score_rows import BEGAN, insert_scores, make_judge_score, make_person_score

from tracegrade.collector.cli.calibrate import _format_row, _list_remarks
from tracegrade.collector.errors import Fault
from tracegrade.collector.records.arrow_batch import table
from tracegrade.collector.reports.calibration import name_strength, read_calibrations, suggest_remedy
from tracegrade.collector.store.engines.arrow import registered, schema
from tracegrade.queries import catalog, fence
from tracegrade.queries.result import Result

_SPAN = {
    "trace_id": "t",
    "name": "span",
    "kind": "internal",
    "start_time": BEGAN,
    "end_time": BEGAN,
    "start_ns": 0,
    "end_ns": 0,
    "status_code": "unset",
    **dict.fromkeys(("attributes", "resource"), "{}"),
    **dict.fromkeys(("events", "links"), "[]"),
    "ingested_at": BEGAN,
    "batch_seq": 1,
}
LATER = BEGAN + timedelta(hours=1)


@cache
def database() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    catalog.migrate(connection)
    fence.harden(connection)
    return connection


def store(*rows: Mapping[str, Any], spans: Mapping[str, str | None] | None = None) -> duckdb.DuckDBPyConnection:
    """A database that holds these scores, and spans of trace `t`, each with its parent."""
    connection = database()
    connection.execute("delete from scores; delete from spans")
    insert_scores(connection, *rows)
    for span_id, parent in (spans or {}).items():
        row = {"span_id": span_id, "parent_span_id": parent, **_SPAN}
        with registered(connection, "given_span", table([row], schema(connection, "spans"))):
            connection.execute("insert into spans by name select * from given_span")
    return connection


def read(connection: duckdb.DuckDBPyConnection, *, max_rows: int = 1_000) -> Any:
    def ask(sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
        return fence.read(
            connection.cursor,
            sql,
            parameters=dict(parameters) if parameters else None,
            timeout_s=30,
            max_rows=max_rows,
        )

    return ask


def pairs(*rows: Mapping[str, Any], columns: str = "author", **more: Any) -> list[Any]:
    rows_of_pairs = store(*rows, **more).execute(f"select {columns} from calibration_pairs order by all").fetchall()
    return [row[0] if len(row) == 1 else row for row in rows_of_pairs]


def kappa(judgements: Sequence[tuple[bool, bool]]) -> Fraction | None:
    """(p_o - p_e) / (1 - p_e), as Cohen writes it, in exact numbers."""
    n = len(judgements)
    observed = Fraction(sum(judge == human for judge, human in judgements), n)
    shares = [Fraction(sum(side), n) for side in zip(*judgements, strict=True)]
    expected = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
    return None if expected == 1 else (observed - expected) / (1 - expected)


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_agreement_kappa_and_counts_are_those_by_hand(judgements: list[tuple[bool, bool]]) -> None:
    rows = [
        row
        for number, (judge, human) in enumerate(judgements)
        for row in (make_judge_score(f"r{number}", passed=judge), make_person_score(f"r{number}", passed=human))
    ]
    (calibration,) = read_calibrations(read(store(*rows)))
    by_hand, counted = kappa(judgements), Counter(judgements)
    assert calibration.n == calibration.compared == calibration.targets == len(judgements)
    assert calibration.agreement == pytest.approx(sum(judge == human for judge, human in judgements) / len(judgements))
    assert calibration.cohens_kappa == (None if by_hand is None else pytest.approx(float(by_hand)))
    assert (calibration.true_positives, calibration.true_negatives) == (counted[True, True], counted[False, False])
    assert (calibration.false_positives, calibration.false_negatives) == (counted[True, False], counted[False, True])


@settings(deadline=None)
@given(*[st.integers(0, 3_000_000)] * 4)
def test_kappa_is_symmetric_bounded_and_one_only_where_all_agree(a: int, b: int, c: int, d: int) -> None:
    sql = "select cohens_kappa($a, $b, $c, $d), cohens_kappa($a, $c, $b, $d), cohens_kappa($d, $b, $c, $a)"
    row = database().execute(sql, {"a": a, "b": b, "c": c, "d": d}).fetchone()
    assert row is not None
    value, *mirrored = row
    assert mirrored == [value, value]
    n = a + b + c + d
    of_one_class = n in {a, d}
    assert (value is None) == of_one_class
    if value is not None:
        by_hand = Fraction(2 * (a * d - b * c), (a + b) * (b + d) + (a + c) * (c + d))
        assert value == pytest.approx(float(by_hand))
        assert -1 <= value <= 1
        assert (value == 1) == (b + c == 0)


def test_kappa_of_the_example_that_textbooks_have() -> None:
    assert database().execute("select cohens_kappa(20, 5, 10, 15)").fetchall() == [(0.4,)]


@pytest.mark.parametrize(
    ("kappa", "word"),
    [
        (-0.01, "poor"),
        (0.0, "slight"),
        (-0.004, "slight"),
        (0.204, "slight"),
        (0.21, "fair"),
        (0.41, "moderate"),
        (0.61, "substantial"),
        (0.81, "almost perfect"),
        (1.0, "almost perfect"),
    ],
)
def test_kappa_has_the_word_of_landis_and_koch(kappa: float, word: str) -> None:
    assert name_strength(kappa) == word


def test_people_who_judged_the_same_make_a_pair_each() -> None:
    rows = [
        make_judge_score(passed=True),
        make_person_score(author="ada", passed=True),
        make_person_score(author="bob", passed=False),
    ]
    (calibration,) = read_calibrations(read(store(*rows)))
    assert (calibration.n, calibration.targets, calibration.authors, calibration.agreement) == (2, 1, 2, 0.5)


@pytest.mark.parametrize(
    ("judge", "person"),
    [
        ({}, {"evaluator": "kind"}),
        ({}, {"target_id": "another"}),
        ({}, {"superseded_at": LATER}),
        ({}, {"evaluator_kind": "external"}),
        ({}, {"passed": None, "explanation": "hm"}),
        ({"evaluator_kind": "code"}, {}),
        ({"status": "error", "passed": None}, {}),
        ({"status": "skipped", "passed": None}, {}),
    ],
    ids=["other name", "other run", "taken back", "a machine", "no score", "no judge", "failed", "skipped"],
)
def test_what_cannot_be_compared_is_no_pair(judge: dict[str, Any], person: dict[str, Any]) -> None:
    assert pairs(make_judge_score(passed=True), make_person_score(passed=True)) == ["ada"]
    assert pairs(make_judge_score(**{"passed": True, **judge}), make_person_score(**{"passed": True, **person})) == []


def test_every_form_of_a_judge_is_compared_by_what_it_said_last() -> None:
    rows = [
        make_judge_score(passed=False, superseded_at=LATER, scored_at=BEGAN - timedelta(hours=1), revision=1),
        make_judge_score(passed=True, superseded_at=LATER, revision=2),
        make_judge_score(passed=False, evaluator_version=2, judge_model="large", scored_at=LATER),
        make_person_score(passed=True),
    ]
    columns = "evaluator_version, judge_model, judge_passed, active, judge_revision"
    assert pairs(*rows, columns=columns) == [(1, "small", True, False, 2), (2, "large", False, True, None)]
    calibrations = read_calibrations(read(store(*rows)))
    assert [
        (calibration.evaluator_version, calibration.agreement, calibration.active) for calibration in calibrations
    ] == [(1, 1.0, 0), (2, 0.0, 1)]


def test_score_that_failed_on_the_newer_revision_leaves_no_older_one_to_compare() -> None:
    rows = [make_judge_score(passed=True, superseded_at=LATER), make_judge_score(status="error", scored_at=LATER)]
    assert pairs(*rows, make_person_score(passed=True)) == []


@pytest.mark.parametrize(
    ("span_id", "is_pair"),
    [("agent", True), ("wrapper", True), ("root", True), ("chat", False), ("beside", False), ("gone", False)],
    ids=[
        "the run's own span",
        "a span above it",
        "one above that",
        "a span within it",
        "a span beside it",
        "a span that is not here",
    ],
)
def test_person_who_named_a_span_within_a_run_judged_no_run(span_id: str, *, is_pair: bool) -> None:
    spans = {"root": "root", "wrapper": "root", "agent": "wrapper", "chat": "agent", "beside": "wrapper"}
    authors = pairs(make_judge_score(passed=True), make_person_score(passed=True, span_id=span_id), spans=spans)
    assert bool(authors) == is_pair


@pytest.mark.parametrize("scope", ["tool_call", "session"])
def test_calls_and_sessions_are_compared_whatever_span_they_name(scope: str) -> None:
    assert pairs(
        make_judge_score(passed=True, scope=scope), make_person_score(passed=True, scope=scope, span_id="other")
    ) == ["ada"]


@pytest.mark.parametrize(
    ("annotation", "passed"),
    [
        ({"passed": False, "value": 1.0, "label": "pass"}, False),
        ({"value": 0.5}, True),
        ({"value": 0.49, "label": "pass"}, False),
        ({"label": " Passed "}, True),
        ({"label": "FAIL"}, False),
        ({"label": "rude"}, None),
    ],
    ids=["told", "threshold reached", "threshold not reached", "word for yes", "word for no", "any word"],
)
def test_person_passes_by_word_or_by_the_judges_threshold(annotation: dict[str, Any], *, passed: bool | None) -> None:
    assert pairs(make_judge_score(passed=True, value=1.0), make_person_score(**annotation), columns="human_passed") == [
        passed
    ]


def test_differences_are_over_the_pairs_with_two_values() -> None:
    rows = [
        row
        for number, (judge, human) in enumerate([(1.0, 0.5), (0.0, 0.25), (1.0, None), (None, 0.5)])
        for row in (
            make_judge_score(f"r{number}", value=judge, label="x"),
            make_person_score(f"r{number}", value=human, label="y"),
        )
    ]
    (calibration,) = read_calibrations(read(store(*rows)))
    assert (calibration.n, calibration.valued, calibration.compared) == (4, 2, 0)
    assert (calibration.mean_absolute_difference, calibration.mean_difference) == (0.375, 0.125)
    assert any(
        "values differ by 0.38 on average in 2 pairs, the judge's 0.12 higher" in remark
        for remark in _list_remarks(calibration)
    )
    assert (calibration.agreement, calibration.cohens_kappa) == (None, None)


@pytest.mark.parametrize(
    ("label", "passed"),
    [(" Polite", True), ("curt", False), ("/rude", False), ("pass", False), ("unheard of", None)],
    ids=["passes", "fails", "never given by the judge", "a word of the rubric's own", "in no rubric"],
)
def test_label_of_a_person_is_worth_what_it_is_in_the_rubric(label: str, *, passed: bool | None) -> None:
    labels = '{"labels": {"polite": 1, "Curt": 0.25, "/rude": 0, "pass": 0.1}}'
    score = make_judge_score(label="polite", value=1.0, passed=True, details=labels)
    assert pairs(score, make_person_score(label=label), columns="human_passed") == [passed]


@pytest.mark.parametrize("details", ['{"labels": ["a", "b"]}', '{"labels": {"polite": "much"}}', "{}"])
def test_label_is_worth_nothing_that_is_known_where_an_evaluator_keeps_something_else_under_that_name(
    details: str,
) -> None:
    score = make_judge_score(value=1.0, passed=True, details=details)
    assert pairs(score, make_person_score(label="polite"), columns="human_passed") == [None]


def test_labels_are_confused_by_label_whatever_their_capitals() -> None:
    labels = [("kind", "Kind"), ("kind", "rude"), ("Rude", "rude "), ("kind", None)]
    rows = [
        row
        for number, (judge, human) in enumerate(labels)
        for row in (
            make_judge_score(f"r{number}", label=judge),
            make_person_score(f"r{number}", label=human, value=1.0),
        )
    ]
    (calibration,) = read_calibrations(read(store(*rows)))
    assert calibration.confusion == {("kind", "kind"): 1, ("kind", "rude"): 1, ("rude", "rude"): 1}
    assert calibration.labelled == 3
    assert calibration.label_agreement == pytest.approx(2 / 3)


def test_pairs_of_which_it_is_unknown_whether_the_person_passed_it_are_told_as_left_out() -> None:
    annotations: list[dict[str, Any]] = [{"passed": True}] * 4 + [{"label": "so-so"}] * 3
    rows = [
        row
        for number, person in enumerate(annotations)
        for row in (
            make_judge_score(f"r{number}", passed=True, label="fine"),
            make_person_score(f"r{number}", **person),
        )
    ]
    (calibration,) = read_calibrations(read(store(*rows)))
    assert [str(cell) for cell in _format_row(calibration)][3:5] == ["4", "3"]


def test_scores_of_people_on_what_the_judge_gives_none_on_are_told_as_left_out() -> None:
    calls = [make_person_score(f"run#{position}", passed=False, scope="tool_call") for position in range(2)]
    cause = "2 scores of people on tool calls left out: the judge gives its scores on runs"
    (calibration,) = read_calibrations(
        read(store(make_judge_score(passed=True), make_person_score(passed=True), *calls))
    )
    assert f"{calibration.evaluator} v1 c: {cause}" in [*_list_remarks(calibration)]
    assert suggest_remedy(read(store(make_judge_score(passed=True), *calls)), [], "polite").startswith(
        f"polite: {cause}. "
    )


def test_only_the_evaluator_that_is_asked_for_is_told() -> None:
    rows = [make_judge_score(passed=True), make_person_score(passed=True)]
    rows += [{**row, "evaluator": "kind"} for row in rows]
    assert [calibration.evaluator for calibration in read_calibrations(read(store(*rows)))] == ["kind", "polite"]
    assert [calibration.evaluator for calibration in read_calibrations(read(store(*rows)), "polite")] == ["polite"]


def test_comparison_of_which_a_part_was_cut_is_not_told() -> None:
    labels = [build(word, label=word) for word in ("a", "b") for build in (make_judge_score, make_person_score)]
    forms = [
        build(passed=True, evaluator=name)
        for name in ("kind", "polite")
        for build in (make_judge_score, make_person_score)
    ]
    for rows in (labels, forms):
        with pytest.raises(Fault, match="more than 1 rows"):
            read_calibrations(read(store(*rows), max_rows=1))
    with pytest.raises(Fault, match="more than 1 rows"):
        suggest_remedy(read(store(*forms), max_rows=1), [])


@pytest.mark.parametrize(
    ("rows", "evaluator", "cause"),
    [
        (
            [],
            None,
            "no judge has scored anything yet. Score some of the same runs yourself: `tracegrade annotate TRACE",
        ),
        ([make_judge_score(passed=True)], None, "nothing that a judge has judged was also judged by a person"),
        (
            [make_judge_score(passed=True), make_person_score(evaluator="kind", passed=True)],
            "polite",
            "Scores of people: kind. ",
        ),
        ([make_judge_score(passed=True)], "polit", "no judge has scored anything as 'polit' (known here: polite)."),
        ([make_judge_score(passed=True)], "polite", "--name polite --good` (or --bad)"),
    ],
    ids=["no judge", "no person", "other names", "unknown name", "how to annotate"],
)
def test_where_nothing_can_be_compared_it_is_told_what_to_do(
    rows: list[Any], evaluator: str | None, cause: str
) -> None:
    assert cause in suggest_remedy(read(store(*rows)), [], evaluator)


def test_where_people_have_judged_and_the_judge_has_not_it_is_told_what_holds_the_judge_up() -> None:
    remedy = suggest_remedy(read(store(make_person_score(passed=True))), ["polite"])
    assert "Scores of people: polite. `tracegrade backlog` shows what judges wait for" in remedy
    assert "annotate" not in remedy
