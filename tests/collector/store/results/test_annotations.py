"""What people say through the API stands beside what evaluators say, on whatever they point at."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans, otlp
from tests.support.evaluators import make_evaluator
from tests.support.feedback import make_record
from tests.support.store import Clock, Store, opened

from tracegrade.collector.store.results.annotations import Annotations
from tracegrade.queries.ports import (
    Annotation,
    AnnotationRefused,
    AnnotationReplaced,
    IdTaken,
    NoSuchAnnotation,
    NoSuchTarget,
    VagueTarget,
)

TRACE, RUN = otlp.trace_id(1), otlp.run_id(1)
ON_RUN = {"agent_trace_id": RUN}


def make_annotation(target: dict[str, Any] | None = None, **fields: Any) -> Annotation:
    usual: dict[str, Any] = {"name": "polite", "author": "ada"}
    if not fields.keys() & {"value", "label", "passed", "explanation"}:
        usual["value"] = 1.0
    return Annotation.model_validate({"target": target or ON_RUN, **usual, **fields})


def write(store: Store, *annotations: Annotation, has_outbox: bool = False) -> Sequence[str]:
    return Annotations(store.results, has_outbox=has_outbox, now=store.now).write(annotations)


def remove(store: Store, score_id: str) -> None:
    Annotations(store.results, now=store.now).remove(score_id)


def add_two_agents(store: Store) -> None:
    """A run of two agents in session s1, of which the first calls the second as a tool."""
    inner = [
        agent_spans.agent(11, name="hotels", parent=3, at_s=3, for_s=1),
        agent_spans.tool(12, "book", parent=11, at_s=3),
    ]
    store.arrive([*agent_spans.trip(session="s1"), *inner])
    store.revise(1)


@pytest.mark.parametrize(
    ("target", "found"),
    [
        pytest.param({"trace_id": TRACE}, (RUN, "trace", otlp.span_id(1)), id="a trace means its outermost run"),
        pytest.param({"trace_id": TRACE.upper()}, (RUN, "trace", otlp.span_id(1)), id="an id in capitals"),
        pytest.param(ON_RUN, (RUN, "trace", otlp.span_id(1)), id="a run"),
        pytest.param({"span_id": otlp.span_id(1)}, (RUN, "trace", otlp.span_id(1)), id="an agent's span"),
        pytest.param({"span_id": otlp.span_id(2)}, (RUN, "trace", otlp.span_id(2)), id="a model call's span"),
        pytest.param(
            {"trace_id": TRACE, "span_id": otlp.span_id(3)}, (f"{RUN}#0", "tool_call", otlp.span_id(3)), id="a tool's"
        ),
        pytest.param({**ON_RUN, "position": 0}, (f"{RUN}#0", "tool_call", otlp.span_id(3)), id="a call by position"),
        pytest.param(
            {"trace_id": TRACE, "position": 0}, (f"{RUN}#0", "tool_call", otlp.span_id(3)), id="of the outermost run"
        ),
        pytest.param(
            {"trace_id": TRACE, "tool_call_id": "call_1"},
            (f"{RUN}#0", "tool_call", otlp.span_id(3)),
            id="a call by its id",
        ),
        pytest.param({"session_id": "s1"}, ("session:s1", "session", None), id="a session"),
    ],
)
def test_annotation_stands_on_what_it_points_at(tmp_path: Path, target: dict[str, Any], found: Any) -> None:
    with opened(tmp_path) as store:
        add_two_agents(store)
        write(store, make_annotation(target))
        assert store.rows("select target_id, scope, span_id from annotations") == [found]


def test_annotation_is_kept_with_all_that_was_said(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        add_two_agents(store)
        (score_id,) = write(store, make_annotation(value=0.5, label="meh", passed=False, explanation="it shouted"))
        who = "score_id, evaluator, evaluator_type, evaluator_kind, author, scored_at"
        assert store.rows(f"select {who} from annotations") == [
            (score_id, "polite", "annotation", "human", "ada", clock.now)
        ]
        what = "value, label, passed, explanation, status, agent_name, session_id, revision"
        assert store.rows(f"select {what} from annotations") == [
            (0.5, "meh", False, "it shouted", "scored", "travel", "s1", 1)
        ]


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ({"trace_id": otlp.trace_id(9)}, "there is no run with trace_id 0"),
        ({"agent_trace_id": f"{TRACE}-{otlp.span_id(2)}"}, "there is no run with agent_trace_id 0"),
        ({"span_id": otlp.span_id(99)}, "there is no span 0"),
        ({**ON_RUN, "position": 7}, "the run .* has no tool call with position 7; positions count from 0"),
        ({"trace_id": TRACE, "tool_call_id": "call_9"}, "the run .* has no tool call with tool_call_id call_9"),
        ({"session_id": "s9"}, "there is no run of the session 's9'"),
    ],
    ids=["trace", "run", "span", "position", "call id", "session"],
)
def test_nothing_is_kept_when_one_target_is_not_there(tmp_path: Path, target: dict[str, Any], why: str) -> None:
    with opened(tmp_path) as store:
        add_two_agents(store)
        with pytest.raises(NoSuchTarget, match=why) as refusal:
            write(store, make_annotation(), make_annotation(target))
        assert (refusal.value.index, refusal.value.field) == (1, "target")
        assert store.active_scores("target_id, value") == []


def test_span_id_that_two_traces_have_needs_the_trace(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive([*agent_spans.trip(1), *agent_spans.trip(2)])
        store.revise(1, 2)
        with pytest.raises(VagueTarget, match="2 traces have a span"):
            write(store, make_annotation({"span_id": otlp.span_id(1)}))
        write(store, make_annotation({"span_id": otlp.span_id(1), "trace_id": otlp.trace_id(2)}))
        assert store.one("select trace_id from annotations") == otlp.trace_id(2)


def test_later_annotation_of_an_author_takes_the_place_of_the_earlier(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        add_two_agents(store)
        write(store, make_annotation(value=0.0))
        clock.pass_by(seconds=1)
        write(
            store,
            make_annotation(value=1.0),
            make_annotation(value=0.5),
            make_annotation(value=0.25, author="bob"),
            make_annotation(value=0.125, name="brief"),
        )
        assert store.active_scores("evaluator, author, value") == [
            ("brief", "ada", 0.125),
            ("polite", "ada", 0.5),
            ("polite", "bob", 0.25),
        ]
        assert store.one("select count(*) from scores") == 5


def test_earlier_time_given_with_an_annotation_does_not_hide_the_later(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_two_agents(store)
        write(store, make_annotation(value=1.0))
        write(store, Annotation.model_validate_json(_dated("2020-01-01T10:00:00+02:00")))
        assert store.active_scores("target_id, value") == [(RUN, 1.0)]
        assert str(store.one("select min(scored_at) from scores")) == "2020-01-01 08:00:00"


def _dated(time: str) -> str:
    return json.dumps({"target": ON_RUN, "name": "polite", "author": "ada", "value": 0, "time": time})


def test_scores_of_people_and_of_machines_stand_beside_each_other(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        add_two_agents(store)
        write(store, make_annotation(value=1.0), make_annotation(value=0.0, kind="external"))
        assert store.active_scores("evaluator_kind, value") == [("external", 0.0), ("human", 1.0)]
        assert store.rows("select value from annotations") == [(1.0,)]


def test_what_a_machine_says_here_and_what_it_sends_is_the_word_of_one_author(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        add_two_agents(store)
        write(store, make_annotation(value=0.0, kind="external"))
        for at_s, value in ((20, 0.5), (86_400, 0.75)):
            sent = make_record(value=value, at_s=at_s)
            store.arrive(logs=otlp.logs_request([sent], resource={"service.name": "ada"}))
            store.revise(1)
            assert store.active_scores("target_id, value") == [(RUN, 0.0 if at_s == 20 else 0.75)]


def test_same_id_is_kept_once(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        add_two_agents(store)
        first = write(store, make_annotation(id="7"))
        clock.pass_by(minutes=1)
        assert write(store, make_annotation(id="7"), make_annotation(id="7")) == [*first, *first]
        assert write(store, make_annotation(id="7", author="bob")) != first
        assert store.one("select count(*) from scores") == 2


def test_same_annotation_under_its_id_changes_nothing_after_late_spans_or_when_its_run_is_gone(tmp_path: Path) -> None:
    agent, model, call, answer = agent_spans.trip()
    by_position = make_annotation({"trace_id": TRACE, "position": 0}, id="7")
    with opened(tmp_path) as store:
        store.arrive([model, answer])
        store.revise(1)
        first = write(store, by_position)
        for late in (call, agent):
            store.arrive([late])
            store.revise(1)
            assert write(store, by_position, make_annotation({"trace_id": TRACE}), by_position)[::2] == [*first, *first]
            with pytest.raises(IdTaken):
                write(store, make_annotation({"trace_id": TRACE, "position": 1}, id="7"))
        assert store.one("select count(*) from feedback where named like '%position%'") == 1


@pytest.mark.parametrize(
    "other",
    [
        make_annotation(id="7", value=0.0),
        make_annotation(id="7", name="brief"),
        make_annotation({**ON_RUN, "position": 0}, id="7"),
    ],
    ids=["value", "name", "target"],
)
def test_same_id_for_another_score_is_refused(tmp_path: Path, other: Annotation) -> None:
    with opened(tmp_path) as store:
        add_two_agents(store)
        write(store, make_annotation(id="7"))
        with pytest.raises(IdTaken) as refusal:
            write(store, make_annotation({"trace_id": TRACE}), other)
        assert (refusal.value.index, refusal.value.field) == (1, "id")
        with pytest.raises(IdTaken):
            write(store, make_annotation(id="8"), other.model_copy(update={"id": "8"}))
        assert store.one("select count(*) from scores") == 1


def test_annotation_follows_its_call_when_late_spans_change_the_positions(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_two_agents(store)
        write(store, make_annotation({**ON_RUN, "position": 0}))
        store.arrive([agent_spans.tool(9, "look", parent=1, at_s=2, args={}, result="ok")])
        store.revise(1)
        assert store.rows("select target_id, tool_call_position from annotations") == [(f"{RUN}#1", 1)]


def test_annotation_follows_its_span_into_the_run_that_is_found_around_it(tmp_path: Path) -> None:
    agent, model, *rest = agent_spans.trip()
    with opened(tmp_path) as store:
        store.arrive([model])
        store.revise(1)
        write(
            store,
            make_annotation({"trace_id": TRACE}, name="whole"),
            make_annotation({"span_id": otlp.span_id(2)}, name="part"),
        )
        store.arrive([agent, *rest])
        store.revise(1)
        assert store.active_scores("target_id, evaluator, span_id") == [
            (RUN, "part", otlp.span_id(2)),
            (RUN, "whole", otlp.span_id(1)),
        ]


def test_annotation_on_a_call_without_a_name_is_withdrawn_with_its_run(tmp_path: Path) -> None:
    """The call has neither span nor id: once its run is another one, nobody can say which call was meant."""
    nameless = {"role": "assistant", "parts": [{"type": "tool_call", "name": "search", "arguments": {}}]}
    with opened(tmp_path) as store:
        store.arrive([agent_spans.chat(2, parent=1, hears=[agent_spans.text_message("user", "hi")], says=[nameless])])
        store.revise(1)
        write(store, make_annotation({"trace_id": TRACE, "position": 0}))
        assert len(store.active_scores("target_id, value")) == 1
        store.arrive([agent_spans.agent(1)])
        store.revise(1)
        assert store.active_scores("target_id, value") == []


@pytest.mark.parametrize("has_outbox", [True, False], ids=["with an endpoint", "without one"])
def test_what_people_say_is_sent_on_and_what_machines_say_is_not(tmp_path: Path, *, has_outbox: bool) -> None:
    with opened(tmp_path) as store:
        add_two_agents(store)
        ids = write(
            store,
            make_annotation(id="1"),
            make_annotation(name="brief", kind="external"),
            make_annotation(name="kind"),
            has_outbox=has_outbox,
        )
        write(store, make_annotation(id="1"), has_outbox=has_outbox)
        queued = store.rows("select score_id from outbox order by position")
        assert queued == ([(ids[0],), (ids[2],)] if has_outbox else [])


@pytest.mark.parametrize("text", ["a,b", "tab\there", "O'Brien; drop table scores", "名前", "\x1f"], ids=repr)
def test_any_text_is_kept_as_it_is(tmp_path: Path, text: str) -> None:
    with opened(tmp_path) as store:
        add_two_agents(store)
        write(store, make_annotation(label=f"x{text}x", explanation=text))
        assert store.active_scores("label, explanation") == [(f"x{text}x", text)]


def standing(store: Store) -> list[tuple[Any, ...]]:
    """Each score of a person by its time: its value, and why it is not active (None: it is)."""
    return store.rows("select value, superseded_reason from scores where evaluator_kind <> 'code' order by scored_at")


@pytest.mark.parametrize(
    "target",
    [ON_RUN, {**ON_RUN, "position": 0}, {"span_id": otlp.span_id(2)}, {"session_id": "s1"}],
    ids=["run", "call", "span", "session"],
)
def test_removed_annotation_is_no_longer_active_and_stays_stored(tmp_path: Path, target: dict[str, Any]) -> None:
    with opened(tmp_path, now=(clock := Clock())) as store:
        add_two_agents(store)
        (score_id,) = write(store, make_annotation(target))
        remove(store, score_id)
        assert store.active_scores("value") == []
        assert store.rows("select score_id, superseded_at, superseded_reason from scores") == [
            (score_id, clock.now, "withdrawn")
        ]


def test_annotation_that_a_removed_one_had_replaced_does_not_return(tmp_path: Path) -> None:
    with opened(tmp_path, now=(clock := Clock())) as store:
        add_two_agents(store)
        write(store, make_annotation(value=0.0))
        clock.pass_by(seconds=1)
        (score_id,) = write(store, make_annotation(value=0.5))
        remove(store, score_id)
        store.arrive([agent_spans.tool(9, "look", parent=1, at_s=2, args={}, result="ok")])
        store.revise(1)
        write(store, make_annotation(name="brief"))
        assert standing(store)[:2] == [(0.0, "replaced"), (0.5, "withdrawn")]
        clock.pass_by(seconds=1)
        write(store, make_annotation(value=1.0))
        assert store.active_scores("evaluator, value") == [("brief", 1.0), ("polite", 1.0)]


def test_removed_annotation_stays_removed_when_it_is_sent_again_or_removed_twice(tmp_path: Path) -> None:
    with opened(tmp_path, now=(clock := Clock())) as store:
        add_two_agents(store)
        (score_id,) = write(store, make_annotation(id="7"))
        remove(store, score_id)
        clock.pass_by(seconds=1)
        remove(store, score_id)
        assert write(store, make_annotation(id="7")) == [score_id]
        assert standing(store) == [(1.0, "withdrawn")]
        assert store.one("select superseded_at from scores") < clock.now


def test_annotation_that_is_removed_while_its_run_is_gone_does_not_return_with_it(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive(part := [agent_spans.trip()[1]])
        store.revise(1)
        (score_id,) = write(store, make_annotation({"trace_id": TRACE, "span_id": otlp.span_id(2)}))
        tables = {name: table.slice(0, 0) for name, table in store.assembled([TRACE]).items()}
        store.results.revise(tables, [TRACE], final=[TRACE])
        assert standing(store) == [(1.0, "target_gone")]
        remove(store, score_id)
        store.arrive(part)
        store.revise(1)
        assert standing(store) == [(1.0, "withdrawn")]


def test_replaced_annotation_cannot_be_removed_and_the_error_names_the_active_one(tmp_path: Path) -> None:
    with opened(tmp_path, now=(clock := Clock())) as store:
        add_two_agents(store)
        (earlier,) = write(store, make_annotation(value=0.0))
        clock.pass_by(seconds=1)
        (later,) = write(store, make_annotation(value=1.0))
        with pytest.raises(AnnotationReplaced, match=f"{later}.* has replaced it: remove that"):
            remove(store, earlier)
        assert store.active_scores("value") == [(1.0,)]


def test_score_of_an_evaluator_cannot_be_removed(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_two_agents(store)
        store.ledger.enrol([evaluator := make_evaluator("passes")])
        store.ledger.backfill(evaluator, since=Clock().now.replace(year=2000))
        store.evaluate(evaluator)
        for score_id in (store.rows("select score_id from scores")[0][0], "nothing"):
            with pytest.raises(NoSuchAnnotation, match=r"there is no annotation .* cannot be removed"):
                remove(store, score_id)
        assert store.one("select bool_and(superseded_at is null) from scores")


def test_score_that_arrived_from_another_system_can_be_removed_too(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_two_agents(store)
        store.arrive(logs=otlp.logs_request([make_record(value=0.5)]))
        store.revise(1)
        remove(store, store.one("select score_id from latest_scores"))
        store.arrive(logs=otlp.logs_request([make_record(value=0.5)]))
        store.revise(1)
        assert standing(store) == [(0.5, "withdrawn")]


def test_annotation_that_is_removed_before_it_is_sent_is_not_sent(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_two_agents(store)
        kept, removed = write(store, make_annotation(), make_annotation(name="brief"), has_outbox=True)
        remove(store, removed)
        assert store.rows("select score_id from outbox") == [(kept,)]


def test_refusals_are_of_one_family() -> None:
    assert all(issubclass(one, AnnotationRefused) for one in (NoSuchTarget, VagueTarget, IdTaken))
