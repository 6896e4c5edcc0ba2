from __future__ import annotations

import asyncio
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.judge_jobs import make_judge
from tests.support.llm import Asked, Reply, llm, nowhere

from tracegrade.evaluators.judges.backends.check import check
from tracegrade.evaluators.judges.exchange.judge import Judge

WELL = Reply(text='{"ok": true}')
UNCOUNTED = Reply(text='{"ok": true}', usage=None)
PRICES = {"input_usd_per_million": 1, "output_usd_per_million": 10}


def test_judge_with_which_all_is_well_has_nothing_to_say() -> None:
    with llm(lambda _: WELL) as server:
        assert asyncio.run(check("default", make_judge(server))).faults == ()
        assert len(server.asked) == 1


def test_what_the_question_took_is_told() -> None:
    with llm(lambda _: WELL) as server:
        checked = asyncio.run(check("default", make_judge(server, prices=PRICES)))
    assert (checked.input_tokens, checked.output_tokens) == (100, 10)
    assert checked.cost_usd == pytest.approx(0.0002)


@pytest.mark.parametrize(
    ("reply", "settings", "told"),
    [
        (Reply(status=401, text="wrong"), {}, "name its variable in api_key_env"),
        (Reply(status=404, text="model judge-1 not found"), {}, "there is no model 'judge-1'"),
        (Reply(status=503, text="loading"), {}, "answers 503: loading"),
        (Reply(delay_s=5), {"timeout_s": 0.1}, "gave no answer within 0.1 s"),
        (Reply(endless=True), {"timeout_s": 2}, "did not end within 2 s"),
        (Reply(status=429, text="slow down"), {}, "is busy (429: slow down)"),
        (Reply(raw=b"<html>"), {}, "does not answer with a chat completion: '<html>'"),
        (WELL, {"usd_per_day": 5}, "the price of judge-1 is not known, so usd_per_day does not bind it"),
        (WELL, {"api_key_env": "NO_SUCH_KEY"}, "NO_SUCH_KEY is not set"),
    ],
    ids=str,
)
def test_what_is_wrong_is_named(reply: Reply, settings: dict[str, Any], told: str) -> None:
    with llm(lambda _: reply) as server:
        (fault,) = asyncio.run(check("strict", make_judge(server, **settings))).faults
    assert fault.startswith("judge 'strict'")
    assert told in fault


@pytest.mark.parametrize(
    ("reply", "settings", "told"),
    [
        (WELL, {"usd_per_day": 5, "tokens_per_day": 5}, "so tokens_per_day binds it, and usd_per_day does not"),
        (
            UNCOUNTED,
            {"tokens_per_day": 5},
            "does not count its tokens; they are estimated, and so is what tokens_per_day",
        ),
        (UNCOUNTED, {"usd_per_day": 5, "prices": PRICES}, "they are estimated, and so is what usd_per_day leaves"),
    ],
    ids=str,
)
def test_limit_that_binds_otherwise_than_by_price_and_count_is_a_note(
    reply: Reply, settings: dict[str, Any], told: str
) -> None:
    with llm(lambda _: reply) as server:
        checked = asyncio.run(check("strict", make_judge(server, **settings)))
    (note,) = checked.notes
    assert (checked.can_be_asked, checked.faults, told in note) == (True, (), True)


def yes(_: str) -> str:
    return '{"ok": true}'


@pytest.mark.parametrize(("settings", "faults"), [({}, 1), ({"tokens_per_day": 5}, 0), ({"usd_per_day": None}, 0)])
def test_function_without_a_price_is_warned_of_like_a_server(settings: dict[str, Any], faults: int) -> None:
    checked = asyncio.run(check("mine", Judge(python=f"{__name__}:yes", **settings)))
    assert (checked.can_be_asked, len(checked.faults)) == (True, faults)


def test_server_that_takes_no_schema_is_a_note() -> None:
    def script(asked: Asked) -> Reply:
        return Reply(status=400, text="no response_format") if "response_format" in asked.body else WELL

    with llm(script) as server:
        checked = asyncio.run(check("default", make_judge(server)))
    (note,) = checked.notes
    assert (checked.can_be_asked, checked.faults) == (True, ())
    assert "takes no JSON Schema; its answers are asked for as text" in note


def test_server_that_cannot_be_reached_is_named() -> None:
    url = nowhere()
    (fault,) = asyncio.run(check("default", make_judge(url))).faults
    assert fault.startswith(f"judge 'default' cannot be asked: {url}: ")


def test_function_is_not_asked_for_a_form_and_has_nothing_to_say_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "a_judge", SimpleNamespace(judge=lambda _: '{"ok": true}'))
    assert asyncio.run(check("mine", Judge(python="a_judge:judge"))).notes == ()


def test_function_that_cannot_be_loaded_is_named() -> None:
    (fault,) = asyncio.run(check("mine", Judge(python="no_such_module:judge"))).faults
    assert "correct `python` of the judge" in fault
