"""What others say is heard in whatever form they send it, and kept as they said it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import agent_spans, otlp
from tests.support.feedback import EVENT, arrive_records, make_attributes, make_record
from tests.support.store import opened

from tracegrade.collector.feedback.extract import extract_feedback
from tracegrade.collector.otlp.decode import LOG_COLUMNS, SPAN_COLUMNS, decode_logs, decode_spans
from tracegrade.collector.spans.span import Event


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        pytest.param({"value": 1}, (1.0, None, None, "scored", None), id="a score alone has not passed"),
        pytest.param({"label": "relevant"}, (None, "relevant", None, "scored", None), id="a label alone"),
        pytest.param({"label": "Failed"}, (None, "Failed", False, "scored", None), id="a label that says failed"),
        pytest.param({"explanation": "well"}, (None, None, None, "scored", None), id="words alone"),
        pytest.param(
            {"value": 4.5},
            (None, None, None, "skipped", "its score 4.5 is not a number from 0 to 1"),
            id="another scale",
        ),
        pytest.param(
            {"value": -1, "label": "fail"},
            (None, "fail", False, "scored", "its score -1 is not a number from 0 to 1"),
            id="another scale with a label",
        ),
        pytest.param(
            {"value": float("nan")},
            (None, None, None, "skipped", "its score NaN is not a number from 0 to 1"),
            id="NaN",
        ),
        pytest.param(
            {"value": True}, (None, None, None, "skipped", "its score True is not a number from 0 to 1"), id="no number"
        ),
        pytest.param(
            {"value": "0.7"},
            (None, None, None, "skipped", "its score '0.7' is not a number from 0 to 1"),
            id="number in a text",
        ),
        pytest.param({"error": "timeout"}, (None, None, None, "error", "timeout"), id="an evaluation that failed"),
        pytest.param(
            {}, (None, None, None, "skipped", "it came without a score, a label and an explanation"), id="nothing"
        ),
    ],
)
def test_what_was_said_is_kept_as_it_was_said(
    tmp_path: Path, sent: Mapping[str, Any], kept: tuple[float | None, str | None, bool | None, str, str | None]
) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        arrive_records(store, make_record(**sent))
        store.revise(1)
        assert store.active_scores("value, label, passed, status, reason") == [kept]


def test_score_of_another_scale_stays_in_the_details(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        arrive_records(store, make_record(value=4.5))
        store.revise(1)
        assert store.active_scores("(details ->> 'score')::double") == [(4.5,)]


def test_record_without_a_name_or_of_another_event_is_no_score(tmp_path: Path) -> None:
    nameless = make_record(value=1.0)
    del nameless.attributes[:1]
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        arrive_records(
            store,
            nameless,
            make_record(name="", value=1.0, at_s=21),
            otlp.log(1, attributes=make_attributes(value=1.0)),
        )
        store.revise(1)
        assert store.one("select count(*) from feedback") == 0


@pytest.mark.parametrize(
    ("resource", "scope", "author"),
    [({"service.name": "grader"}, "graders", "grader"), ({}, "graders", "graders"), ({}, "", "unknown")],
    ids=["service", "scope", "neither"],
)
def test_author_is_the_service_else_the_scope(
    tmp_path: Path, resource: Mapping[str, Any], scope: str, author: str
) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        arrive_records(store, make_record(value=1.0), resource=resource, scope=scope)
        store.revise(1)
        assert store.active_scores("author") == [(author,)]


def test_annotations_and_evaluations_in_attributes_are_scores(tmp_path: Path) -> None:
    span_attributes = {
        "annotations.0.annotation.name": "polite",
        "annotations.0.annotation.score": 1,
        "annotations.0.annotation.annotator_kind": "HUMAN",
        "annotations.0.annotation.identifier": "ada",
        "annotations.0.annotation.metadata": '{"rubric": "2"}',
        "annotations.1.annotation.name": "brief",
        "annotations.1.annotation.label": "long",
        "evaluations.0.evaluation.name": "faithful",
        "evaluations.0.evaluation.score": 0.25,
        "evaluations.0.evaluation.annotator_kind": "LLM",
        "trace.evaluations.0.evaluation.name": "useful",
        "trace.evaluations.0.evaluation.score": 0.5,
        "annotations.2.annotation.score": 1.0,
    }
    answer = agent_spans.chat(5, parent=1, at_s=7, attributes=span_attributes)
    with opened(tmp_path, annotators=["tests"]) as store:
        store.arrive([*agent_spans.trip(), answer])
        store.revise(1)
        assert store.active_scores("evaluator, evaluator_kind, author, value, label, span_id") == [
            ("brief", "external", "tests", None, "long", otlp.span_id(5)),
            ("faithful", "external", "tests", 0.25, None, otlp.span_id(5)),
            ("polite", "human", "ada", 1.0, None, otlp.span_id(5)),
            ("useful", "external", "tests", 0.5, None, otlp.span_id(1)),
        ]
        assert store.rows("select details -> 'metadata' from annotations") == [('{"rubric":"2"}',)]
        assert store.rows("select distinct evaluator_type from scores") == [("span_attributes",)]


def test_same_score_in_both_forms_is_one(tmp_path: Path) -> None:
    forms = ("annotations.0.annotation", "evaluations.3.evaluation")
    answer = agent_spans.chat(5, parent=1, at_s=7, attributes={f"{form}.name": "polite" for form in forms})
    with opened(tmp_path) as store:
        store.arrive([*agent_spans.trip(), answer])
        store.revise(1)
        assert store.one("select count(*) from scores") == 1


def test_metadata_that_is_nested_too_deep_stays_a_text(tmp_path: Path) -> None:
    deep = "[" * 500 + "]" * 500
    span_attributes = {"annotations.0.annotation.name": "polite", "annotations.0.annotation.metadata": deep}
    with opened(tmp_path) as store:
        store.arrive([*agent_spans.trip(), agent_spans.chat(5, parent=1, at_s=7, attributes=span_attributes)])
        store.revise(1)
        assert store.active_scores("details ->> 'metadata'") == [(deep,)]


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
_FORMS = ("annotations.0.annotation", "evaluations.1.evaluation", "trace.annotations.0.annotation")
_FIELDS = ("name", "score", "label", "explanation", "annotator_kind", "identifier", "metadata")


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(st.sampled_from([f"{form}.{field}" for form in _FORMS for field in _FIELDS]), _ANYTHING),
    st.dictionaries(
        st.sampled_from(list(make_attributes(value=1, label="", explanation="", error="", response_id=""))), _ANYTHING
    ),
)
def test_nothing_that_a_sender_writes_costs_its_trace(attributes: dict[str, Any], sent: dict[str, Any]) -> None:
    span = agent_spans.span(5, attributes=attributes, events=(Event(EVENT, 0, sent),))
    record = otlp.log(5, attributes=sent, event_name=EVENT)
    spans = decode_spans(agent_spans.export_request([span])).rows
    logs = decode_logs(otlp.logs_request([record])).rows
    heard = extract_feedback(
        [dict(zip(SPAN_COLUMNS, row, strict=True)) for row in spans],
        [dict(zip(LOG_COLUMNS, row, strict=True)) for row in logs],
    )
    for feedback in heard:
        assert orjson.loads(feedback.row()["details"])["service_name"] == "tests"
        assert feedback.evaluator
