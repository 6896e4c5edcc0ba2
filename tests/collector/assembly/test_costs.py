"""What model calls and runs cost: recorded, else computed from tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.support import agent_spans

from tracegrade.collector.assembly import assemble
from tracegrade.collector.records.fingerprint import fingerprint
from tracegrade.collector.spans.span import Span
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.pricing.price_table import NO_PRICES, PriceTable
from tracegrade.evaluators.pricing.prices import Prices

PRICES = PriceTable(
    {"gpt-4.1-mini": Prices(input_usd_per_million=100, output_usd_per_million=1_000, cached_input_usd_per_million=10)},
    has_list=False,
)
OF_CALL = 0.02
"""What `chat` costs by PRICES: it has 100 tokens in and 10 out."""


def run_of(*spans: Span, prices: PriceTable = PRICES, recorded: Mapping[str, Any] | None = None) -> AgentTrace:
    """The run of an agent whose span has `recorded` these attributes."""
    agent = agent_spans.agent(1, for_s=60)
    agent = replace(agent, attributes={**agent.attributes, **(recorded or {})})
    [run] = assemble([agent, *spans], prices=prices)
    return run


def chat(number: int, **attributes: Any) -> Span:
    names = {name.replace("__", "."): value for name, value in attributes.items()}
    span = agent_spans.chat(number, parent=1, at_s=float(number))
    return replace(span, attributes={**span.attributes, **names})


def test_cost_of_a_run_is_the_sum_over_its_model_calls() -> None:
    run = run_of(chat(2), chat(3))
    assert [call.cost_usd for call in run.llm_calls] == pytest.approx([OF_CALL, OF_CALL])
    assert run.cost_usd == pytest.approx(2 * OF_CALL)
    assert run.total_cost_usd == run.cost_usd


def test_list_price_counts_unless_it_is_configured_otherwise() -> None:
    [run] = assemble([agent_spans.agent(1), agent_spans.chat(2, parent=1, at_s=1)])
    assert run.cost_usd == pytest.approx(100 * 0.4e-6 + 10 * 1.6e-6)


def test_recorded_cost_wins_over_a_computed_one() -> None:
    run = run_of(chat(2, gen_ai__usage__cost=0.5), chat(3))
    assert [call.cost_usd for call in run.llm_calls] == pytest.approx([0.5, OF_CALL])
    assert run.cost_usd == pytest.approx(0.5 + OF_CALL)


def test_cost_that_the_agent_span_records_wins_where_its_calls_record_none() -> None:
    run = run_of(chat(2), chat(3), recorded={"gen_ai.usage.cost": 0.7})
    assert run.cost_usd == 0.7
    assert run.input_tokens == 200


def test_cost_that_the_agent_span_repeats_is_not_added() -> None:
    assert run_of(chat(2, gen_ai__usage__cost=0.5), recorded={"gen_ai.usage.cost": 0.5}).cost_usd == 0.5


def test_tokens_of_the_agent_span_are_priced_where_its_calls_have_none() -> None:
    spent = {"gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 10, "gen_ai.request.model": "gpt-4.1-mini"}
    assert run_of(recorded=spent).cost_usd == pytest.approx(OF_CALL)


def test_tokens_of_the_agent_span_over_calls_of_two_models_have_no_price() -> None:
    calls = [
        agent_spans.span(2, parent=1, attributes={"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4.1"}),
        agent_spans.span(
            3, parent=1, attributes={"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4.1-mini"}
        ),
    ]
    run = run_of(*calls, recorded={"gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 10})
    assert (run.input_tokens, run.cost_usd) == (100, None)


@pytest.mark.parametrize(
    "attributes",
    [
        pytest.param({"gen_ai__request__model": "a-model-of-tomorrow"}, id="unknown price"),
        pytest.param({"gen_ai__usage__output_tokens": None}, id="unknown tokens"),
        pytest.param({"gen_ai__usage__output_tokens": "many"}, id="no number"),
        pytest.param({"gen_ai__request__model": None}, id="unknown model"),
    ],
)
def test_cost_that_is_not_known_is_none(attributes: dict[str, Any]) -> None:
    run = run_of(chat(2, **attributes))
    assert (run.cost_usd, run.llm_calls[0].cost_usd) == (None, None)


def test_cost_of_a_run_leaves_out_calls_whose_price_is_not_known() -> None:
    run = run_of(chat(2), chat(3, gen_ai__request__model="a-model-of-tomorrow"))
    assert run.cost_usd == pytest.approx(OF_CALL)


@pytest.mark.parametrize(
    "key",
    ["gen_ai__usage__cache_read__input_tokens", "gen_ai__usage__cache_read_input_tokens"],
)
def test_cached_tokens_are_cheaper(key: str) -> None:
    run = run_of(chat(2, **{key: 100}))
    assert run.cost_usd == pytest.approx(100 * 10e-6 + 10 * 1_000e-6)


def test_model_that_answered_is_priced_and_not_the_one_that_was_asked_for() -> None:
    run = run_of(chat(2, gen_ai__request__model="my-deployment", gen_ai__response__model="gpt-4.1-mini-2025-04-14"))
    assert run.cost_usd == pytest.approx(OF_CALL)
    assert (run.model, run.llm_calls[0].model) == ("gpt-4.1-mini", "gpt-4.1-mini")
    assert run.llm_calls[0].request_model == "my-deployment"
    assert run.llm_calls[0].response_model == "gpt-4.1-mini-2025-04-14"


def test_price_is_no_content_of_a_run() -> None:
    assert fingerprint(run_of(chat(2))) == fingerprint(run_of(chat(2), prices=NO_PRICES))
