from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from tests.support.browser import Browser, browsing
from tests.support.crawl import Crawl, crawl
from tests.support.history import history_store
from tests.support.server import Server, running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One window for all tests: each opens its page."""
    with browsing() as window:
        yield window


@pytest.fixture(scope="session")
def history_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the history of the demo, which tests only read."""
    store = history_store(tmp_path_factory).copy_to(tmp_path_factory.mktemp("history"))
    with running(store) as server:
        yield server


@pytest.fixture(scope="session")
def empty_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that has received nothing."""
    with running(tmp_path_factory.mktemp("empty") / "store.duckdb") as server:
        yield server


@pytest.fixture(scope="session")
def crawled(history_server: Server) -> Crawl:
    """The pages of the history."""
    return _crawl(history_server)


@pytest.fixture(scope="session")
def crawled_empty(empty_server: Server) -> Crawl:
    """The pages of an empty store."""
    return _crawl(empty_server)


def _crawl(server: Server) -> Crawl:
    with httpx.Client(base_url=server.web, trust_env=False, timeout=30, follow_redirects=True) as client:
        return crawl(client, "/")
