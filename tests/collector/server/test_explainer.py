"""What a server answers when it is asked to explain, and its store cannot be asked."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tracegrade.collector.config.settings import Settings
from tracegrade.collector.server.explainer import Explainer
from tracegrade.collector.store.errors import StoreInvalidated
from tracegrade.queries import fence
from tracegrade.queries.ports import Unavailable


class Failing:
    """A reader whose every query ends so."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def read(self, sql: str, **options: Any) -> Any:
        raise self._error


def make_explainer(error: Exception) -> Explainer:
    lanes: Any = SimpleNamespace(settings=Settings(), evaluators=())
    return Explainer(Failing(error), lambda: lanes)


def test_store_that_is_opened_again_is_no_fault_of_the_question() -> None:
    with pytest.raises(Unavailable, match="try again"):
        make_explainer(StoreInvalidated()).explain("ab")


def test_query_that_fails_is_told_as_such() -> None:
    with pytest.raises(fence.SqlError, match="the limit is 30 s"):
        make_explainer(fence.SqlTimedOut("stopped: the limit is 30 s")).explain("ab")
