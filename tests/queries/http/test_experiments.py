"""Experiments over HTTP: what is understood, and what comes back."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import httpx
import pytest
from tests.support.api import make_api, read_error
from tests.support.experiments import make_item, make_recorded_run, make_start

from tracegrade.queries.ports import (
    CommandRefused,
    ExperimentEnded,
    ExperimentJudgeCalls,
    ExperimentProgress,
    ExperimentRuns,
    ExperimentStart,
    NoSuchExperiment,
    RecordedRun,
    RunKey,
    WrongRun,
)

BEGIN, RUNS = "/api/v1/experiments", "/api/v1/experiments/e1/runs"
JUDGE_CALLS = "/api/v1/experiments/e1/judge-calls"


class Experiments:
    """Takes experiments, or refuses them, and does nothing else."""

    def __init__(self, refusal: CommandRefused | None = None) -> None:
        self.begun: list[ExperimentStart] = []
        self.recorded: list[ExperimentRuns] = []
        self.calls: list[ExperimentJudgeCalls] = []
        self._refusal = refusal

    def begin_experiment(self, start: ExperimentStart) -> ExperimentProgress:
        self.begun.append(start)
        done = (RunKey(item_id="1", repeat=0),)
        return ExperimentProgress(experiment_id="e1", name=start.name, is_continued=True, done=done)

    def record_experiment_runs(self, runs: ExperimentRuns) -> None:
        if self._refusal:
            raise self._refusal
        self.recorded.append(runs)

    def record_judge_calls(self, calls: ExperimentJudgeCalls) -> None:
        if self._refusal:
            raise self._refusal
        self.calls.append(calls)


def send(commands: Experiments, path: str, body: object) -> httpx.Response:
    async def sending() -> httpx.Response:
        app = make_api(commands=commands)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            return await client.post(path, json=body)

    return asyncio.run(sending())


def run_body(**fields: Any) -> dict[str, Any]:
    """The body of a run with a score."""
    return {**make_recorded_run(0, 1.0).model_dump(mode="json"), **fields}


def score_body(**fields: Any) -> dict[str, Any]:
    """The body of that run, with a score that has these fields."""
    body = run_body()
    return {**body, "scores": [{**body["scores"][0], **fields}]}


def test_begin_is_answered_with_the_runs_that_are_done() -> None:
    commands, start = Experiments(), make_start(metadata={"model": "small"})
    answer = send(commands, BEGIN, start.model_dump(mode="json"))
    assert (answer.status_code, answer.json()) == (
        200,
        {"experiment_id": "e1", "name": "new prompt", "is_continued": True, "done": [{"item_id": "1", "repeat": 0}]},
    )
    assert commands.begun == [start]


def test_runs_are_those_of_the_experiment_in_the_address() -> None:
    commands, run = Experiments(), make_recorded_run(0, 1.0)
    answer = send(commands, RUNS, {"runs": [run.model_dump(mode="json")], "is_last": True})
    assert (answer.status_code, answer.json()) == (200, {"experiment_id": "e1"})
    assert commands.recorded == [ExperimentRuns(experiment_id="e1", runs=(run,), is_last=True)]


START = make_start().model_dump(mode="json")
NOT_BEGUN = {
    "no name": ({**START, "name": ""}, "name: it is ''; write text that fits"),
    "control character": ({**START, "name": "new\u202eprompt"}, "name: it is"),
    "line feed": ({**START, "name": "new\nprompt"}, "name: it is"),
    "no items": ({**START, "items": 0}, "items: it is 0"),
    "no evaluators": ({**START, "evaluators": []}, "evaluators: "),
    "dataset without version": ({**START, "dataset": "refunds"}, "give dataset and dataset_version, or neither"),
    "no such field": ({**START, "repeat": 3}, "repeat: there is no such field (did you mean 'repeats'?)"),
}


@pytest.mark.parametrize(("body", "message"), NOT_BEGUN.values(), ids=NOT_BEGUN)
def test_start_that_is_not_understood_is_refused(body: dict[str, Any], message: str) -> None:
    status, kind, text = read_error(send(Experiments(), BEGIN, body))
    assert (status, kind) == (400, "malformed")
    assert message in text


NOT_RECORDED = {
    "control character": (run_body(item={"id": "a\u200b", "input": "?"}), "zero-width characters; remove them"),
    "no such status": (run_body(status="failed"), "runs[0].status"),
    "error with scores": (run_body(status="error", cause="KeyError"), "of status error has a cause and no scores"),
    "error without cause": (run_body(status="error", scores=[]), "of status error has a cause and no scores"),
    "completed with cause": (run_body(cause="KeyError"), "of status completed has an agent_trace_id and no cause"),
    "completed without a run": (run_body(agent_trace_id=None, scores=[]), "has an agent_trace_id and no cause"),
    "score of another run": (score_body(agent_trace_id="9-0"), "the score of own is not about the run 0-0"),
    "score of an experiment": (score_body(experiment_id="e1"), "has an experiment_id; leave it out, the store adds it"),
    "no such status of a score": (score_body(status="failed"), "is 'failed'; it is scored or skipped or error"),
    "value beyond 1": (score_body(value=1.5), "the value of the score of own is 1.5; it is from 0 to 1"),
    "time beyond time": (score_body(scored_at="0001-01-01T00:00:00+09:00"), "is not between 1970 and 2262"),
    "huge integer": (score_body(revision=2**70), "the score of own has an integer of more than 64 bits"),
    "field that no score has": (score_body(verdict=1), "runs[0].scores[0].verdict"),
    "score twice": (run_body(scores=run_body()["scores"] * 2), "two scores have the score_id"),
    "negative repeat": (run_body(repeat=-1), "runs[0].repeat"),
}


@pytest.mark.parametrize(("run", "message"), NOT_RECORDED.values(), ids=NOT_RECORDED)
def test_run_that_is_not_understood_is_refused(run: dict[str, Any], message: str) -> None:
    status, kind, text = read_error(send(commands := Experiments(), RUNS, {"runs": [run]}))
    assert (status, kind, commands.recorded) == (400, "malformed", [])
    assert message in text


def test_run_that_is_in_a_request_twice_is_refused() -> None:
    status, _, text = read_error(send(Experiments(), RUNS, {"runs": [run_body(), run_body()]}))
    assert (status, "repeat 0 of the item '0' is in it 2 times" in text) == (400, True)


@pytest.mark.parametrize(
    ("refusal", "expected"),
    [
        (NoSuchExperiment("no such experiment"), (404, "not_found", "no such experiment")),
        (ExperimentEnded("it has ended"), (409, "conflict", "it has ended")),
        (WrongRun("repeat 7"), (400, "malformed", "repeat 7")),
    ],
    ids=["unknown experiment", "ended", "wrong run"],
)
def test_refusal_says_whose_fault_it_is(refusal: CommandRefused, expected: tuple[int, str, str]) -> None:
    assert read_error(send(Experiments(refusal), RUNS, {"runs": [run_body()]})) == expected


def test_details_of_a_score_are_json_before_they_are_sent() -> None:
    (score,) = make_recorded_run(0, 1.0).scores
    details: Any = {3: (1, {2}), "at": make_item}
    run = make_recorded_run(0, scores=(replace(score, details=details),))
    sent = run.model_dump(mode="json")["scores"][0]["details"]
    assert sent["3"][0] == 1
    assert "make_item" in sent["at"]
    assert RecordedRun.model_validate(run.model_dump(mode="json")) == run


def test_cause_that_no_encoding_has_is_spelt_out() -> None:
    assert make_recorded_run(0, cause="lost \ud800").cause == "lost \\ud800"


def call_body(**fields: Any) -> dict[str, Any]:
    """The body of an answered call of a judge."""
    about = {"judge_call_id": "c1", "request_hash": "h1", "evaluator": "polite", "target_id": "0-0", "judge": "default"}
    said = {"model": "judge-1", "status": "ok", "response": {"text": "1"}, "input_tokens": 100, "cost_usd": 0.25}
    return {**about, **said, "started_at": "2026-11-27T12:00:00Z", **fields}


def test_judge_calls_are_those_of_the_experiment_in_the_address() -> None:
    commands = Experiments()
    answer = send(commands, JUDGE_CALLS, {"calls": [call_body(), call_body(judge_call_id="c2", status="error")]})
    assert (answer.status_code, answer.json()) == (200, {"calls": 2})
    ((experiment_id, calls),) = ((each.experiment_id, each.calls) for each in commands.calls)
    assert experiment_id == "e1"
    assert [(call.judge_call_id, call.status, call.cost_usd) for call in calls] == [
        ("c1", "ok", 0.25),
        ("c2", "error", 0.25),
    ]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (call_body(status="pending"), "a call is pending; the judges of experiments are asked live"),
        (call_body(status="lost"), "calls[0].status"),
        (call_body(started_at="1900-01-01T00:00:00Z"), "is not between 1970 and 2262"),
        (call_body(tokens=1), "calls[0].tokens"),
        ({"judge": "default"}, "calls[0].judge_call_id"),
    ],
    ids=["pending", "no such status", "time beyond time", "no such field", "no id"],
)
def test_judge_call_that_is_not_understood_is_refused(call: dict[str, Any], message: str) -> None:
    status, kind, text = read_error(send(commands := Experiments(), JUDGE_CALLS, {"calls": [call]}))
    assert (status, kind, commands.calls) == (400, "malformed", [])
    assert message in text


def test_judge_calls_of_an_unknown_experiment_are_refused() -> None:
    refused = Experiments(NoSuchExperiment("no such experiment"))
    assert read_error(send(refused, JUDGE_CALLS, {"calls": [call_body()]})) == (404, "not_found", "no such experiment")
