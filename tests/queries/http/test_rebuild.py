"""Rebuilds over HTTP: what is understood, and what comes back."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import httpx
import pytest
from tests.support.api import make_api, read_error

from tracegrade.queries.ports import Rebuild, Rebuilding, RebuildUnderWay

PATH = "/api/v1/rebuild"


class Rebuilds:
    """Takes rebuilds, or refuses them, and does nothing else."""

    def __init__(self, refusal: RebuildUnderWay | None = None) -> None:
        self.wanted: list[Rebuild] = []
        self._refusal = refusal

    def rebuild(self, wanted: Rebuild) -> Rebuilding:
        if self._refusal:
            raise self._refusal
        self.wanted.append(wanted)
        return Rebuilding(rebuild_id=3, since=wanted.since, traces=7, done=0, is_joined=False)


def send(commands: Rebuilds, body: object) -> httpx.Response:
    async def sending() -> httpx.Response:
        app = make_api(commands=commands)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            return await client.post(PATH, json=body)

    return asyncio.run(sending())


def test_rebuild_is_answered_with_how_much_there_is_to_do() -> None:
    commands = Rebuilds()
    answer = send(commands, {"since": "2026-01-01T00:00:00Z"})
    assert answer.status_code == 200
    assert answer.json() == {
        "rebuild_id": 3,
        "since": "2026-01-01T00:00:00Z",
        "traces": 7,
        "done": 0,
        "is_joined": False,
    }
    assert commands.wanted == [Rebuild(since=datetime(2026, 1, 1, tzinfo=UTC))]


def test_rebuild_of_everything_needs_no_time() -> None:
    commands = Rebuilds()
    assert send(commands, {}).json()["since"] is None
    assert commands.wanted == [Rebuild()]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param({"since": "yesterday"}, "since", id="no time"),
        pytest.param({"since": "1066-10-14"}, "is not between 1970 and 2262", id="before computers"),
        pytest.param({"sinse": "2026-01-01"}, "did you mean 'since'?", id="no such field"),
    ],
)
def test_rebuild_that_is_not_understood_is_refused(body: dict[str, str], message: str) -> None:
    answer = send(Rebuilds(), body)
    assert answer.status_code == 400
    assert message in answer.json()["detail"]


def test_rebuild_that_another_one_does_not_cover_is_a_conflict() -> None:
    answer = send(Rebuilds(RebuildUnderWay("a rebuild is under way")), {})
    assert read_error(answer) == (409, "conflict", "a rebuild is under way")
