from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.support.server import Server, running


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One hurried server for all tests that do not mind each other's traces."""
    with running(tmp_path_factory.mktemp("server") / "store.duckdb") as one:
        yield one
