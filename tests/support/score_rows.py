"""Rows of `judge_calls`, and of `scores` by judges and people."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import uuid4

import duckdb

from tracegrade.collector.records.arrow_batch import table
from tracegrade.collector.store.engines.arrow import registered, schema
from tracegrade.evaluators.ports import JudgeCall

__all__ = ["BEGAN", "insert_scores", "make_judge_call", "make_judge_score", "make_person_score"]

BEGAN = datetime(2026, 1, 1, 12)  # noqa: DTZ001 - as the store keeps it


def make_judge_call(number: int, **fields: Any) -> JudgeCall:
    """A call that asked the judge `default` question `number`; it is answered, and its tokens are not recorded."""
    usual: dict[str, Any] = {
        "judge_call_id": f"call {number}",
        "request_hash": f"h{number}",
        "evaluator": "polite",
        "target_id": "run",
        "judge": "default",
        "model": "gpt-4.1-mini",
        "request": {"prompt": f"question {number}"},
        "response": {"text": f"answer {number}"},
        "status": "ok",
        "started_at": BEGAN,
    }
    return JudgeCall(**{**usual, **fields})


def insert_scores(connection: duckdb.DuckDBPyConnection, *rows: Mapping[str, Any]) -> None:
    """Inserts rows into `scores`; what a row leaves out is that of the evaluator `polite`, version 1."""
    full = [{**_USUAL, "score_id": f"{uuid4()} {number}", **row} for number, row in enumerate(rows)]
    with registered(connection, "given_scores", table(full, schema(connection, "scores"))):
        connection.execute("insert into scores by name select * from given_scores")


def make_judge_score(target: str = "run", **fields: Any) -> dict[str, Any]:
    """A row of `scores` by the judge."""
    usual = {"target_id": target, "evaluator_kind": "llm", "author": "tracegrade", "judge_model": "small"}
    return {**usual, **fields}


def make_person_score(target: str = "run", author: str = "ada", **fields: Any) -> dict[str, Any]:
    """A row of `scores` by a person."""
    usual = {
        "target_id": target,
        "evaluator_kind": "human",
        "author": author,
        "evaluator_version": 0,
        "config_hash": "",
    }
    return {**usual, **fields}


_USUAL = {
    "scope": "trace",
    "trace_id": "t",
    "span_id": "agent",
    "target_time": BEGAN,
    "evaluator": "polite",
    "evaluator_type": "rubric",
    "evaluator_version": 1,
    "config_hash": "c",
    "threshold": 0.5,
    "details": "{}",
    "status": "scored",
    "scored_at": BEGAN,
}
