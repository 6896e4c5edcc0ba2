"""Which scores stay active when a run changes and its evaluators do not evaluate the new revision, on a real store."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans, otlp
from tests.support.command import inside
from tests.support.evaluators import make_evaluator
from tests.support.store import Clock, Store, opened

from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.config.evaluator_set import build_evaluators
from tracegrade.collector.config.settings import evaluators_of, load
from tracegrade.collector.references.rules import References
from tracegrade.collector.reports.audit import Finding, audit
from tracegrade.collector.store.results.annotations import Annotations
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.execution.run import InProcessWorkbench
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.ports import Deferred, Evaluated
from tracegrade.queries.ports import Annotation

RUN = otlp.run_id(1)
ONE_CALL = "tool_call_count = 1"


PICKY = make_evaluator("picky", when=ONE_CALL)


def begin(store: Store, *evaluators: Configured) -> None:
    """A run of one tool call, evaluated."""
    store.ledger.enrol(evaluators)
    store.add_runs(1)
    evaluate_all(store, *evaluators)


def grow(store: Store, *evaluators: Configured) -> None:
    """A second tool call comes late, and the new revision is looked at."""
    store.arrive([agent_spans.tool(9, parent=1, at_s=7, args={}, result="late")])
    store.revise(1)
    evaluate_all(store, *evaluators)


def evaluate_all(store: Store, *evaluators: Configured, by: InProcessWorkbench | None = None) -> None:
    """Evaluates until nothing is due."""
    while store.evaluate(*evaluators, workbench=by).is_full:
        pass


def scores(store: Store, evaluator: str = "picky") -> list[tuple[Any, ...]]:
    """Of each score its revision, whether it is active, and why not."""
    return store.rows(
        f"select revision, superseded_at is null, superseded_reason from scores where evaluator = '{evaluator}' "
        "order by all"
    )


def findings(store: Store, *evaluators: Configured) -> list[Finding]:
    return list(audit(LocalSource(store.database, max_rows=1_000, timeout_s=30).read, evaluators).findings)


def by_calls(trace: AgentTrace) -> float:
    return 0.5 if len(trace.tool_calls) == 1 else 1.0


@pytest.mark.parametrize(
    "picky",
    [
        pytest.param(PICKY, id="runs"),
        pytest.param(
            make_evaluator("picky", lambda run: [1.0 for _ in run.tool_calls], scope="tool_call", when=ONE_CALL),
            id="calls",
        ),
    ],
)
def test_score_is_superseded_when_the_next_revision_is_not_selected(tmp_path: Path, picky: Configured) -> None:
    with opened(tmp_path, now=Clock()) as store:
        begin(store, picky, make_evaluator("all"))
        grow(store, picky, make_evaluator("all"))
        assert scores(store) == [(1, False, "not_selected")]
        assert scores(store, "all") == [(1, False, "replaced"), (2, True, None)]
        assert store.rows("select evaluator from latest_scores") == [("all",)]
        assert findings(store, picky, make_evaluator("all")) == []


def test_score_is_superseded_when_the_rest_is_no_longer_sampled(tmp_path: Path) -> None:
    rest = make_evaluator("picky", when="tool_call_count > 1", sample=0.0, else_sample=1.0)
    with opened(tmp_path, now=Clock()) as store:
        begin(store, rest)
        assert scores(store) == [(1, True, None)]
        grow(store, rest)
        assert scores(store) == [(1, False, "not_selected")]


def test_score_is_superseded_when_the_cascade_does_not_reach_the_next_revision(tmp_path: Path) -> None:
    cascade = (make_evaluator("first", by_calls), make_evaluator("picky", after=("first",), when="scores['first'] < 1"))
    with opened(tmp_path, now=Clock(), evaluators=cascade) as store:
        begin(store, *cascade)
        assert scores(store) == [(1, True, None)]
        grow(store, *cascade)
        assert scores(store) == [(1, False, "not_selected")]
        assert findings(store, *cascade) == []


def test_scores_of_the_defaults_are_superseded_when_a_rule_of_the_references_stops_matching(tmp_path: Path) -> None:
    rules = tmp_path / "references.yaml"
    rules.write_text(f"rules: [{{name: one, when: {{where: '{ONE_CALL}'}}, expected_tool_calls: [search]}}]")
    defaults = build_evaluators(None)
    with opened(tmp_path, now=Clock(), references=References.read(rules)) as store:
        begin(store, *defaults)
        wanting = [one.name for one in defaults if one.only_with_reference and scores(store, one.name)]
        assert wanting
        grow(store, *defaults)
        assert all(scores(store, name) == [(1, False, "no_reference")] for name in wanting)
        assert store.one("select count(*) from latest_scores where revision = 1") == 0
        assert findings(store, *defaults) == []


def test_deferral_supersedes_nothing_until_the_revision_is_looked_at(tmp_path: Path) -> None:
    unsure = make_evaluator("picky", when="case when tool_call_count = 1 then true else agent_name::integer = 1 end")
    with opened(tmp_path, now=Clock()) as store:
        begin(store, unsure)
        grow(store, unsure)
        assert store.one("select count(*) from deferrals") == 1
        assert scores(store) == [(1, True, None)]
        assert findings(store, unsure) == []


def test_judge_that_defers_a_revision_supersedes_nothing(tmp_path: Path) -> None:
    clock = Clock()

    class Spent(InProcessWorkbench):
        def ask(self, *_: Any) -> Evaluated:
            until = clock.now + timedelta(hours=1)
            return Evaluated((), [Deferred("picky", RUN, until, "its budget is spent", "budget")])

    costly = make_evaluator("picky", kind="llm", asks="default", only_with_reference=True)
    with opened(tmp_path, now=clock) as store:
        begin(store, replace(costly, kind="code", asks=None, only_with_reference=False))
        store.rows("update scores set evaluator_kind = 'llm'")
        store.arrive([agent_spans.tool(9, parent=1, at_s=7, args={}, result="late")])
        store.revise(1)
        clock.pass_by(minutes=1)
        evaluate_all(store, costly, by=Spent(clock))
        assert store.one("select reason from deferrals") == "its budget is spent"
        assert scores(store) == [(1, True, None)]


def test_changed_selection_supersedes_nothing_though_the_run_is_asked_for_again(tmp_path: Path) -> None:
    nobody = replace(PICKY, when="false")
    with opened(tmp_path, now=Clock()) as store:
        begin(store, PICKY)
        store.ledger.enrol([nobody])
        began = store.one("select started_at from agent_traces")
        assert store.ledger.backfill(nobody, since=began, again=True) == 1
        evaluate_all(store, nobody)
        assert store.rows("from deferrals") == []
        assert scores(store) == [(1, True, None)]


def test_revision_that_nobody_has_looked_at_yet_supersedes_nothing(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        begin(store, PICKY)
        grow(store)
        assert scores(store) == [(1, True, None)]
        assert findings(store, PICKY) == []


def test_scores_from_elsewhere_stay_whatever_is_selected(tmp_path: Path) -> None:
    said = {"target": {"agent_trace_id": RUN}, "name": "picky", "author": "ada", "value": 1.0}
    with opened(tmp_path, now=Clock()) as store:
        begin(store, PICKY)
        Annotations(store.results, now=store.now).write([Annotation.model_validate(said)])
        grow(store, PICKY)
        assert store.rows("select author from latest_scores") == [("ada",)]


def test_scores_of_a_run_that_turns_out_to_be_none_say_so(tmp_path: Path) -> None:
    model = agent_spans.chat(2, parent=1, at_s=1, hears=[agent_spans.text_message("user", "hello")])
    with opened(tmp_path, now=Clock()) as store:
        store.ledger.enrol([make_evaluator("all")])
        store.arrive([model])
        store.revise(1)
        evaluate_all(store, make_evaluator("all"))
        store.arrive([agent_spans.agent(1)])
        store.revise(1)
        evaluate_all(store, make_evaluator("all"))
        assert (1, False, "target_gone") in scores(store, "all")
        assert sum(is_active for _, is_active, _ in scores(store, "all")) == 1


def test_audit_names_a_score_of_an_earlier_revision_and_backfill_mends_it(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        begin(store, PICKY)
        grow(store, PICKY)
        store.rows("update scores set superseded_at = null, superseded_reason = null")
        assert findings(store, PICKY) == [
            Finding(evaluator="picky", fault="stale", targets=1, target_ids=(RUN,)),
            Finding(evaluator=None, fault="outdated_outcomes", targets=1, target_ids=(RUN,)),
        ]
        store.ledger.backfill(PICKY, since=store.one("select started_at from agent_traces"))
        evaluate_all(store, PICKY)
        assert scores(store) == [(1, False, "not_selected")]
        assert findings(store, PICKY) == []


def test_score_that_is_given_once_more_is_active_without_a_reason(tmp_path: Path) -> None:
    other = replace(make_evaluator("all"), config_hash="other")
    with opened(tmp_path, now=Clock()) as store:
        begin(store, make_evaluator("all"))
        began = store.one("select started_at from agent_traces")
        for form in (other, make_evaluator("all")):
            store.ledger.enrol([form])
            store.ledger.backfill(form, since=began, again=True)
            evaluate_all(store, form)
        assert sorted(store.rows("select config_hash, superseded_reason from scores")) == [
            ("all", None),
            ("other", "replaced"),
        ]


def test_show_and_explain_tell_of_the_score_that_does_not_count_any_more(tmp_path: Path) -> None:
    config = tmp_path / "tracegrade.yaml"
    config.write_text(f"evaluators: [{{use: tool_error, when: '{ONE_CALL}'}}]")
    [errors] = evaluators_of(load(config))
    with opened(tmp_path, now=Clock()) as store:
        begin(store, errors)
        grow(store, errors)
        path = store.database.path
    explained = inside("explain", RUN, "--store", path, "--config", config, at=tmp_path).text
    assert "superseded is 1.00 on revision 1" in " ".join(explained.split())
    shown = inside("show", RUN, "--store", path, "--config", config, at=tmp_path).text
    assert "superseded scores of earlier revisions" in shown
