"""Public names use the words of the glossary in CONTRIBUTING.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import duckdb
import pytest
from tests.contract.test_docs import settings

from tracegrade.collector.cli.commands import COMMANDS
from tracegrade.collector.metrics.counters import REGISTRY
from tracegrade.collector.reports.audit import FAULTS
from tracegrade.collector.reports.reasons import State
from tracegrade.queries import catalog

GLOSSARY = Path(__file__).parents[2] / "CONTRIBUTING.md"
KEPT = {
    "waiting_traces": "traces wait for their parents; they are not deferred targets",
}


def words(name: str) -> set[str]:
    return set(re.split(r"[^a-z]+", name.lower()))


def list_refused_words() -> set[str]:
    """The words of the column `not`, those of one word."""
    table = GLOSSARY.read_text(encoding="utf-8").partition("## Words")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split("|") for line in table.splitlines() if line.count("|") >= 4]
    listed = {word.strip() for row in rows[2:] if len(row) > 2 for word in row[2].split(",")}
    return {word for word in listed if re.fullmatch("[a-z]+", word)} - {"judge"}  # a word for the model that is asked


def public_names() -> Iterator[str]:
    yield from settings()
    yield from COMMANDS
    yield from get_args(State)
    yield from FAULTS
    yield from (metric.name for metric in REGISTRY.collect())
    connection = duckdb.connect()
    catalog.migrate(connection)
    found = connection.execute("select distinct unnest([table_name, column_name]) from duckdb_columns()").fetchall()
    yield from (name for (name,) in found)


def test_glossary_lists_words_that_are_not_used() -> None:
    assert {"verdict", "intake", "hearing", "silent"} <= list_refused_words()


@pytest.mark.parametrize("name", sorted(set(public_names())))
def test_public_name_uses_the_words_of_the_glossary(name: str) -> None:
    used = words(name) & list_refused_words()
    assert not used or used <= {word for kept in KEPT if kept in name for word in words(kept)}
