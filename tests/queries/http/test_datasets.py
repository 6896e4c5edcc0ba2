"""Changes of datasets over HTTP: what is understood, and what comes back."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
from tests.support.api import make_api, read_error

from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.model import ExpectedCall
from tracegrade.queries.ports import CommandRefused, DatasetChange, DatasetVersion, NoSuchItem, OutdatedVersion


class Datasets:
    """Takes changes, or refuses them, and does nothing else."""

    def __init__(self, refusal: CommandRefused | None = None) -> None:
        self.wanted: list[DatasetChange] = []
        self._refusal = refusal

    def change_dataset(self, change: DatasetChange) -> DatasetVersion:
        if self._refusal:
            raise self._refusal
        self.wanted.append(change)
        return DatasetVersion(
            dataset=change.dataset, version=2, items=7, added=len(change.items), changed=0, removed=0, unchanged=0
        )


def nest(levels: int) -> dict[str, Any]:
    """An object in an object, and so on."""
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"in": value}
    return value


def send(commands: Datasets, body: object) -> httpx.Response:
    async def sending() -> httpx.Response:
        app = make_api(commands=commands)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            headers = {"content-type": "application/json"}
            return await client.post("/api/v1/datasets", content=json.dumps(body), headers=headers)

    return asyncio.run(sending())


def test_change_is_answered_with_the_version_that_it_made() -> None:
    commands = Datasets()
    answer = send(commands, {"dataset": "trips", "items": [{"input": "?", "expected_tool_calls": ["search"]}]})
    assert (answer.status_code, answer.json()["version"], answer.json()["items"]) == (200, 2, 7)
    item = DatasetItem(input="?", expected_tool_calls=(ExpectedCall(name="search"),))
    assert commands.wanted == [DatasetChange(dataset="trips", items=(item,))]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param({"items": []}, "dataset: it is missing", id="no dataset"),
        pytest.param({"dataset": "a b"}, "dataset: it is 'a b'; write text that fits", id="no name"),
        pytest.param(
            {"dataset": "a", "items": [{"input": "?", "expected_calls": []}]},
            "items[0].expected_calls: there is no such field (did you mean 'expected_tool_calls'?)",
            id="no such field",
        ),
        pytest.param({"dataset": "a", "items": [{"input": 3}]}, "items[0].input", id="no input"),
        pytest.param(
            {"dataset": "a", "items": [{"input": "?"}, {"input": "!", "metadata": {"n": 2**64}}]},
            "items[1].metadata.n: it has more than 64 bits; write it as text",
            id="large number",
        ),
        pytest.param({"dataset": "a", "items": [{"input": "\ud800"}]}, "the body is not JSON", id="half a character"),
        pytest.param(
            {"dataset": "a", "items": [{"input": "?", "metadata": nest(150)}]},
            "items[0].metadata: it is nested more than 100 levels deep",
            id="deep",
        ),
        pytest.param({"dataset": "a", "items": [{"input": "?", "metadata": nest(500)}]}, "recursion", id="deepest"),
    ],
)
def test_change_that_is_not_understood_is_refused(body: dict[str, Any], message: str) -> None:
    status, kind, told = read_error(send(Datasets(), body))
    assert (status, kind) == (400, "malformed")
    assert message in told


@pytest.mark.parametrize(
    ("refusal", "expected"),
    [
        (NoSuchItem("trips has no item '1'"), (404, "not_found", "trips has no item '1'")),
        (OutdatedVersion("version 1 is not the newest"), (409, "conflict", "version 1 is not the newest")),
    ],
    ids=["unknown item", "changed meanwhile"],
)
def test_refusal_says_whose_fault_it_is(refusal: CommandRefused, expected: tuple[int, str, str]) -> None:
    assert read_error(send(Datasets(refusal), {"dataset": "trips", "removed": ["1"]})) == expected
