"""`tracegrade mcp`: answers a coding agent over standard input and output, which belong to the protocol."""

from __future__ import annotations

from pathlib import Path

from ..client.settings import load_settings
from ..errors import Fault

__all__ = ["mcp"]

_OF_THE_EXTRA = frozenset({"mcp", "mcp_types"})


def mcp(*, store: str | None, config: Path | None, server: str | None) -> int:
    settings = load_settings(config, store=store)
    try:
        from ..mcp.access import Access  # noqa: PLC0415 - an extra
        from ..mcp.server import build_server  # noqa: PLC0415 - likewise
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _OF_THE_EXTRA:
            raise
        raise Fault("the MCP server needs pip install 'tracegrade[mcp]'") from error
    build_server(Access(settings, server=server)).run("stdio")
    return 0
