"""`kill -9`, again and again, in the middle of everything; `poe durability` does it for longer."""

from __future__ import annotations

import math
import random
import secrets
from dataclasses import replace
from pathlib import Path

import pytest
from tests.durability import kills
from tests.durability.lives import Lives
from tests.durability.part import Trial
from tests.support.command import inside

DEATHS = (0.3, 0.9, 1.6)
SENT = 60


@pytest.mark.timeout(300)
def test_what_was_acknowledged_survives_and_nothing_is_stored_or_scored_twice(tmp_path: Path) -> None:
    seed = secrets.randbits(32)
    chance = random.Random(seed)
    lives = [kills.Life(death="kill", lasts_s=at_s + chance.random() / 2, workers_die_at_s=()) for at_s in DEATHS]
    plan = kills.Plan.drawn(chance, 0)
    plan = replace(plan, lives=lives, batches=plan.batches[:SENT], pause_s=3 * sum(DEATHS) / SENT)
    found = kills.carry_out(plan, Trial(0, chance, tmp_path, math.inf, print))
    assert list(found.faults) == [], f"with seed {seed}"
    assert found.counts.faults == 0
    assert found.counts.kills == len(DEATHS)
    assert found.counts.spans > len(DEATHS), "too few were acknowledged to say anything"


def test_note_of_a_dead_server_is_not_believed(tmp_path: Path) -> None:
    store = tmp_path / "store.duckdb"
    lives = Lives(store, {})
    lives.begin()
    lives.kill()
    asked = inside("sql", "--store", store, "--format", "csv", "select count(*) from spans", at=tmp_path)
    assert asked.code == 0, "the note of a dead server was believed"
    lives.expect_workers_gone()
