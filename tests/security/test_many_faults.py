"""Small requests with very many faults, each of which would be explained."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.page_client import PageClient, serve_pages

MANY = 20_000


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageClient]:
    with serve_pages(tmp_path_factory.mktemp("store")) as url, PageClient(url) as client:
        yield client


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/v1/experiments/x/judge-calls", {"calls": [{}] * MANY}),
        ("/api/v1/experiments/x/runs", {"runs": [{}] * MANY}),
        ("/api/v1/datasets", {"dataset": "x", "items": [{}] * MANY}),
        ("/api/v1/sql", {f"k{number}": 1 for number in range(MANY)}),
        ("/api/v1/annotations", [{}] * 1_000),
    ],
    ids=["judge calls", "runs", "items", "unknown keys", "annotations"],
)
def test_answer_explains_a_few_faults(client: PageClient, path: str, body: Any) -> None:
    answer = client.post(path, json=body)
    assert answer.status_code == 400
    assert len(answer.content) < 20_000
    assert len(answer.json().get("errors", ())) <= 20


@pytest.mark.parametrize("path", ["/api/v1/runs", "/api/v1/reports/agents"])
def test_query_has_few_parameters(client: PageClient, path: str) -> None:
    answer = client.get(path, params={f"p{number}": "1" for number in range(5_000)})
    assert (answer.status_code, "more than 100 query parameters" in answer.text) == (400, True)
