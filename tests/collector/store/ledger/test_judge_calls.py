"""What the store remembers of judges: answers that are not paid for twice, and what a day has cost."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.otlp import run_id
from tests.support.score_rows import BEGAN, insert_scores, make_judge_call, make_judge_score, make_person_score
from tests.support.store import Store, opened

from tracegrade.collector.store.ledger import judge_calls
from tracegrade.collector.store.ledger.judge_calls import StoredJudgeCalls
from tracegrade.evaluators.ports import JudgeCall, Spent


def book(store: Store) -> StoredJudgeCalls:
    return StoredJudgeCalls(store.database, store.results)


def book_of(store: Store, experiment_id: str) -> StoredJudgeCalls:
    return StoredJudgeCalls(store.database, store.results, experiment_id=experiment_id)


def answers(store: Store, *hashes: str) -> dict[str, str]:
    return {key: call.judge_call_id for key, call in book(store).lookup(hashes).items()}


def test_answer_is_found_by_its_question_with_everything_but_the_question(tmp_path: Path) -> None:
    told = make_judge_call(1, response={"text": "1.0", "tokens": [["1", {"0": 0.25}]]}, cost_usd=0.002, batch_id="b")
    with opened(tmp_path) as store:
        book(store).record([told, make_judge_call(2)])
        found = book(store).lookup(["h1", "h9"])
        assert found == {"h1": make_judge_call(1, request=None, response=told.response, cost_usd=0.002, batch_id="b")}
        assert store.one("select request ->> 'prompt' from judge_calls where request_hash = 'h1'") == "question 1"


def test_lookup_of_nothing_asks_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        assert book(store).lookup([]) == {}
        book(store).record([])
        assert store.one("select count(*) from judge_calls") == 0


@pytest.mark.parametrize(
    "call",
    [
        make_judge_call(1, status="error", response=None, error="429"),
        make_judge_call(1, from_cache=True, request=None, response=None),
    ],
    ids=["error", "from the cache"],
)
def test_what_is_no_answer_is_never_given_as_one(tmp_path: Path, call: JudgeCall) -> None:
    with opened(tmp_path) as store:
        book(store).record([call])
        assert book(store).lookup(["h1"]) == {}


def test_latest_answer_wins_whatever_came_after_it(tmp_path: Path) -> None:
    calls = [
        make_judge_call(1, judge_call_id="late", started_at=BEGAN + timedelta(seconds=2)),
        make_judge_call(1, judge_call_id="early"),
        make_judge_call(
            1, judge_call_id="later, and no answer", status="error", started_at=BEGAN + timedelta(seconds=3)
        ),
        make_judge_call(
            1, judge_call_id="latest, and pending", status="pending", started_at=BEGAN + timedelta(seconds=4)
        ),
    ]
    with opened(tmp_path) as store:
        book(store).record(calls)
        assert answers(store, "h1") == {"h1": "late"}


@pytest.mark.parametrize(
    ("score", "found"),
    [
        (make_judge_score(scored_at=BEGAN), []),
        (make_judge_score("run#3", agent_trace_id="run", scope="tool_call", scored_at=BEGAN), []),
        (make_judge_score(scored_at=BEGAN - timedelta(seconds=1)), ["h1"]),
        (make_judge_score("another"), ["h1"]),
        (make_judge_score(evaluator="another"), ["h1"]),
        (make_person_score(), ["h1"]),
    ],
    ids=["judged", "its call was", "judged before", "another run was", "by another evaluator", "by a person"],
)
def test_answer_that_is_no_score_is_found_until_whoever_asked_has_one(
    tmp_path: Path, score: dict[str, Any], found: list[str]
) -> None:
    with opened(tmp_path) as store:
        book(store).record([make_judge_call(1, status="unusable", error="no number")])
        assert list(answers(store, "h1")) == ["h1"]
        with store.results.transaction() as connection:
            insert_scores(connection, score)
        assert list(answers(store, "h1")) == found


@pytest.mark.parametrize("status", ["ok", "pending"])
def test_answer_that_is_no_score_is_the_last_to_be_found(tmp_path: Path, status: Any) -> None:
    later = make_judge_call(1, judge_call_id="later", status="unusable", started_at=BEGAN + timedelta(seconds=1))
    with opened(tmp_path) as store:
        book(store).record([make_judge_call(1, status=status), later])
        assert answers(store, "h1") == {"h1": make_judge_call(1).judge_call_id}


def test_pending_call_is_found_until_its_answer_takes_its_place(tmp_path: Path) -> None:
    pending = make_judge_call(1, status="pending", response=None, batch_id="batch_7")
    with opened(tmp_path) as store:
        book(store).record([pending, make_judge_call(2, status="pending", response=None)])
        assert book(store).lookup(["h1"]) == {"h1": pending}
    with opened(tmp_path) as store:
        book(store).record([make_judge_call(1, judge_call_id=pending.judge_call_id, batch_id="batch_7")])
        found = book(store).lookup(["h1", "h2"])
        assert {key: call.status for key, call in found.items()} == {"h1": "ok", "h2": "pending"}
        assert store.one("select count(*) from judge_calls") == 2


def test_answer_that_is_there_stays_when_its_id_comes_again(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        book(store).record([make_judge_call(1)])
        book(store).record([make_judge_call(1, status="error", response=None)])
        assert answers(store, "h1") == {"h1": make_judge_call(1).judge_call_id}


def test_answers_survive_a_restart(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        book(store).record([make_judge_call(1)])
    with opened(tmp_path) as store:
        assert answers(store, "h1") == {"h1": make_judge_call(1).judge_call_id}


def test_call_that_cannot_be_written_takes_none_with_it_and_leaves_the_store_usable(tmp_path: Path) -> None:
    broken: Any = make_judge_call(2, input_tokens="many")
    with opened(tmp_path) as store:
        with pytest.raises(Exception, match="many"):
            book(store).record([make_judge_call(1), broken])
        assert answers(store, "h1") == {}
        book(store).record([make_judge_call(1)])
        assert list(answers(store, "h1")) == ["h1"]


def test_times_are_kept_in_utc(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        book(store).record([make_judge_call(1, started_at=datetime(2026, 1, 1, 14, tzinfo=UTC))])
        assert book(store).lookup(["h1"])["h1"].started_at == datetime(2026, 1, 1, 14)  # noqa: DTZ001


SAID: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.text(st.characters(), max_size=3), SAID, max_size=3))
def test_whatever_a_judge_says_can_be_written_and_is_read_as_it_was_where_json_can_say_it(said: dict[str, Any]) -> None:
    text = judge_calls._json(said)
    assert judge_calls._json(orjson.loads(text)) == text


@pytest.mark.parametrize("text", ["\ud800", "half \udfff", "\x00", "2" * 40], ids=["half", "other half", "nul", "long"])
def test_text_that_nothing_can_write_fails_no_record(tmp_path: Path, text: str) -> None:
    response = {"text": text, "n": int("9" * 40)}
    with opened(tmp_path) as store:
        book(store).record(
            [
                make_judge_call(1, response=response, error=text, status="unusable"),
                make_judge_call(2, response=response),
            ]
        )
        found = book(store).lookup(["h2"])["h2"].response
        assert found is not None
        assert found["n"] == 1e40


def test_spending_is_told_by_evaluator_and_in_all_and_what_was_known_costs_nothing(tmp_path: Path) -> None:
    calls = [
        make_judge_call(1, evaluator="polite", input_tokens=100, output_tokens=10, cost_usd=0.5),
        make_judge_call(2, evaluator="polite", input_tokens=100, output_tokens=10, cost_usd=0.25, status="unusable"),
        make_judge_call(3, evaluator="right", input_tokens=7, output_tokens=3, cost_usd=None),
        make_judge_call(
            4, evaluator="right", from_cache=True, request=None, response=None, input_tokens=9, cost_usd=9.0
        ),
        make_judge_call(5, evaluator="right", status="error", response=None, cost_usd=None),
        make_judge_call(
            6, evaluator="right", status="pending", response=None, input_tokens=20, output_tokens=30, cost_usd=0.25
        ),
        make_judge_call(7, evaluator="polite", judge="other", cost_usd=4.0),
        make_judge_call(8, evaluator="polite", cost_usd=4.0, started_at=BEGAN - timedelta(seconds=1)),
    ]
    with opened(tmp_path) as store:
        book(store).record(calls)
        spent = book(store).spent("default", BEGAN)
        polite = Spent(input_tokens=200, output_tokens=20, cost_usd=0.75)
        sent = Spent(pending_tokens=50, pending_usd=0.25)
        right = replace(sent, input_tokens=27, output_tokens=33, cost_usd=0.25)
        waiting = (replace(calls[5], request=None),)
        both = replace(sent, input_tokens=227, output_tokens=53, cost_usd=1.0, pending_calls=waiting)
        assert spent == {"": both, "polite": polite, "right": right}


def test_production_and_experiments_spend_budgets_of_their_own(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        production, first = book(store), book_of(store, "5f0c")
        production.record([make_judge_call(1, cost_usd=0.5)])
        first.record([make_judge_call(2, cost_usd=0.25), make_judge_call(3, status="pending", cost_usd=1.0)])
        book_of(store, "7a1e").record([make_judge_call(4, cost_usd=0.125)])
        assert store.rows("select judge_call_id, experiment_id from judge_calls order by all") == [
            ("call 1", None),
            ("call 2", "5f0c"),
            ("call 3", "5f0c"),
            ("call 4", "7a1e"),
        ]
        assert production.spent("default", BEGAN)[""] == Spent(cost_usd=0.5)
        of_experiments = first.spent("default", BEGAN)[""]
        assert (of_experiments.cost_usd, of_experiments.pending_usd) == (1.375, 1.0)
        assert [call.judge_call_id for call in of_experiments.pending_calls] == ["call 3"]


def test_budget_of_an_agent_is_apart_from_what_experiments_spend_on_it(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(1)
        target = run_id(1)
        book(store).record([make_judge_call(1, cost_usd=0.5, target_id=target)])
        book_of(store, "5f0c").record([make_judge_call(2, cost_usd=0.25, target_id=target)])
        agent = ("tests", "travel")
        assert book(store).spent("default", BEGAN)[""].usd_by_agent == {agent: 0.5}
        assert book_of(store, "5f0c").spent("default", BEGAN)[""].usd_by_agent == {agent: 0.25}


def test_experiments_use_answers_of_production_and_not_the_other_way(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        book(store).record([make_judge_call(1)])
        book_of(store, "5f0c").record([make_judge_call(2)])
        assert answers(store, "h1", "h2") == {"h1": "call 1"}
        assert book_of(store, "7a1e").lookup(["h1", "h2"]).keys() == {"h1", "h2"}


def test_judge_that_was_never_asked_has_spent_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        assert book(store).spent("default", BEGAN) == {"": Spent()}


def test_calls_that_are_pending_are_told_of_each_batch_whenever_they_were_sent(tmp_path: Path) -> None:
    def sent(number: int, batch_id: str, **fields: Any) -> JudgeCall:
        return make_judge_call(number, status="pending", request=None, response=None, batch_id=batch_id, **fields)

    many = [sent(number, "large", judge_call_id=f"{number:04}") for number in range(1_001)]
    early = sent(2_000, "early", started_at=BEGAN - timedelta(days=2), evaluator="gone")
    with opened(tmp_path) as store:
        book(store).record([*many, early, sent(2_001, "other", judge="other"), make_judge_call(2_002)])
        told = book(store).spent("default", BEGAN)[""].pending_calls
    assert sorted(told, key=lambda call: call.judge_call_id) == [*many[:1_000], early]


def test_spending_is_kept_by_day_judge_evaluator_and_model(tmp_path: Path) -> None:
    calls = [
        make_judge_call(1, cost_usd=0.5, duration_ms=100.0),
        make_judge_call(2, cost_usd=0.5, duration_ms=300.0, started_at=BEGAN + timedelta(days=1)),
        make_judge_call(3, cost_usd=None, duration_ms=200.0, model="other"),
        make_judge_call(4, from_cache=True, request=None, response=None),
    ]
    sql = "select day::varchar, model, calls, cached, cost_usd, unpriced_calls, p50_ms from judge_spend order by all"
    with opened(tmp_path) as store:
        book(store).record(calls)
        assert store.rows(sql) == [
            ("2026-01-01", "gpt-4.1-mini", 1, 1, 0.5, 0, 100.0),
            ("2026-01-01", "other", 1, 0, None, 1, 200.0),
            ("2026-01-02", "gpt-4.1-mini", 1, 0, 0.5, 0, 300.0),
        ]
