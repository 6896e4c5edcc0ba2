"""Dates the scores of a history whose runs are older than the store."""

from __future__ import annotations

from tracegrade.queries.catalog import statement

from .writer import Results

__all__ = ["date_scores"]


def date_scores(results: Results) -> None:
    """Date all scores of evaluators, and the calls of judges, as if each run had been evaluated when it was made."""
    with results.transaction() as connection:
        connection.execute(statement("date_scores_by_targets"))
        connection.execute(statement("date_judge_calls_by_scores"))
