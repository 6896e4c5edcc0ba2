"""What judges are told to have cost, against their limits, and what waits for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from tests.support.score_rows import BEGAN, make_judge_call
from tests.support.store import Store, opened

from tracegrade.collector.cli.judges import _build_json, _build_table, _format_cost, _format_shares, _list_remarks
from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.errors import Fault
from tracegrade.collector.reports.backlog import Standing
from tracegrade.collector.reports.spending import Bill, JudgeStanding, read_judge_standings
from tracegrade.collector.store.ledger.judge_calls import StoredJudgeCalls
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Budget
from tracegrade.evaluators.judges.exchange.judge import Judge

ASKING = replace(configure("tool_error"), name="polite", kind="llm", asks="default", budget=Budget(usd_per_day=2.0))


def read_judges(store: Store, judges: Mapping[str, Judge], *standings: Standing) -> list[JudgeStanding]:
    read = LocalSource(store.database, max_rows=100, timeout_s=10).read
    return read_judge_standings(read, judges, standings, since=BEGAN)


def test_judge_that_was_not_asked_is_told_with_its_model_and_limits(tmp_path: Path) -> None:
    settings = Judge(model="small", requests_per_minute=None, concurrency=8)
    with opened(tmp_path) as store:
        (judge,) = read_judges(store, {"default": settings})
    assert judge.is_configured
    assert judge.models == ("small",)
    assert judge.limits == {"usd_per_day": 5.0, "concurrency": 8}
    assert judge.bill == Bill()
    assert [*_list_remarks(judge)] == ["default: small; 0% of the day's $5; at most 8 at once"]


def test_what_waits_for_a_judge_is_told_with_the_first_reason_and_time(tmp_path: Path) -> None:
    later = replace(ASKING, name="right")
    waiting = Standing(evaluator=ASKING, deferred=57, deferred_reason="the day's $5 are spent", deferred_until=BEGAN)
    sooner = Standing(
        evaluator=later, deferred=1, deferred_reason="the breaker is open", deferred_until=BEGAN - timedelta(minutes=1)
    )
    idle = Standing(evaluator=configure("tool_error"), deferred=3, deferred_until=BEGAN, deferred_reason="x")
    with opened(tmp_path) as store:
        (judge,) = read_judges(store, {"default": Judge()}, waiting, sooner, idle)
    assert [evaluator.evaluator for evaluator in judge.evaluators] == ["polite", "right"]
    assert [*_list_remarks(judge)] == [
        "default: gpt-4.1-mini; 0% of the day's $5; at most 8 at once, at most 500 a minute",
        "polite: 0% of the day's $2",
        "right: 0% of the day's $2",
        "right: 1 deferred, the first until 2026-01-01 11:59:00 UTC: the breaker is open",
        "polite: 57 deferred, the first until 2026-01-01 12:00:00 UTC: the day's $5 are spent",
    ]


def test_each_evaluator_has_its_own_bill_and_budget(tmp_path: Path) -> None:
    calls = [
        make_judge_call(1, cost_usd=0.5, duration_ms=10.0),
        make_judge_call(2, cost_usd=0.25, evaluator="gone", duration_ms=30.0),
    ]
    with opened(tmp_path) as store:
        StoredJudgeCalls(store.database, store.results).record(calls)
        (judge,) = read_judges(store, {}, Standing(evaluator=ASKING))
    assert not judge.is_configured
    assert (judge.bill.cost_usd, judge.bill.p50_ms) == (0.75, 20.0)
    assert [
        (evaluator.evaluator, evaluator.bill.cost_usd, evaluator.budget.usd_per_day) for evaluator in judge.evaluators
    ] == [
        ("gone", 0.25, None),
        ("polite", 0.5, 2.0),
    ]


def test_experiments_have_a_bill_of_their_own_beside_the_same_limits(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        StoredJudgeCalls(store.database, store.results).record([make_judge_call(1, cost_usd=0.5)])
        of_experiment = StoredJudgeCalls(store.database, store.results, experiment_id="5f0c")
        of_experiment.record([make_judge_call(2, cost_usd=2.0), make_judge_call(3, cost_usd=0.5)])
        (judge,) = read_judges(store, {"default": Judge()}, Standing(evaluator=ASKING))
        spend = store.rows("select experiment_id, calls, cost_usd from judge_spend order by all")
    assert (judge.bill.cost_usd, judge.bill_of_experiments.cost_usd) == (0.5, 2.5)
    assert [evaluator.bill.calls for evaluator in judge.evaluators] == [1]
    assert [*_list_remarks(judge)][:2] == [
        "default: gpt-4.1-mini; 10% of the day's $5; at most 8 at once, at most 500 a minute",
        "default, in experiments: 50% of the day's $5",
    ]
    assert spend == [("5f0c", 2, 2.5), (None, 1, 0.5)]


def test_bills_of_which_a_part_was_cut_are_not_told(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        StoredJudgeCalls(store.database, store.results).record(
            [make_judge_call(1), make_judge_call(2, evaluator="gone")]
        )
        read = LocalSource(store.database, max_rows=2, timeout_s=10).read
        with pytest.raises(Fault, match="more than 2 rows"):
            read_judge_standings(read, {}, [], since=BEGAN)


@pytest.mark.parametrize(
    ("bill", "text"),
    [
        (Bill(), "$0.00"),
        (Bill(cost_usd=0.00042), "$0.00042"),
        (Bill(cost_usd=0.0421), "$0.042"),
        (Bill(cost_usd=1234.5), "$1,234.50"),
        (Bill(unpriced_calls=1, cost_usd=None), "?"),
        (Bill(unpriced_calls=1, cost_usd=2.0), "$2.00 + ?"),
    ],
    ids=["nothing", "tiny", "cents", "much", "unpriced", "unpriced in part"],
)
def test_cost_never_looks_known_where_it_is_not(bill: Bill, text: str) -> None:
    assert _format_cost(bill) == text


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        ({}, ""),
        ({"usd_per_day": 5.0}, "40% of the day's $5"),
        ({"usd_per_day": 2.5, "tokens_per_day": 1000}, "80% of the day's $2.5, 110% of the day's 1,000 tokens"),
        ({"usd_per_day": 0.0}, "the day's limit is $0"),
        ({"usd_per_day": None}, ""),
    ],
    ids=["no limit", "dollars", "both", "nothing may be spent", "unset"],
)
def test_spending_is_told_as_a_share_of_the_days_limit(limits: dict[str, Any], text: str) -> None:
    assert _format_shares(Bill(cost_usd=2.0, input_tokens=1000, output_tokens=100), limits) == text


def test_share_of_a_limit_in_dollars_is_unknown_where_no_price_is_known() -> None:
    bill = Bill(unpriced_calls=3, cost_usd=None, input_tokens=100)
    shares = _format_shares(bill, {"usd_per_day": 5.0, "tokens_per_day": 1000})
    assert shares == "? of the day's $5 (unknown price), 10% of the day's 1,000 tokens"


def test_cost_is_unknown_where_the_price_of_no_paid_call_is_known(tmp_path: Path) -> None:
    calls = [
        make_judge_call(1, cost_usd=None, input_tokens=10),
        make_judge_call(2, cost_usd=None, status="error", response=None),
        make_judge_call(3, cost_usd=None, from_cache=True, evaluator="right", request=None, response=None),
    ]
    with opened(tmp_path) as store:
        StoredJudgeCalls(store.database, store.results).record(calls)
        (judge,) = read_judges(store, {})
    assert (judge.bill.cost_usd, judge.bill.unpriced_calls) == (None, 1)
    assert {evaluator.evaluator: evaluator.bill.cost_usd for evaluator in judge.evaluators} == {
        "polite": None,
        "right": 0.0,
    }


def test_all_that_is_new_deferred_or_asked_for_again_waits_for_the_judge(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        judges = read_judges(store, {"default": Judge()}, Standing(evaluator=ASKING, new=2000, deferred=20, backfill=3))
    assert _render(judges, width=120).splitlines()[1].split()[-1] == "2,023"
    (of_evaluator,) = _build_json(judges[0])["evaluators"]
    assert [of_evaluator[name] for name in ("new", "deferred", "backfill")] == [2000, 20, 3]


def test_names_are_told_whole_on_a_narrow_terminal(tmp_path: Path) -> None:
    name = "deepeval:tool_correctness_of_the_checkout"
    with opened(tmp_path) as store:
        output = _render(read_judges(store, {}, Standing(evaluator=replace(ASKING, name=name))), width=80)
    assert name in "".join(line[:30].strip() for line in output.splitlines())


def _render(judges: list[JudgeStanding], *, width: int) -> str:
    console = Console(width=width)
    with console.capture() as printed:
        console.print(_build_table(judges))
    return printed.get()
