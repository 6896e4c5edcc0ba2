"""What readers can spend by previews: a share of a judge's day, whoever asks and however often."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_spans import agent, chat, text_message
from tests.support.llm import Asked, Reply, llm
from tests.support.page_client import PageClient
from tests.support.serving import FREE_PORTS, serve_store
from tests.support.store import opened

from tracegrade.collector.config.settings import load

RUNS = 8
USD_A_CALL = 0.002
ENTRY = "{{use: goal_achievement, name: '{name}', judge: default}}"


def answer(_: Asked) -> Reply:
    return Reply(text='{"reasoning": "fine", "score": 0.9}', usage=(1_000, 1_000))


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Any]]:
    """The URL of a server with eight runs, whose judge may spend 0.05 dollars a day, and the judge."""
    with opened(tmp_path) as store:
        for trace in range(1, RUNS + 1):
            said = {"hears": [text_message("user", f"question {trace}")], "says": [text_message("assistant", "fine")]}
            store.arrive([agent(1, trace=trace, for_s=10), chat(2, trace=trace, parent=1, at_s=1, **said)])
        store.revise(*range(1, RUNS + 1))
    prices = {"input_usd_per_million": 1, "output_usd_per_million": 1}
    with llm(answer) as model:
        judge = {"base_url": model.url, "model": "judge-1", "api_key_env": None, "usd_per_day": 0.05, "prices": prices}
        settings = load(
            store=str(tmp_path / "store.duckdb"), judges={"default": judge}, evaluators=[], listen=FREE_PORTS
        )
        with serve_store(settings) as url:
            yield url, model


def preview(client: PageClient, name: str, **more: str) -> str:
    entry = ENTRY.format(name=name)
    fields = {"entry": entry, "past": "9999d", "limit": "50", "ask": "yes", **more}
    response = client.post("/preview", data={"form_token": client.read_form_token("/preview"), **fields})
    assert response.status_code == 200, response.text
    return response.text


def read(client: PageClient, sql: str) -> Any:
    return client.post("/api/v1/sql", json={"sql": sql}).json()["rows"]


def test_previews_spend_no_more_than_their_share(served: tuple[str, Any]) -> None:
    url, model = served
    with PageClient(url) as client:
        texts = [preview(client, f"draft {number}") for number in range(3)]
        spent = read(
            client,
            "select sum(cost_usd), count(*), any_value(purpose), any_value(recorded_by) from judge_calls "
            "where not from_cache",
        )
        scores = read(client, "select count(*) from scores")
    assert len(model.asked) * USD_A_CALL <= 0.05 * 0.2 + USD_A_CALL
    assert spent == [[pytest.approx(len(model.asked) * USD_A_CALL), len(model.asked), "preview", "server"]]
    assert scores == [[0]]
    assert "previews may spend 20%" in texts[-1]
    assert "preview_share" in texts[-1]


def test_answer_of_a_preview_is_not_asked_for_again(served: tuple[str, Any]) -> None:
    url, model = served
    with PageClient(url) as client:
        preview(client, "draft", limit="2")
        asked = len(model.asked)
        preview(client, "another name", limit="2")
    assert 0 < asked == len(model.asked)
