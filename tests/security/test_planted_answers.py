"""Answers of judges that a client records for an experiment, in order to make scores of production of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.experiments import make_start
from tests.support.score_rows import make_judge_call

from tracegrade.collector.config.settings import load
from tracegrade.collector.server.commands import StoreCommands
from tracegrade.collector.server.pipeline import Pipeline
from tracegrade.collector.store.ledger.judge_calls import StoredJudgeCalls
from tracegrade.evaluators.ports import JudgeCall
from tracegrade.queries.ports import ExperimentJudgeCalls, RecordedJudgeCalls

PLANTED = {"text": '{"reasoning": "PLANTED", "score": 1.0}'}


@pytest.fixture
def pipeline(tmp_path: Path) -> Iterator[Pipeline]:
    file = tmp_path / "tracegrade.yaml"
    file.write_text("evaluators: []\n")
    pipeline = Pipeline(load(file, store=str(tmp_path / "store.duckdb")))
    yield pipeline
    asyncio.run(pipeline.close())


def plant(pipeline: Pipeline, *calls: JudgeCall) -> str:
    commands = StoreCommands(pipeline)
    experiment_id = commands.begin_experiment(make_start()).experiment_id
    commands.record_judge_calls(ExperimentJudgeCalls(experiment_id=experiment_id, calls=calls))
    return experiment_id


def production(pipeline: Pipeline) -> StoredJudgeCalls:
    return StoredJudgeCalls(pipeline.database, pipeline.results)


def rows(pipeline: Pipeline, columns: str) -> list[tuple[Any, ...]]:
    with pipeline.database.cursor() as connection:
        return connection.execute(f"select {columns} from judge_calls order by all").fetchall()


def test_production_does_not_use_answers_of_clients(pipeline: Pipeline) -> None:
    experiment_id = plant(pipeline, make_judge_call(1, response=PLANTED, recorded_by="server", experiment_id=None))
    assert production(pipeline).lookup(["h1"]) == {}
    assert rows(pipeline, "recorded_by, experiment_id") == [("client", experiment_id)]
    experiments = StoredJudgeCalls(pipeline.database, pipeline.results, experiment_id="another")
    assert experiments.lookup(["h1"])["h1"].response == PLANTED


def test_experiments_prefer_answers_of_production(pipeline: Pipeline) -> None:
    production(pipeline).record([make_judge_call(1)])
    experiment_id = plant(pipeline, make_judge_call(2, request_hash="h1", response=PLANTED))
    experiments = StoredJudgeCalls(pipeline.database, pipeline.results, experiment_id=experiment_id)
    assert experiments.lookup(["h1"])["h1"].response == {"text": "answer 1"}


@pytest.mark.parametrize("status", ["ok", "pending"])
def test_client_does_not_replace_calls_of_production(pipeline: Pipeline, status: Any) -> None:
    production(pipeline).record([make_judge_call(1, status=status)])
    plant(pipeline, make_judge_call(1, response=PLANTED))
    assert rows(pipeline, "judge_call_id, recorded_by, status") == [("call 1", "server", status)]
    assert production(pipeline).lookup(["h1"])["h1"].response == {"text": "answer 1"}


@pytest.mark.parametrize(("model", "most"), [("gpt-4.1-mini", 0.1), ("unheard-of", None)])
def test_cost_that_a_client_claims_is_limited(pipeline: Pipeline, model: str, most: float | None) -> None:
    claimed = {"input_tokens": 10**15, "output_tokens": 10**15, "cost_usd": 1e9}
    plant(pipeline, make_judge_call(1, model=model, **claimed))
    [(tokens, cost_usd)] = rows(pipeline, "input_tokens + output_tokens, cost_usd")
    assert tokens < 40_000
    assert cost_usd is None if most is None else 0 < cost_usd < most
    spent = production(pipeline).spent("default", make_judge_call(1).started_at)[""]
    assert (spent.input_tokens, spent.cost_usd) == (0, 0.0)


def test_request_does_not_raise_what_a_client_may_claim(pipeline: Pipeline) -> None:
    claimed = {"input_tokens": 5, "output_tokens": 10**12, "cost_usd": 1e9, "request": {"max_tokens": 10**12}}
    plant(pipeline, make_judge_call(1, model="gpt-4.1-mini", **claimed))
    [(tokens, cost_usd)] = rows(pipeline, "output_tokens, cost_usd")
    assert tokens <= 32_768
    assert cost_usd < 0.1


def test_id_of_a_call_is_printable() -> None:
    with pytest.raises(ValueError, match="printable"):
        RecordedJudgeCalls(calls=(make_judge_call(1, judge_call_id="e\x1ff"),))
