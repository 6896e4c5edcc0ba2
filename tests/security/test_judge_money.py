"""What judges cost: a server that counts nothing, a sender that spends everybody's day, a run that never ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.support import agent_spans, otlp
from tests.support.command import inside
from tests.support.judge_jobs import make_judge, make_llm_evaluator, make_question, make_run, run_judge
from tests.support.llm import Reply as Answered
from tests.support.llm import llm
from tests.support.server import running
from tests.support.store import Clock, Store, opened

from tracegrade.collector.otlp.decode import decode_spans
from tracegrade.collector.store.ledger.judge_calls import StoredJudgeCalls
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.execution.run import InProcessWorkbench
from tracegrade.evaluators.judges.budget.price import unbound
from tracegrade.evaluators.judges.exchange.reply import Reply
from tracegrade.evaluators.judges.exchange.request import Request
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.passes.run_pass import run_pass
from tracegrade.evaluators.ports import JudgeCall, Spent

ASKED = Request(make_judge("http://127.0.0.1:1/v1", max_output_tokens=50), make_question("x" * 4_000))
ANSWER = "yes, " * 100


@pytest.mark.parametrize(
    ("sent", "said"), [(0, 0), (1, 1), (0, 20), (3, 0)], ids=["nothing", "one each", "nothing sent", "nothing said"]
)
def test_count_that_nobody_can_believe_is_estimated(sent: int, said: int) -> None:
    reply = Reply(text=ANSWER, model="m", input_tokens=sent, output_tokens=said, total_tokens=sent + said)
    booked = reply.estimated(ASKED)
    assert booked.is_estimated
    assert booked.input_tokens == ASKED.input_tokens
    assert booked.output_tokens in {said or len(ANSWER) // 4 + 1, len(ANSWER) // 4 + 1}


def test_answer_without_text_that_took_nothing_is_believed_of_a_server_that_counts() -> None:
    reply = Reply(text="", model="m", input_tokens=1_000, output_tokens=0).estimated(ASKED)
    assert (reply.input_tokens, reply.output_tokens, reply.is_estimated) == (1_000, 0, False)


def test_failure_of_a_server_that_counts_nothing_takes_the_most() -> None:
    reply = Reply(text="", model="m", input_tokens=0, output_tokens=0).estimated(ASKED)
    assert (reply.input_tokens, reply.output_tokens) == (ASKED.input_tokens, 50)


@pytest.mark.parametrize("model", ["gpt-4.1-mini", "openai/gpt-4.1-mini", "anthropic/claude-sonnet-4-5"])
def test_budget_in_dollars_binds_behind_any_address(model: str) -> None:
    with llm(lambda _: Answered(text='{"score": 1}')) as gateway:
        judge = make_judge(gateway, model=model, usd_per_day=1e-6)
        done = run_judge(judge, [(make_llm_evaluator(), make_run(number)) for number in (1, 2, 3)])
        asked = len(gateway.asked)
    assert asked == 1
    assert [score.cost_usd is not None for score in done.scores] == [True]
    assert all("has spent its 1e-06 USD of today" in each.reason for each in done.deferred)


@pytest.mark.parametrize(
    ("limits", "names"),
    [
        pytest.param({"usd_per_day": 5}, ["usd_per_day"], id="of a day"),
        pytest.param({"usd_per_day": 5, "tokens_per_day": 5}, [], id="beside tokens"),
        pytest.param({"usd_per_day_per_agent": 1, "tokens_per_day": 5}, ["usd_per_day_per_agent"], id="of agents"),
        pytest.param({"usd_per_day": None}, [], id="none"),
        pytest.param(
            {"usd_per_day": 5, "prices": {"input_usd_per_million": 0, "output_usd_per_million": 0}}, [], id="free"
        ),
    ],
)
def test_budget_that_cannot_bind_is_named_with_its_remedy(limits: dict[str, Any], names: list[str]) -> None:
    why = unbound(make_judge("http://127.0.0.1:1/v1", model="unheard-of", **limits))
    assert [name for name in ("usd_per_day", "usd_per_day_per_agent") if f"{name} does not bind it" in (why or "")] == [
        *names
    ]
    assert why is None or ("`prices`" in why and "tokens_per_day" in why)


UNPRICED = """
judges:
  dear: {model: unheard-of, base_url: "http://127.0.0.1:1/v1", api_key_env: null}
  bound: {model: unheard-of, base_url: "http://127.0.0.1:1/v1", api_key_env: null, tokens_per_day: 9}
evaluators:
  - {use: goal_achievement, judge: bound, usd_per_day: 1}
"""
UNBOUND = (
    "judge 'dear': the price of unheard-of is not known, so usd_per_day does not bind it",
    "evaluator 'goal_achievement': the price of unheard-of is not known, so usd_per_day does not bind it",
)


def test_budget_that_cannot_bind_is_told_everywhere(tmp_path: Path) -> None:
    (tmp_path / "tracegrade.yaml").write_text("evaluators: []")
    with running(tmp_path / "store.duckdb", variables={}) as server:
        assert "does not bind" not in httpx.get(f"{server.web}/", trust_env=False).text
        (tmp_path / "tracegrade.yaml").write_text(UNPRICED)
        checked = inside("check", at=tmp_path)
        reloaded = inside("reload", "--store", server.store, at=tmp_path)
        overview = unescape(httpx.get(f"{server.web}/", trust_env=False).text)
        logged = server.log()
    with running(tmp_path / "store.duckdb", variables={}) as server:
        greeting, logged_at_start = (tmp_path / "store.duckdb.out").read_text(), server.log()
    for told in (checked.text, reloaded.text, overview, logged, greeting, logged_at_start):
        lines = told.splitlines()
        assert [sum(line in each for each in lines) for line in UNBOUND] == [1, 1], told


POLITE = make_llm_evaluator()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    """A store whose judge may see two late revisions of a run a day."""
    with opened(tmp_path, now=clock, max_revisions=2) as store:
        store.ledger.enrol([POLITE])
        yield store


def late_spans(store: Store, clock: Clock, *numbers: int) -> None:
    """Each makes a revision of the run, which the judge is asked about once it has settled."""
    for number in numbers:
        store.arrive([agent_spans.tool(number, parent=1, at_s=1.5, args={"number": number})])
        store.revise(1)
        clock.pass_by(seconds=60)
        run_pass(store.ledger, InProcessWorkbench(clock, judge=lambda _: "1"), [POLITE], now=clock)


def active(store: Store) -> list[tuple[int, int]]:
    """The revision of the run, and that of its active score."""
    sql = (
        "select runs.revision, scores.revision from agent_traces as runs join latest_scores as scores using (trace_id)"
    )
    return [(run, scored) for run, scored in store.rows(sql)]


def test_late_spans_of_one_run_are_judged_so_often_a_day_and_the_last_score_stays_active(
    store: Store, clock: Clock
) -> None:
    store.arrive(agent_spans.trip(1))
    late_spans(store, clock, *range(10, 16))
    assert active(store) == [(6, 3)]
    [(until, reason, kind)] = store.rows("select not_before, reason, kind from deferrals")
    assert until.time().isoformat() == "00:00:00"
    assert until > clock.now
    assert kind == "revision_limit"
    assert reason == "its judge has seen 2 late revisions of it today; resumes at 00:00 UTC"


def test_last_revision_of_a_restless_run_is_judged_the_next_day(store: Store, clock: Clock) -> None:
    store.arrive(agent_spans.trip(1))
    late_spans(store, clock, *range(10, 16))
    clock.pass_by(days=1)
    run_pass(store.ledger, InProcessWorkbench(clock, judge=lambda _: "1"), [POLITE], now=clock)
    assert active(store) == [(6, 6)]
    assert store.one("select count(*) from deferrals") == 0


PRICES = {"input_usd_per_million": 1e6, "output_usd_per_million": 1e6}
"""A dollar a token."""


def of_agents(*names: str) -> Sequence[tuple[Configured, AgentTrace]]:
    """A run of each of these agents of a service."""
    return [
        (POLITE, make_run(number).model_copy(update={"service_name": "shop", "agent_name": name}))
        for number, name in enumerate(names)
    ]


def test_agent_whose_share_is_spent_is_deferred_to_the_next_day_and_others_go_on() -> None:
    with llm(lambda _: Answered(text='{"score": 0.8}')) as server:
        shared = make_judge(server, prices=PRICES, usd_per_day=None, usd_per_day_per_agent=1, concurrency=1)
        found = run_judge(shared, of_agents("loud", "loud", "loud", "quiet"))
    assert len(found.scores) == 2
    assert {one.target_id for one in found.scores} >= {make_run(3).agent_trace_id}
    reasons = {one.reason for one in found.deferred}
    assert reasons == {"agent 'loud' of service 'shop' has spent its 1 USD of today; resumes at 00:00 UTC"}
    assert {one.until.isoformat() for one in found.deferred} == {"2026-03-02T00:00:00"}


def test_share_is_known_in_the_next_pass_too() -> None:
    spent = {"": Spent(usd_by_agent={("shop", "loud"): 2.0, ("other shop", "quiet"): 2.0})}
    with llm(lambda _: Answered(text='{"score": 0.8}')) as server:
        shared = make_judge(server, prices=PRICES, usd_per_day=None, usd_per_day_per_agent=1)
        found = run_judge(shared, of_agents("loud", "quiet"), spent=spent)
    assert [one.target_id for one in found.scores] == [make_run(1).agent_trace_id]


def test_name_of_an_agent_brings_no_control_characters_into_the_reason() -> None:
    name = "loud\x1b[2J\u202e" + "x" * 1_000
    spent = {"": Spent(usd_by_agent={("shop", name): 2.0})}
    with llm(lambda _: Answered(text='{"score": 0.8}')) as server:
        found = run_judge(make_judge(server, prices=PRICES, usd_per_day_per_agent=1), of_agents(name), spent=spent)
    [postponed] = found.deferred
    assert postponed.reason.isprintable()
    assert len(postponed.reason) < 300


def test_what_each_agent_has_cost_is_read_from_the_calls_about_its_runs_and_sessions(
    store: Store, clock: Clock
) -> None:
    for number, service in enumerate(("shop", "bank"), start=1):
        agent, *rest = agent_spans.trip(number)
        agent = replace(agent, attributes={**agent.attributes, "gen_ai.conversation.id": f"chat {number}"})
        body = otlp.traces_request(map(otlp.from_plain, [agent, *rest]), resource={"service.name": service})
        store.arrivals.write(decode_spans(body).rows, [])
        store.revise(number)
    about = [otlp.run_id(1), "session:chat 1", "session:chat 2", "tool:nobody's"]
    book = StoredJudgeCalls(store.database, store.results)
    book.record([make_paid_call(target, clock) for target in about])
    assert book.spent("default", clock.now)[""].usd_by_agent == {("shop", "travel"): 4.0, ("bank", "travel"): 2.0}


def make_paid_call(target_id: str, clock: Clock) -> JudgeCall:
    """A call that has cost two dollars."""
    return JudgeCall(
        judge_call_id=target_id,
        request_hash=target_id,
        evaluator="polite",
        target_id=target_id,
        judge="default",
        model="m",
        status="ok",
        cost_usd=2.0,
        started_at=clock.now,
    )
