"""Over OTLP nobody speaks as a person unless their service may, and nobody under the name of an evaluator of ours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans, otlp
from tests.support.command import inside
from tests.support.feedback import RUN, arrive_records, arrive_under_scope, make_evaluator_span, make_record
from tests.support.score_rows import insert_scores, make_judge_score, make_person_score
from tests.support.store import Store, opened

from tracegrade.collector.cli.tail import format_run
from tracegrade.collector.config.evaluator_config import DEFAULTS
from tracegrade.collector.config.settings import Settings, evaluators_of
from tracegrade.collector.store.results.annotations import Annotations
from tracegrade.queries.catalog import objects, report
from tracegrade.queries.ports import Annotation

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"^```sql\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
WHO = "evaluator, evaluator_kind, author"
PASS_RATES = ["README", "scores_by_evaluator"]


def annotation(name: str = "polite", **fields: Any) -> dict[str, Any]:
    """The attributes by which a span says that a person has given it a full score."""
    usual = {"name": name, "score": 1.0, "label": "pass", "annotator_kind": "HUMAN", "identifier": "ada"}
    return {f"annotations.0.annotation.{key}": value for key, value in {**usual, **fields}.items()}


def annotated(attributes: Mapping[str, Any]) -> list[Any]:
    """A run with a model call that carries them; its service is `tests`."""
    return [*agent_spans.trip(), agent_spans.chat(5, parent=1, at_s=7, attributes=attributes)]


def of_ours(**fields: Any) -> dict[str, Any]:
    """The score of the evaluator `run_completion` on the first trip."""
    ours = {
        "evaluator": "run_completion",
        "evaluator_type": "run_completion",
        "evaluator_kind": "code",
        "span_id": otlp.span_id(1),
        "agent_trace_id": RUN,
    }
    return make_judge_score(RUN, **{**ours, "value": 0.0, "passed": False, "judge_model": None, **fields})


def enrol(store: Store) -> None:
    store.ledger.enrol(evaluators_of(Settings()))
    store.results.believe()


def test_sender_that_nobody_trusts_is_no_person_and_stands_as_the_author(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive(annotated(annotation()))
        store.revise(1)
        assert store.active_scores(WHO) == [("polite", "external", "tests")]
        assert store.rows("from annotations") == []
        assert store.one("select details ->> 'identifier' from scores") == "ada"


def test_service_that_is_trusted_brings_what_people_say(tmp_path: Path) -> None:
    with opened(tmp_path, annotators=["labels", "tests"]) as store:
        store.arrive(annotated(annotation()))
        store.revise(1)
        assert store.active_scores(WHO) == [("polite", "human", "ada")]


def test_trust_is_in_a_setting(tmp_path: Path) -> None:
    (tmp_path / "run.pb").write_bytes(agent_spans.export_request(annotated(annotation())))
    asked = ("sql", "--store", "s.duckdb", "--format", "csv", f"select {WHO} from scores where evaluator = 'polite'")
    inside("import", "--store", "s.duckdb", "run.pb", at=tmp_path, TRACEGRADE_TRUST__ANNOTATORS="labels, tests")
    assert inside(*asked, at=tmp_path).text.splitlines()[1:] == ["polite,human,ada"]
    inside("import", "--store", "s.duckdb", "run.pb", at=tmp_path)
    assert inside(*asked, at=tmp_path).text.splitlines()[1:] == ["polite,external,tests"]


def test_trust_that_changes_counts_for_what_is_kept_too(tmp_path: Path) -> None:
    with opened(tmp_path, annotators=["tests"]) as store:
        store.arrive(annotated(annotation()))
        store.revise(1)
        store.results.believe([])
        assert store.active_scores(WHO) == [("polite", "external", "tests")]
        store.results.believe(["tests"])
        assert store.active_scores(WHO) == [("polite", "human", "ada")]


def test_stranger_who_repeats_what_a_trusted_service_will_say_does_not_come_before_it(tmp_path: Path) -> None:
    said = annotated(annotation())
    with opened(tmp_path, annotators=["grader"]) as store:
        store.arrive(said)
        store.revise(1)
        arrive_under_scope(store, [make_evaluator_span(6, trace=2, target=(1, 5), attributes=annotation(), at_s=7)])
        store.revise(2)
        assert store.active_scores(WHO) == [("polite", "external", "tests"), ("polite", "human", "ada")]


@pytest.mark.parametrize("name", DEFAULTS)
def test_name_of_an_evaluator_of_ours_gets_a_prefix(tmp_path: Path, name: str) -> None:
    with opened(tmp_path) as store:
        enrol(store)
        store.arrive(agent_spans.trip())
        arrive_records(store, make_record(name=name, value=1.0), make_record(name="polite", value=1.0))
        store.revise(1)
        assert store.active_scores(WHO) == [
            (f"external/{name}", "external", "grader"),
            ("polite", "external", "grader"),
        ]


def test_name_that_an_evaluator_takes_later_is_left_to_it(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        arrive_records(store, make_record(name="run_completion", value=1.0))
        store.revise(1)
        enrol(store)
        assert store.active_scores("evaluator") == [("external/run_completion",)]


def test_machine_that_annotates_by_the_api_gets_the_prefix_too_and_a_person_does_not(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        enrol(store)
        store.arrive(agent_spans.trip())
        store.revise(1)
        said = {"target": {"trace_id": otlp.trace_id(1)}, "name": "run_completion", "passed": True}
        given = [Annotation.model_validate({**said, "kind": kind}) for kind in ("human", "external")]
        Annotations(store.results).write(given)
        assert store.active_scores("evaluator, evaluator_kind") == [
            ("external/run_completion", "external"),
            ("run_completion", "human"),
        ]


def test_prefix_is_no_beginning_of_an_evaluators_name(tmp_path: Path) -> None:
    (tmp_path / "tracegrade.yaml").write_text("evaluators: [{use: tool_error, name: external/tool_error}]\n")
    done = inside("check", at=tmp_path)
    assert done.code == 2
    assert "external/" in done.err + done.text


@pytest.mark.parametrize("sql", [QUERIES[0], report("scores_by_evaluator")], ids=PASS_RATES)
def test_pass_rate_is_that_of_our_own_scores(tmp_path: Path, sql: str) -> None:
    with opened(tmp_path) as store, store.results.transaction() as connection:
        others = [
            make_person_score(RUN, evaluator="run_completion", value=1.0, passed=True, author=f"p{n}") for n in range(9)
        ]
        strangers = [{**one, "evaluator_kind": "external"} for one in others]
        insert_scores(connection, of_ours(), *others, *strangers)
        found = connection.execute(sql)
        names = [column[0] for column in found.description]
        rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    assert {row["kind"]: row["pass_rate"] for row in rows} == {"code": 0.0, "human": 1.0, "external": 1.0}


@pytest.mark.parametrize("sql", [QUERIES[1], report("failing_runs")], ids=["README", "failing_runs"])
def test_run_has_failed_where_we_say_so(tmp_path: Path, sql: str) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        arrive_records(store, make_record(name="tool_error", value=0.0, label="fail"))
        store.revise(1)
        assert store.rows(sql) == []
        with store.results.transaction() as connection:
            insert_scores(connection, of_ours())
        assert [row[1] for row in store.rows(sql)] == ["run_completion"]


def test_service_that_is_called_as_we_are_is_not_compared_as_ours(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        arrive_records(store, make_record(name="run_completion", value=1.0), resource={"service.name": "tracegrade"})
        store.revise(1)
        compared = report("scores_to_compare")
        assert store.rows(compared, evaluator="run_completion", target_ids=[RUN]) == []


def test_tail_says_whose_a_score_is_that_is_not_ours(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        arrive_records(store, make_record(name="completion", value=1.0))
        store.revise(1)
        with store.results.transaction() as connection:
            insert_scores(connection, of_ours(revision=1))
        with store.database.cursor() as connection:
            found = connection.execute(report("recent_runs"), {"after_seq": 0, "limit": 10})
            (run,) = [dict(zip([each[0] for each in found.description], row, strict=True)) for row in found.fetchall()]
    assert [each["evaluator"] for each in run["scores"]] == ["run_completion", "completion (grader)"]
    assert "✗ completion 0.00" in format_run(run).plain


def test_every_report_that_counts_tells_kinds_apart() -> None:
    counting = [each for each in objects("report") if re.search(r"from (latest_)?scores\b", each.text)]
    careless = {each.name for each in counting if "evaluator_kind" not in each.text}
    # These count or list rows, whosever they are.
    assert careless == {
        "backfill_plan",
        "exported_days",
        "exported_scores",
        "scores_in_run",
        "scores_in_session",
        "scores_of_experiment",
        "store_contents",
        "superseded_of",
    }
