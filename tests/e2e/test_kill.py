"""`kill -9`, again and again, in the middle of everything."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import httpx
import psutil
from tests.support import tale
from tests.support.command import inside
from tests.support.otlp import trace_id
from tests.support.patience import until
from tests.support.server import JUDGES, Server, running

LIVES = 3
SENDERS = 3
JUDGED = f"""select count(*) from (
    select trace_id from latest_scores where evaluator in {tuple(sorted(JUDGES))}
    group by trace_id having count(distinct evaluator) = {len(JUDGES)})"""


@dataclass
class Sender:
    """Exports numbered runs, and the one without an answer again, until the server is gone."""

    numbers: Iterator[int]
    acknowledged: list[int] = field(default_factory=list)
    unanswered: int | None = None

    def send_to(self, server: Server) -> None:
        with httpx.Client(base_url=server.otlp, trust_env=False, timeout=30) as client:
            while True:
                number = next(self.numbers) if self.unanswered is None else self.unanswered
                self.unanswered = number
                body = tale.request(tale.trip(number))
                try:
                    answer = client.post("/v1/traces", content=body, headers={"content-type": "application/x-protobuf"})
                except httpx.TransportError:
                    return
                assert answer.status_code == 200, answer.text
                self.acknowledged.append(number)
                self.unanswered = None


@contextmanager
def sending(senders: list[Sender], server: Server) -> Iterator[None]:
    """All senders at work, until the server is gone."""
    threads = [threading.Thread(target=sender.send_to, args=[server]) for sender in senders]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join()


def test_what_was_acknowledged_survives_and_nothing_is_stored_or_scored_twice(tmp_path: Path) -> None:
    store = tmp_path / "store.duckdb"
    numbers = count(1)
    senders = [Sender(numbers) for _ in range(SENDERS)]
    seed = random.SystemRandom().randrange(2**32)
    chance = random.Random(seed)
    workers = [_live(store, senders, alive_s=chance.uniform(0.2, 1.5)) for _ in range(LIVES)]
    asked = inside("sql", "--store", store, "--format", "csv", "select count(*) from spans", at=tmp_path)
    assert asked.code == 0, "the note of a dead server was believed"

    until(lambda: [worker for life in workers for worker in life if worker.is_running()], lambda left: not left)

    with running(store) as server:
        expected = set().union(*(sender.acknowledged for sender in senders))
        assert len(expected) > LIVES, "too few were acknowledged to say anything"
        kept = Counter(name for (name,) in server.rows("select trace_id from spans"))
        assert {trace_id(number) for number in expected} <= kept.keys(), f"lost, with seed {seed}"
        assert set(kept.values()) == {4}, f"halves or doubles, with seed {seed}"

        until(lambda: server.one(JUDGED), lambda judged: judged == len(kept), within_s=40)
        runs = Counter(name for (name,) in server.rows("select trace_id from agent_traces"))
        assert runs == dict.fromkeys(kept, 1), f"seed {seed}"
        assert _twice(server, "latest_scores", "target_id, evaluator, evaluator_kind, author") == [], f"seed {seed}"
        assert _twice(server, "scores", "score_id") == [], f"seed {seed}"
        assert _twice(server, "tool_calls", "agent_trace_id, position") == [], f"seed {seed}"


def _live(store: Path, senders: list[Sender], *, alive_s: float) -> list[psutil.Process]:
    """One life of a server; gives the workers that it had when it was killed."""
    with running(store) as server, sending(senders, server):
        threading.Event().wait(alive_s)
        workers = psutil.Process(server.process.pid).children(recursive=True)
        server.kill()
    return workers


def _twice(server: Server, table: str, key: str) -> list[object]:
    return server.rows(f"select {key}, count(*) from {table} group by {key} having count(*) > 1")
