"""The row of an outermost run says how it ended, by what its errors, calls and active scores say at any moment."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from tests.support import agent_spans, otlp
from tests.support.evaluators import make_evaluator
from tests.support.experiments import make_start
from tests.support.feedback import arrive_records, make_record
from tests.support.hours import count_again, find_wrong_hours
from tests.support.outcomes import find_outdated_outcomes
from tests.support.simulation import Simulation
from tests.support.store import Clock, Store, opened

from tracegrade.collector.otlp.decode import decode_spans
from tracegrade.collector.spans.span import Span
from tracegrade.collector.store.experiments.experiments import Experiments
from tracegrade.collector.store.results.annotations import Annotations
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.model import AgentTrace, Score
from tracegrade.queries.ports import Annotation

RUN = otlp.run_id(1)
BROKEN = "HotelError: no room for order 4711"


def score_by_answer(run: AgentTrace) -> Score:
    good = (run.final_response or "").startswith("Take")
    return Score(value=float(good), explanation="an answer" if good else "no answer in 3 s")


ANSWERS = make_evaluator("answers", score_by_answer)
PASSES = make_evaluator("passes")
FAILS = make_evaluator("fails", lambda _: Score(value=0.25, explanation="too rude"))
BY_CALL = make_evaluator("by_call", lambda run: [0.5 for _ in run.tool_calls], scope="tool_call")


def outcome(store: Store, columns: str = "outcome, failing, score_count, failing_score_count") -> tuple[Any, ...]:
    assert find_outdated_outcomes(store) == []
    (row,) = store.rows(f"select {columns} from agent_traces where agent_trace_id = $run", run=RUN)
    return row


def fault(store: Store) -> tuple[Any, ...]:
    return outcome(store, "fault, fault_tool, fault_evaluator, first_fault")


def failed_call(number: int = 9, **fields: Any) -> Span:
    return agent_spans.tool(
        number, "book", **{"parent": 1, "at_s": 4, **fields}, status_code="error", status_message=BROKEN
    )


def failed_trip(**fields: Any) -> list[Span]:
    """A run whose agent span ends with an error."""
    first, *others = agent_spans.trip()
    return [Span(**{**vars(first), "status_code": "error", "status_message": "out of time", **fields}), *others]


def evaluate(store: Store, *evaluators: Configured) -> None:
    store.ledger.enrol(evaluators)
    for evaluator in evaluators:
        store.ledger.backfill(evaluator, since=Clock().now.replace(year=2000), again=True)
    store.evaluate(*evaluators)


def annotate(store: Store, *, author: str = "ada", target: str = RUN, **fields: Any) -> Sequence[str]:
    annotation = {"target": {"agent_trace_id": target}, "name": "polite", "author": author, **fields}
    return Annotations(store.results, now=store.now).write([Annotation.model_validate(annotation)])


def arrive(store: Store, *spans: Span) -> None:
    store.arrive(spans)
    store.revise(1)


def test_new_run_is_not_scored_and_not_failing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs()
        assert outcome(store) == ("not_scored", False, 0, 0)
        assert outcome(store, "tools, failed_calls, first_fault, worst_value") == (["search"], None, None, None)


def test_run_that_ended_in_an_error_is_failing_without_scores(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        arrive(store, *failed_trip())
        assert outcome(store) == ("error", True, 0, 0)
        assert fault(store) == ("error", None, None, "out of time")


def test_failing_score_makes_the_run_failing_and_is_its_first_fault(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs()
        evaluate(store, PASSES, FAILS)
        assert outcome(store) == ("failing", True, 2, 1)
        assert fault(store) == ("score", None, "fails", "too rude")
        assert outcome(store, "worst_evaluator, worst_value, worst_explanation") == ("fails", 0.25, "too rude")


def test_run_whose_scores_pass_has_passed(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs()
        evaluate(store, PASSES)
        assert outcome(store) == ("passed", False, 1, 0)
        assert fault(store) == (None, None, None, None)


def test_failed_call_alone_is_no_failure_and_is_the_first_fault_once_a_score_fails(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        arrive(store, *agent_spans.trip(), failed_call())
        assert outcome(store, "outcome, failed_tools, first_fault") == ("not_scored", '["book"]', None)
        evaluate(store, FAILS)
        assert fault(store) == ("call", "book", None, BROKEN)
        place = outcome(store, "fault_agent_trace_id, fault_position, fault_class, fault_pattern")
        assert place == (RUN, 1, "HotelError", "HotelError: no room for order <n>")


def test_failed_call_of_text_is_the_first_fault_in_its_own_words(tmp_path: Path) -> None:
    said = json.dumps({"error": {"code": "sold_out", "message": "no room\nfor order 4711"}})
    with opened(tmp_path) as store:
        arrive(store, *agent_spans.trip(), agent_spans.tool(9, "book", parent=1, at_s=4, result=said))
        evaluate(store, configure("tool_error"))
        assert fault(store) == ("call", "book", None, "no room for order 4711")
        assert outcome(store, "fault_pattern") == ("no room for order <n>",)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("<R><Status>Failure</Status><Error><ErrorDescription>no room</ErrorDescription></Error></R>", "no room"),
        ('<R><issue><severity value="error"/><text value="no room"/></issue></R>', "no room"),
        ("<xml><msg>OK</msg><code>1</code><err_code_des><![CDATA[no room]]></err_code_des></xml>", "no room"),
        ("<Error><Code>NoRoom</Code><Message>no room</Message></Error>", "no room"),
        (json.dumps({"errorCode": "E6", "errorSummary": "no room"}), "no room"),
    ],
    ids=["of the error", "FHIR", "CDATA", "S3", "summary"],
)
def test_first_fault_has_the_words_of_an_answer(tmp_path: Path, said: str, words: str) -> None:
    with opened(tmp_path) as store:
        arrive(store, *agent_spans.trip(), agent_spans.tool(9, "book", parent=1, at_s=4, result=said))
        evaluate(store, configure("tool_error"))
        assert fault(store) == ("call", "book", None, words)


def test_call_that_a_later_one_made_good_is_not_the_first_fault(tmp_path: Path) -> None:
    repeated = agent_spans.tool(10, "book", parent=1, at_s=4.5, result="booked")
    with opened(tmp_path) as store:
        arrive(store, *agent_spans.trip(), failed_call(), repeated)
        evaluate(store, configure("tool_error"), FAILS)
        assert fault(store)[:3] == ("score", None, "fails")
        assert outcome(store, "failed_tools") == ('["book"]',)


def test_score_on_a_call_counts_for_its_run(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs()
        evaluate(store, BY_CALL)
        assert outcome(store) == ("failing", True, 1, 1)


def test_external_score_never_makes_a_run_failing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        arrive_records(store, make_record(1, value=0.0, label="fail"))
        store.add_runs()
        assert store.one("select count(*) from latest_scores where evaluator_kind = 'external'") == 1
        assert outcome(store) == ("not_scored", False, 0, 0)


def test_annotation_counts_until_its_author_says_otherwise(tmp_path: Path) -> None:
    with opened(tmp_path, now=(clock := Clock())) as store:
        store.add_runs()
        annotate(store, passed=False, explanation="wrong city")
        assert outcome(store) == ("failing", True, 1, 1)
        assert fault(store) == ("score", None, "polite", "wrong city")
        clock.pass_by(seconds=1)
        annotate(store, passed=True)
        assert outcome(store) == ("passed", False, 1, 0)


def test_removed_annotation_does_not_make_its_run_or_session_failing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(session="s1")
        evaluate(store, PASSES)
        (score_id,) = annotate(store, passed=False, explanation="wrong city")
        assert (outcome(store)[0], store.one("select failing_turns from sessions")) == ("failing", 1)
        Annotations(store.results).remove(score_id)
        assert outcome(store) == ("passed", False, 1, 0)
        assert store.rows("select failing_turns, first_fault from sessions") == [(0, None)]


def test_person_who_passes_a_run_does_not_outweigh_an_evaluator_that_fails_it(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs()
        evaluate(store, FAILS)
        (score_id,) = annotate(store, passed=True)
        assert outcome(store) == ("failing", True, 2, 1)
        Annotations(store.results).remove(score_id)
        assert outcome(store) == ("failing", True, 1, 1)


def test_removed_annotation_on_a_call_of_a_sub_agent_does_not_count_for_the_outermost_run(tmp_path: Path) -> None:
    inner = agent_spans.agent(11, name="hotels", parent=3, at_s=3, for_s=1)
    with opened(tmp_path) as store:
        arrive(store, *agent_spans.trip(), inner, agent_spans.tool(12, "book", parent=11, at_s=3.2, for_s=0.1))
        target = {"agent_trace_id": otlp.run_id(1, 11), "position": 0}
        fields = {"target": target, "name": "right_tool", "passed": False}
        (score_id,) = Annotations(store.results).write([Annotation.model_validate(fields)])
        assert outcome(store) == ("failing", True, 1, 1)
        Annotations(store.results).remove(score_id)
        assert outcome(store) == ("not_scored", False, 0, 0)


def test_what_sub_agents_do_and_their_scores_count_for_the_outermost_run(tmp_path: Path) -> None:
    inner = agent_spans.agent(11, name="hotels", parent=3, at_s=3, for_s=1)
    of_hotels = make_evaluator("of_hotels", lambda run: 0.0 if run.agent_name == "hotels" else 1.0)
    with opened(tmp_path) as store:
        arrive(store, *agent_spans.trip(), inner, failed_call(12, parent=11, at_s=3.2, for_s=0.1))
        evaluate(store, of_hotels)
        assert outcome(store) == ("failing", True, 2, 1)
        assert outcome(store, "fault_tool, fault_agent_trace_id") == ("book", otlp.run_id(1, 11))
        assert store.rows("select outcome, root_agent_trace_id from agent_traces where agent_name = 'hotels'") == [
            (None, RUN)
        ]


def test_outcome_follows_a_score_that_late_spans_supersede(tmp_path: Path) -> None:
    *early, answer = agent_spans.trip()
    with opened(tmp_path) as store:
        store.ledger.enrol([ANSWERS])
        arrive(store, *early)
        store.evaluate(ANSWERS)
        assert fault(store) == ("score", None, "answers", "no answer in 3 s")
        arrive(store, answer)
        assert outcome(store)[0] == "failing"
        store.evaluate(ANSWERS)
        assert outcome(store) == ("passed", False, 1, 0)


def test_run_that_turns_out_to_be_a_sub_agent_loses_its_outcome_to_the_run_around_it(tmp_path: Path) -> None:
    inner = agent_spans.trip(first=11, name="clerk", parent=1)
    with opened(tmp_path) as store:
        store.ledger.enrol([FAILS])
        arrive(store, *inner)
        store.evaluate(FAILS)
        arrive(store, *agent_spans.trip())
        assert outcome(store) == ("failing", True, 1, 1)
        assert store.one("select outcome from agent_traces where agent_name = 'clerk'") is None


def test_run_whose_agent_span_comes_late_was_unfinished_until_then(tmp_path: Path) -> None:
    root, *others = agent_spans.trip()
    with opened(tmp_path) as store:
        store.arrive(others)
        store.revise(1)
        assert store.rows("select distinct outcome, failing from runs") == [("unfinished", False)]
        evaluate(store, PASSES)
        assert store.rows("select distinct outcome from runs") == [("unfinished",)]
        arrive(store, root)
        evaluate(store, PASSES)
        assert outcome(store)[0] == "passed"


def test_run_whose_agent_span_has_no_end_is_unfinished_unless_it_failed(tmp_path: Path) -> None:
    root, *others = agent_spans.trip()
    with opened(tmp_path) as store:
        arrive(store, Span(**{**vars(root), "end_ns": 0}), *others)
        assert outcome(store)[0] == "unfinished"
        evaluate(store, FAILS)
        assert outcome(store)[:2] == ("failing", True)


def test_run_below_a_server_that_exports_nothing_is_finished(tmp_path: Path) -> None:
    root, *others = agent_spans.trip()
    with opened(tmp_path) as store:
        arrive(store, Span(**{**vars(root), "parent_span_id": otlp.span_id(99)}), *others)
        evaluate(store, PASSES)
        assert outcome(store)[0] == "passed"


def test_run_that_stopped_for_a_person_waits_whatever_passed(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs()
        with store.results.transaction() as connection:
            connection.execute("update agent_traces set interrupt = 'delete_backups'")
        evaluate(store, PASSES)
        assert outcome(store) == ("waiting", False, 1, 0)
        evaluate(store, FAILS)
        assert outcome(store)[0] == "failing"


def test_run_does_not_wait_once_its_session_goes_on(tmp_path: Path) -> None:
    minute = 60 * 10**9
    later = [
        Span(**{**vars(span), "start_ns": span.start_ns + minute, "end_ns": span.end_ns + minute})
        for span in agent_spans.trip(2, session="s")
    ]
    with opened(tmp_path) as store:
        store.add_runs(1, session="s")
        with store.results.transaction() as connection:
            connection.execute("update agent_traces set interrupt = 'delete_backups'")
        evaluate(store, PASSES)
        assert outcome(store)[0] == "waiting"
        store.arrive(later)
        store.revise(2)
        assert outcome(store)[0] == "passed"


def test_lone_model_call_is_not_scored_even_with_scores(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive([agent_spans.chat(2, says=[agent_spans.text_message("assistant", "Take AF007.")])])
        store.revise(1)
        evaluate(store, PASSES)
        assert store.rows("select outcome, score_count from runs") == [("not_scored", 1)]


def test_runs_that_wait_or_are_unfinished_are_counted_apart(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(1, 2, 3, 4)
        runs = [key for (key,) in store.rows("select agent_trace_id from agent_traces order by all")]
        with store.results.transaction() as connection:
            connection.execute("update agent_traces set interrupt = 'pay' where agent_trace_id = ?", [runs[0]])
            connection.execute("update agent_traces set completeness = 'partial' where agent_trace_id = ?", [runs[1]])
        evaluate(store, PASSES)
        counted = "select sum(runs), sum(passed_runs), sum(failing_runs), sum(waiting_runs), sum(unfinished_runs)"
        assert store.rows(f"{counted} from run_hours_between(null, null)") == [(4, 2, 0, 1, 1)]


def test_run_of_an_experiment_has_no_outcome(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        experiment_id = Experiments(store.results).begin(make_start()).experiment_id
        resource = {"service.name": "tests", "tracegrade.experiment.id": experiment_id}
        body = otlp.traces_request(map(otlp.from_plain, failed_trip()), resource=resource)
        store.arrivals.write(decode_spans(body).rows, [])
        store.revise(1)
        assert store.one("select experiment_id from agent_traces") == experiment_id
        assert outcome(store) == (None, None, None, None)


def test_outcomes_of_another_definition_are_computed_again_when_the_store_is_opened(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(1, 2)
        evaluate(store, FAILS)
        with store.results.transaction() as connection:
            connection.execute("update agent_traces set outcome = 'passed', failing = false")
            connection.execute("update outcomes_definition set definition_hash = 'of another version'")
    with opened(tmp_path) as store:
        assert outcome(store) == ("failing", True, 1, 1)


@pytest.mark.parametrize("days", [0, 3], ids=["at once", "days apart"])
def test_runs_that_one_transaction_touches_may_lie_apart(tmp_path: Path, days: int) -> None:
    later = [
        Span(
            **{
                **vars(span),
                "start_ns": span.start_ns + days * 86_400 * 10**9,
                "end_ns": span.end_ns + days * 86_400 * 10**9,
            }
        )
        for span in agent_spans.trip(2)
    ]
    with opened(tmp_path) as store:
        store.arrive([*agent_spans.trip(), *later])
        store.revise(1, 2)
        evaluate(store, FAILS)
        assert find_outdated_outcomes(store) == []
        assert store.rows("select outcome, count(*) from agent_traces group by 1") == [("failing", 2)]


class AnyCourse(RuleBasedStateMachine):
    """Spans arrive late, evaluators and people score and change their minds: outcomes and hours are always right."""

    @initialize()
    def begin(self) -> None:
        self.folder = TemporaryDirectory()
        self.evaluators = (configure("tool_error"), ANSWERS, FAILS, BY_CALL)
        self.simulation = Simulation(Path(self.folder.name), *self.evaluators)
        inner = agent_spans.agent(11, name="hotels", parent=3, at_s=3, for_s=1)
        self.unsent: list[Span] = [
            *failed_trip(),
            inner,
            failed_call(12, parent=11, at_s=3.2, for_s=0.1),
            agent_spans.agent(21, name="gateway", at_s=-3_600, for_s=7_200, trace=2),
            *agent_spans.trip(2, parent=21),
            failed_call(trace=2),
            *agent_spans.trip(3, session="talk"),
        ]

    @precondition(lambda self: self.unsent)
    @rule(data=st.data())
    def export(self, data: st.DataObject) -> None:
        at = data.draw(st.lists(st.integers(0, len(self.unsent) - 1), min_size=1, max_size=6, unique=True))
        self.simulation.export([self.unsent[index] for index in at])
        self.unsent = [span for index, span in enumerate(self.unsent) if index not in at]

    @rule(seconds=st.sampled_from([2, 61, 700]))
    def time_passes(self, seconds: float) -> None:
        self.simulation.wait(seconds)
        self._check()

    @rule()
    def evaluate(self) -> None:
        self.simulation.judge()
        self._check()

    @rule(data=st.data(), passed=st.booleans(), author=st.sampled_from(["ada", "ben"]))
    def annotate(self, data: st.DataObject, passed: bool, author: str) -> None:  # noqa: FBT001
        runs: Sequence[tuple[Any, ...]] = self.simulation.runs("agent_trace_id")
        if runs:
            (run,) = data.draw(st.sampled_from(runs))
            annotate(self.simulation.store, target=run, author=author, passed=passed)
            self._check()

    @precondition(lambda self: self.simulation.store.one("select count(*) from annotations"))
    @rule(data=st.data())
    def remove_annotation(self, data: st.DataObject) -> None:
        store = self.simulation.store
        (score_id,) = data.draw(st.sampled_from(store.rows("select score_id from annotations order by all")))
        Annotations(store.results).remove(score_id)
        self._check()

    @rule()
    def rebuild(self) -> None:
        self.simulation.rebuild()
        self._check()

    @rule()
    def restart(self) -> None:
        self.simulation.restart()
        self._check()

    def teardown(self) -> None:
        if hasattr(self, "simulation"):
            self.simulation.close()
            self.folder.cleanup()

    @rule()
    def store_hours(self) -> None:
        count_again(self.simulation.store)
        self._check()

    def _check(self) -> None:
        assert find_outdated_outcomes(self.simulation.store) == []
        assert find_wrong_hours(self.simulation.store) == []


AnyCourse.TestCase.settings = settings(max_examples=10, stateful_step_count=14, deadline=None)
test_outcomes_and_hours_are_right_at_any_moment = pytest.mark.exhaustive(AnyCourse.TestCase)
