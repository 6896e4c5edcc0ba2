"""Whom commands show their token: the server that holds the store, and nobody who writes a note beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import inside
from tests.support.http_servers import AnswerServer, serve_answer
from tests.support.server import running

from tracegrade.collector.client import discovery
from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile

ALIVE = b'{"status":"ok"}'
HOLDER = "import sys, duckdb; held = duckdb.connect(sys.argv[1]); print(flush=True); sys.stdin.read()"
ASKING = [
    ("sql", "select 1"),
    ("tail", "--no-follow"),
    ("snapshot", "c.duckdb"),
    ("reload",),
    ("backfill", "--since=1d"),
]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "s.duckdb"
    DuckDbFile(path).close()
    return path


@contextmanager
def held(store: Path) -> Iterator[int]:
    """The id of a process that has the store open, and is no server."""
    command = [sys.executable, "-c", HOLDER, str(store)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holding:
        assert holding.stdout is not None
        holding.stdout.readline()
        yield holding.pid
        holding.communicate()


def planted(store: Path, url: str, pid: int) -> Path:
    """A note of somebody who wants to be asked."""
    said: Mapping[str, Any] = {"pid": pid, "url": url, "otlp_url": url, "version": "1", "started_at": "now"}
    note = store.with_name("s.duckdb.server")
    note.write_text(json.dumps(said))
    return note


def is_asked(stranger: AnswerServer, store: Path, *command: str) -> bool:
    """Whether a command goes to the stranger, rather than say that the store is held."""
    done = inside(*command, "--store", store, at=store.parent, TRACEGRADE_TOKEN="sesame")
    assert stranger.asked or done.code == 4, done
    return bool(stranger.asked)


@pytest.mark.parametrize("command", ASKING, ids=lambda command: command[0])
def test_process_that_does_not_hold_the_store_is_not_shown_the_token(store: Path, command: tuple[str, ...]) -> None:
    with serve_answer(200, ALIVE) as stranger, held(store):
        planted(store, stranger.url, os.getppid())
        assert not is_asked(stranger, store, *command)


def test_address_of_another_machine_is_not_shown_the_token(store: Path) -> None:
    with held(store) as pid:
        for url in ("http://192.0.2.7:8400", "http://evil.example", "http://127.0.0.1.evil.example", "http://1@evil.b"):
            planted(store, url, pid)
            assert discovery.read_note(str(store)) is None


def test_note_that_is_a_link_is_not_believed(store: Path) -> None:
    with serve_answer(200, ALIVE) as stranger, held(store) as pid:
        note = planted(store, stranger.url, pid)
        note.symlink_to(note.rename(store.with_name("elsewhere")))
        assert not is_asked(stranger, store, "sql", "select 1")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_note_of_another_user_is_not_believed(store: Path) -> None:
    with serve_answer(200, ALIVE) as stranger, held(store) as pid:
        os.chown(planted(store, stranger.url, pid), 65534, 65534)
        assert not is_asked(stranger, store, "sql", "select 1")


def test_pipe_in_place_of_the_note_holds_nobody_up(store: Path) -> None:
    os.mkfifo(store.with_name("s.duckdb.server"))
    with held(store):
        assert "--server" in inside("sql", "select 1", "--store", store, at=store.parent).err


def test_server_that_holds_the_store_is_found_and_its_note_is_its_user_s_alone(tmp_path: Path) -> None:
    with running(tmp_path / "s.duckdb", web="0.0.0.0:0", variables={"TRACEGRADE_TOKEN": "sesame"}) as server:
        done = inside("sql", "select 42 as x", "--store", server.store, at=tmp_path, TRACEGRADE_TOKEN="sesame")
        note = server.store.with_name("s.duckdb.server")
        assert (done.code, "42" in done.text, note.stat().st_mode & 0o777) == (0, True, 0o600), done
