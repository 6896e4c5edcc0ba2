"""Evaluators over HTTP: state, backlog, and the rates of what they have scored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.api import read_error
from tests.support.api_reads import ask
from tests.support.evaluators import make_evaluator
from tests.support.store import opened

from tracegrade.evaluators.model import AgentTrace, Score

PATH = "/api/v1/evaluators"
LONG_AGO = "2000-01-01"


def score_by_trace(run: AgentTrace) -> Score:
    """Passes the first trace, fails the second, and skips the rest."""
    number = int(run.trace_id, 16)
    return Score.skip("not recorded") if number > 2 else Score(value=2.0 - number)


EVALUATOR = make_evaluator("own", score_by_trace, options={"least": 2}, sample=1.0, after=())
OTHER = make_evaluator("other")


def test_evaluator_has_its_state_and_the_rates_of_its_scores(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([EVALUATOR])
        store.add_runs(1, 2, 3)
        store.evaluate(EVALUATOR)
        store.add_runs(4)
        (shown,) = ask(store, PATH, evaluators=(EVALUATOR,), since=LONG_AGO).json()["evaluators"]
    assert (shown["name"], shown["state"], shown["options"]) == ("own", "running", {"least": 2})
    assert shown["progress"]["new"] == 1
    assert (shown["last_pass"]["due"], shown["last_pass"]["errors"]) == (3, 0)
    rates = shown["rates"]
    assert (rates["scored"], rates["skipped"], rates["errors"]) == (2, 1, 0)
    assert (rates["n_decided"], rates["pass_rate"], rates["mean"]) == (2, 0.5, 0.5)


def test_evaluator_without_scores_has_no_rate(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        (shown,) = ask(store, PATH, evaluators=(EVALUATOR,)).json()["evaluators"]
    assert shown["state"] == "not enrolled"
    assert shown["last_pass"] is None
    rates = shown["rates"]
    assert (rates["n_decided"], rates["pass_rate"], rates["mean"], rates["cost_usd"]) == (0, None, None, None)


def test_one_evaluator_has_its_rates_by_agent(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([EVALUATOR, OTHER])
        store.add_runs(1, name="travel")
        store.add_runs(2, name="billing")
        store.evaluate(EVALUATOR, OTHER)
        shown = ask(store, f"{PATH}/own", evaluators=(EVALUATOR, OTHER), since=LONG_AGO).json()
        about_one = ask(store, f"{PATH}/own", evaluators=(EVALUATOR, OTHER), since=LONG_AGO, agent="travel").json()
    assert {(rates["agent"], rates["pass_rate"]) for rates in shown["versions"]} == {("travel", 1.0), ("billing", 0.0)}
    assert shown["rates"]["pass_rate"] == 0.5
    assert about_one["rates"]["pass_rate"] == 1.0


def test_unknown_evaluator_names_the_nearest(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        answer = ask(store, f"{PATH}/othr", evaluators=(EVALUATOR, OTHER))
    assert read_error(answer)[:2] == (404, "not_found")
    assert answer.json()["near"] == "other"


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        pytest.param({"since": "soon"}, "since", id="no time"),
        pytest.param({"until": "7 moons"}, "until", id="no end"),
        pytest.param({"since": "2026-02-01", "until": "2026-01-01"}, "since", id="begins after its end"),
        pytest.param({"agnet": "travel"}, "agnet", id="unknown parameter"),
    ],
)
def test_wrong_period_is_refused_with_its_parameter(tmp_path: Path, query: dict[str, Any], parameter: str) -> None:
    with opened(tmp_path) as store:
        answer = ask(store, PATH, **query)
    assert read_error(answer)[:2] == (400, "malformed")
    assert [fault["parameter"] for fault in answer.json()["errors"]] == [parameter]
