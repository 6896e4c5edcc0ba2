"""Asking through litellm, what an answer costs, and what a judge's settings may not say."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError
from tests.support.judge_jobs import make_judge, make_question, run_judge
from tests.support.llm import Reply, llm

from tracegrade.evaluators.judges.budget.daily_budget import Cost
from tracegrade.evaluators.judges.budget.price import most_of, usd
from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.evaluators.judges.exchange.request import Request


def test_litellm_is_asked_with_what_is_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []

    async def acompletion(**body: Any) -> SimpleNamespace:
        asked.append(body)
        told = {"choices": [{"message": {"content": '{"score": 0.5}'}, "finish_reason": "stop"}], "model": "claude"}
        return SimpleNamespace(model_dump=lambda: {**told, "usage": {"prompt_tokens": 7, "completion_tokens": 3}})

    monkeypatch.setitem(sys.modules, "litellm", SimpleNamespace(acompletion=acompletion))
    (score,) = run_judge(Judge(litellm=True, model="anthropic/claude-sonnet-4-5")).scores
    assert (score.value, score.judge_model, score.input_tokens) == (0.5, "claude", 7)
    assert score.cost_usd == pytest.approx((7 * 3 + 3 * 15) / 1e6)
    assert (asked[0]["model"], asked[0]["num_retries"]) == ("anthropic/claude-sonnet-4-5", 0)
    assert not {"api_key", "api_base"} & asked[0].keys()


def test_litellm_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    (waiting,) = run_judge(Judge(litellm=True, model="x")).deferred
    assert "pip install 'tracegrade[litellm]'" in waiting.reason


def test_price_is_configured_or_known_by_address_or_name() -> None:
    known = Judge()
    assert _cost(known) == pytest.approx(1000 * 0.4e-6 + 100 * 1.6e-6)
    assert _cost(Judge(prices={"input_usd_per_million": 2, "output_usd_per_million": 0})) == pytest.approx(0.002)
    assert _cost(make_judge("http://127.0.0.1:1/v1", model="gpt-4.1-mini")) == _cost(known)
    assert _cost(make_judge("http://127.0.0.1:1/v1", model="llama3.2:3b")) is None
    assert _cost(Judge(python="a:b")) is None
    with llm(lambda _: Reply(text='{"score": 1}', usage=None)) as server:
        (score,) = run_judge(
            make_judge(server, prices={"input_usd_per_million": 2, "output_usd_per_million": 0})
        ).scores
    assert (score.input_tokens, score.cost_usd) == (None, None)


def test_most_that_a_call_may_take_is_its_input_and_the_longest_answer() -> None:
    priced = Judge(max_output_tokens=50, prices={"input_usd_per_million": 1e6, "output_usd_per_million": 2e6})
    most = most_of(Request(priced, make_question("x" * 390)))  # beside 9 characters of instructions
    assert (most.input_tokens, most.output_tokens, most.tokens) == (100, 50, 150)
    assert most.cost == Cost(150, 200.0)
    unpriced = most_of(Request(make_judge("http://there"), make_question("x")))
    assert (unpriced.usd, unpriced.cost.usd) == (None, 0.0)


def _cost(judge: Judge) -> float | None:
    return usd(judge, input_tokens=1000, output_tokens=100)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"python": "a:b", "litellm": True}, "keep either `python` or `litellm`"),
        ({"python": "a:b", "base_url": "http://x"}, "leave out base_url, or `python`"),
        ({"python": "a:b", "mode": "batch"}, "leave out `mode: batch`"),
        ({"litellm": True, "mode": "batch"}, "leave out `mode: batch`"),
        ({"python": "nothing"}, "write it as module:function"),
        ({"base_url": "localhost:8000"}, "write it as http://host:port/v1"),
        ({"base_url": "http://"}, "write it as http://host:port/v1"),
        ({"api_key_env": "sk-proj-secret"}, "'sk-p'… is the name of no environment variable"),
        ({"parameters": {"messages": []}}, "'messages' is set for each question"),
        ({"parameters": {"stream": True}}, "'stream' is set for each question"),
        ({"parameters": {"max_tokens": 9}}, "write `max_output_tokens` of the judge"),
        ({"parameters": {"temperature": 1}}, "write `temperature` of the judge"),
        ({"parameters": {"num_retries": 2}, "litellm": True}, "'num_retries' cannot be set"),
        ({"parameters": {"max_retries": 2}}, "'max_retries' cannot be set"),
        ({"parameters": {"api_key": "sk-1"}}, "write `api_key_env` of the judge"),
        ({"concurrency": 0}, "greater than or equal to 1"),
        ({"modell": "x"}, "Extra inputs are not permitted"),
    ],
    ids=str,
)
def test_what_a_judge_cannot_be_is_refused(settings: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why.replace("`", ".")):
        Judge(**settings)


@pytest.mark.parametrize(
    "settings", [{"api_key_env": "sk-proj-secret"}, {"base_url": "secret"}], ids=["key", "address"]
)
def test_what_is_refused_is_not_repeated(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as refused:
        Judge(**settings)
    assert "secret" not in str(refused.value)


def test_every_field_of_a_judge_is_described() -> None:
    assert all(field.description for field in Judge.model_fields.values())


def test_every_field_of_a_judge_has_a_row() -> None:
    told = (Path(__file__).parents[4] / "collector/docs/judges.md").read_text(encoding="utf-8")
    rows = [gate.partition("|")[2].partition("|")[0] for gate in told.splitlines() if gate.startswith("| `")]
    assert [name for name in Judge.model_fields if not any(f"`{_written(name)}`" in row for row in rows)] == []


def _written(name: str) -> str:
    """As in the configuration, whose times have a unit of their own."""
    return name.removesuffix("_s")
