"""What a killed server leaves behind. That nothing is lost or doubled by kills: `poe durability`, also in `.ci/run`."""

from __future__ import annotations

from pathlib import Path

from tests.durability.lives import Lives
from tests.support.command import inside


def test_note_of_a_dead_server_is_not_believed(tmp_path: Path) -> None:
    store = tmp_path / "store.duckdb"
    lives = Lives(store, {})
    lives.begin()
    lives.kill()
    asked = inside("sql", "--store", store, "--format", "csv", "select count(*) from spans", at=tmp_path)
    assert asked.code == 0, "the note of a dead server was believed"
    lives.expect_workers_gone()
