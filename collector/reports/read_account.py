"""Reads the account of a trace from a server, with that server's evaluators, or builds it from an opened store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from ..client.source import LocalSource, RemoteSource

if TYPE_CHECKING:
    from ..config.settings import Settings

__all__ = ["Account", "ask_server", "read_account"]

Account: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]
"""An account of `reports.account`, read from JSON."""


def read_account(source: LocalSource | RemoteSource, settings: Settings, prefix: str) -> Account:
    """Return the account of the runs whose id begins with `prefix`. Raises SqlRefused or Fault."""
    if isinstance(source, RemoteSource):
        return ask_server(source, prefix)
    from ..config.settings import evaluators_of  # noqa: PLC0415 - a server has its own evaluators
    from .account import build_account  # noqa: PLC0415 - likewise

    built = build_account(source.read, settings, evaluators_of(settings), prefix)
    account: Account = orjson.loads(orjson.dumps(built))
    return account


def ask_server(server: RemoteSource, prefix: str) -> Account:
    """Return the account as a server gives it. Raises Fault."""
    account: Account = server.post("/api/v1/explain", {"id": prefix}).json()
    return account
