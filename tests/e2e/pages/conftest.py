from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.support.browser import Browser, browsing
from tests.support.crawl import Crawl, crawl
from tests.support.history import history_store
from tests.support.page_client import serve_history, serve_pages


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One window for all tests: each opens its page."""
    with browsing() as window:
        yield window


@pytest.fixture(scope="session")
def history_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with the history of the demo, which tests only read."""
    with serve_history(history_store(tmp_path_factory).copy_to(tmp_path_factory.mktemp("history"))) as url:
        yield url


@pytest.fixture(scope="session")
def empty_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that has received nothing."""
    with serve_pages(tmp_path_factory.mktemp("empty")) as url:
        yield url


@pytest.fixture(scope="session")
def crawled(history_url: str) -> Crawl:
    """The pages of the history."""
    return crawl(history_url, "/?since=7d")


@pytest.fixture(scope="session")
def crawled_empty(empty_url: str) -> Crawl:
    """The pages of an empty store."""
    return crawl(empty_url, "/")
