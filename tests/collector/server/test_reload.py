"""What a server takes over from a configuration that it reads again, and what it says of the rest."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tracegrade.collector.config.settings import Settings, load
from tracegrade.collector.reports.cookbook import open_library
from tracegrade.collector.server.reload import Reload


def reloaded(at_start: Settings, now: Settings) -> tuple[Settings, list[str]]:
    """With what the server goes on, and what needs a restart."""
    taken: list[Settings] = []

    async def change(settings: Settings) -> None:
        taken.append(settings)

    waiting = asyncio.run(Reload(at_start, lambda: now, change)())
    return taken[0], waiting


def test_who_judges_and_when_changes_at_once() -> None:
    now = load(
        evaluators=[{"use": "tool_error"}],
        judges={"default": {"model": "another"}},
        evaluation={"every": "1s", "session_idle": "1m"},
        assembly={"judge_settle": "1m"},
        listen={"allowed_hosts": "grade.example.com", "allowed_origins": "https://dashboards.example.com"},
        reports="questions",
        prices={"my-*": {"input_usd_per_million": 1, "output_usd_per_million": 2}},
    )
    assert reloaded(load(), now) == (now, [])


def test_reports_are_read_without_a_folder_of_ones_own() -> None:
    settings, _ = reloaded(load(), load())
    assert "failed" in open_library(settings).reports


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ({"export": {"endpoint": "http://127.0.0.1:9"}}, "export.endpoint"),
        ({"evaluation": {"worker_memory": "1GiB"}}, "evaluation.worker_memory"),
        ({"assembly": {"idle": "5m"}}, "assembly.idle"),
        ({"token": "new"}, "token"),
        ({"listen": {"web": "127.0.0.1:9"}}, "listen.web"),
    ],
    ids=["where scores are sent", "memory", "assembly", "token", "address"],
)
def test_what_a_start_has_built_stays_whole_until_the_next_one(said: dict[str, Any], named: str) -> None:
    assert reloaded(load(), load(**said)) == (load(), [named])
    assert reloaded(load(**said), load()) == (load(**said), [named])
