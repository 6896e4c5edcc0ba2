"""The overview of a store without runs: how to send some, and what has arrived so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from starlette.responses import Response

from ..visit import Visit
from .frameworks import FRAMEWORKS

__all__ = ["show_empty"]

_FIRST_RUN: Final = "/live?since=all&after=0"
"""The counts of all runs, whatever the reader has chosen."""

_ANY_ADDRESS: Final = ("0.0.0.0", "::", "[::]")  # noqa: S104 - compared, not listened on


def show_empty(visit: Visit, unbound_budgets: Sequence[str]) -> Response:
    """Show where to send spans; the page turns into the overview with the first run.

    Raises BadSelection, as the overview would.
    """
    visit.selection.window(visit.site.now())
    receiving = visit.site.receiving()
    return visit.render(
        "empty.html",
        receiving=receiving,
        grpc=_find_url(visit, receiving.grpc),
        http=_find_url(visit, receiving.http),
        frameworks=FRAMEWORKS,
        live=_FIRST_RUN,
        unbound_budgets=unbound_budgets,
    )


def _find_url(visit: Visit, address: str) -> str:
    """Return the URL under which the reader's machine reaches an address of this server."""
    host, _, port = address.rpartition(":")
    if host in _ANY_ADDRESS:
        host = urlsplit(f"//{visit.request.headers.get('host', '')}").hostname or "127.0.0.1"
        host = f"[{host}]" if ":" in host else host
    return f"http://{host}:{port}"
