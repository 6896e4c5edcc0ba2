"""Where spans are received: each port with its protocol."""

from __future__ import annotations

import re
from typing import Final

from tracegrade.evaluators.text.messages import counted

from ..client.discovery import ServerNote, find_server
from ..client.http_client import HttpClient, Unreachable
from ..config.api_token import open_to_others
from ..config.settings import Settings
from .console import console, plain

__all__ = ["GRPC", "HTTP", "show_endpoints"]

GRPC: Final = "grpc"
HTTP: Final = "http/protobuf"
"""What OTEL_EXPORTER_OTLP_PROTOCOL calls them."""

_OWN_RECORDS: Final = re.compile(r"^tracegrade_own_records_total\{[^}]*\} (\S+)$", re.MULTILINE)
_NO_SERVER = 4
_PATIENCE_S = 5.0


def show_endpoints(settings: Settings) -> int:
    """Prints what to set where the agent runs; the exit code says whether a server accepts spans now."""
    note = find_server(settings.store)
    if note is None:
        listen = settings.listen
        console().print(f"no server is running for {plain(settings.store)}; `tracegrade serve` would listen at")
        _show(listen.grpc, listen.http)
        _warn(open_to_others(listen.web, settings.token))
        return _NO_SERVER
    trouble = _trouble(note)
    console().print(
        f"server {note.version} at {plain(note.url)}, process {note.pid}: {plain(trouble or 'ready')}", soft_wrap=True
    )
    _show(note.otlp_grpc or settings.listen.grpc, note.otlp_url.removeprefix("http://"))
    _warn(open_to_others(note.open_at, None) if note.open_at else None)
    if own := _left_out(note):
        console().print(
            f"{counted(own, 'record')} left out since its start: it had exported them itself",
            soft_wrap=True,
        )
    return _NO_SERVER if trouble else 0


def _warn(why: str | None) -> None:
    if why is not None:
        console().print(f"[yellow]warning[/yellow]: {plain(why)}", soft_wrap=True)


def _show(grpc: str, http: str) -> None:
    for protocol, address in ((GRPC, grpc), (HTTP, http)):
        console().print(
            f"    OTEL_EXPORTER_OTLP_PROTOCOL={protocol:<13}  OTEL_EXPORTER_OTLP_ENDPOINT=http://{address}",
            soft_wrap=True,
        )
    console().print(
        "Each port has one protocol, and exporters have different defaults: set both variables where the agent runs."
    )


def _left_out(note: ServerNote) -> int:
    """Read how many spans and log records the server recognised as its own."""
    try:
        metrics = HttpClient(note.url, timeout_s=_PATIENCE_S).get("/metrics").content.decode()
    except (Unreachable, UnicodeDecodeError):
        return 0
    return sum(int(float(count)) for count in _OWN_RECORDS.findall(metrics))


def _trouble(note: ServerNote) -> str | None:
    """Explain why the server does not accept spans; None if it does."""
    try:
        answer = HttpClient(note.url, timeout_s=_PATIENCE_S).get("/readyz")
        return None if answer.is_success else str(answer.json()["reason"])
    except (Unreachable, ValueError, LookupError, TypeError) as error:
        return f"not ready: {error}"
