"""A reader of pages without a browser, who keeps cookies and fills in forms; and servers to read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tracegrade.collector.cli.demo_history import load_history_settings
from tracegrade.collector.config.settings import load

from .serving import FREE_PORTS, serve_store

__all__ = ["PageClient", "serve_history", "serve_pages"]

_FORM_TOKEN = re.compile(r'name="form_token" value="([^"]+)"')


class PageClient(httpx.Client):
    """Opens pages of a server; redirects are not followed."""

    def __init__(self, url: str) -> None:
        super().__init__(base_url=url, trust_env=False, timeout=30)

    def submit(
        self, page: str, path: str, headers: Mapping[str, str] | None = None, **fields: str | list[str]
    ) -> httpx.Response:
        """Opens a page, and sends a form of it to `path`."""
        return self.post(path, data={"form_token": self.read_form_token(page), **fields}, headers=headers)

    def read_form_token(self, page: str) -> str:
        """The token in the forms of a page."""
        found = _FORM_TOKEN.search(self.get(page).text)
        assert found is not None, f"{page} has no form that changes something"
        return found[1]

    def log_in(self, token: str) -> httpx.Response:
        """Sends the form of the login."""
        return self.submit("/login", "/login", token=token)


@contextmanager
def serve_pages(
    folder: Path, *, token: str | None = None, evaluators: Sequence[Mapping[str, Any]] = ()
) -> Iterator[str]:
    """Runs a server over the store in `folder` with these evaluators; yields its URL."""
    settings = load(store=str(folder / "store.duckdb"), token=token, evaluators=[*evaluators], listen=FREE_PORTS)
    with serve_store(settings) as url:
        yield url


@contextmanager
def serve_history(store: Path) -> Iterator[str]:
    """Runs a server over the history of the demo, with its evaluators; yields its URL."""
    with serve_store(load_history_settings(str(store), listen=FREE_PORTS)) as url:
        yield url
