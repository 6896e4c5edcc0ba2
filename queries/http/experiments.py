"""Experiments over HTTP: their runs are evaluated by the client, and recorded here."""

from __future__ import annotations

from pydantic import BaseModel

from ..ports import (
    ExperimentJudgeCalls,
    ExperimentProgress,
    ExperimentRuns,
    ExperimentStart,
    RecordedJudgeCalls,
    RecordedRuns,
)
from .api import Api
from .endpoint import Call, endpoint

__all__ = ["begin_experiment", "record_experiment_runs", "record_judge_calls"]


class ExperimentId(BaseModel):
    """The experiment whose runs were recorded."""

    experiment_id: str


class RecordedCalls(BaseModel):
    """The number of judge calls that were recorded."""

    calls: int


@endpoint(
    "POST",
    "/api/v1/experiments",
    "begin an experiment, or continue an interrupted one",
    body=ExperimentStart,
    answer=ExperimentProgress,
    example='{"name": "new prompt", "items": 40, "evaluators": [{"name": "tool_error", "version": 1, '
    '"config_hash": "…"}], "task": "my_agent:answer", "plan_hash": "…"}',
)
async def begin_experiment(api: Api, call: Call) -> ExperimentProgress:
    """Answer with the experiment, and the runs of it that are stored."""
    start = call.body(ExperimentStart)
    return await api.admin_commands.run(lambda: api.commands.begin_experiment(start))


@endpoint(
    "POST",
    "/api/v1/experiments/{id}/runs",
    "keep the evaluated runs of an experiment",
    body=RecordedRuns,
    answer=ExperimentId,
    example='{"runs": [{"item": {"id": "1", "input": "I want my money back"}, "position": 0, "status": "error", '
    '"cause": "TimeoutError"}], "is_last": true}',
)
async def record_experiment_runs(api: Api, call: Call) -> ExperimentId:
    """Answer with the id of the experiment."""
    body = call.body(RecordedRuns)
    runs = ExperimentRuns(experiment_id=call.path("id"), runs=body.runs, is_last=body.is_last)
    await api.admin_commands.run(lambda: api.commands.record_experiment_runs(runs))
    return ExperimentId(experiment_id=runs.experiment_id)


@endpoint(
    "POST",
    "/api/v1/experiments/{id}/judge-calls",
    "keep the answers of judges to questions of an experiment",
    body=RecordedJudgeCalls,
    answer=RecordedCalls,
    example='{"calls": [{"judge_call_id": "1", "request_hash": "…", "evaluator": "polite", "target_id": "…", '
    '"judge": "default", "model": "gpt-4.1-mini", "status": "ok", "response": {"text": "1"}, '
    '"started_at": "2026-11-27T12:00:00"}]}',
)
async def record_judge_calls(api: Api, call: Call) -> RecordedCalls:
    """Answer with the number of calls."""
    body = call.body(RecordedJudgeCalls)
    calls = ExperimentJudgeCalls(experiment_id=call.path("id"), calls=body.calls)
    await api.admin_commands.run(lambda: api.commands.record_judge_calls(calls))
    return RecordedCalls(calls=len(calls.calls))
