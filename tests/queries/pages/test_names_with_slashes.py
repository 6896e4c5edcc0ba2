"""Evaluators whose names are paths, such as those that other systems give."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from tests.support.evaluators import make_evaluator
from tests.support.pages import make_pages_app, open_page
from tests.support.store import opened

NAME = "rag/faithful?"
ADDRESS = "/evaluators/rag%2Ffaithful%3F"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Starlette]:
    evaluator = make_evaluator(NAME)
    with opened(tmp_path) as store:
        store.ledger.enrol([evaluator])
        store.add_runs(1)
        store.evaluate(evaluator)
        yield make_pages_app(store.database, evaluators=[evaluator])


def test_name_with_a_slash_has_its_pages(app: Starlette) -> None:
    address = open_page(app, "/evaluators?since=all").link(NAME)
    assert address == f"{ADDRESS}?since=all"
    shown = open_page(app, address)
    assert f"« Evaluators {NAME} ✓ running" in shown.text
    assert f'action="{ADDRESS}/backfill?since=all"' in shown.source
    asked = open_page(app, f"{ADDRESS}/backfill?since=all")
    assert f"Evaluate past runs with {NAME}" in asked.text
    assert asked.link(f"« {NAME}") == address


def test_unknown_name_with_a_slash_says_so(app: Starlette) -> None:
    shown = open_page(app, "/evaluators/rag/faithfull")
    assert (shown.status, "There is no evaluator named 'rag/faithfull'" in shown.text) == (404, True)
