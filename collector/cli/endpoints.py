"""Shows the addresses that receive spans: each port with its protocol."""

from __future__ import annotations

import re
from typing import Final

from tracegrade.evaluators.text.messages import counted

from ..client.discovery import ServerNote, find_server
from ..client.http_client import HttpClient, Unreachable
from ..config.api_token import explain_exposure
from ..config.settings import Settings
from .console import console, plain

__all__ = ["GRPC", "HTTP", "show_endpoints"]

GRPC: Final = "grpc"
HTTP: Final = "http/protobuf"
"""The values of OTEL_EXPORTER_OTLP_PROTOCOL."""

_OWN_RECORDS: Final = re.compile(r"^tracegrade_own_records_total\{[^}]*\} (\S+)$", re.MULTILINE)
_NO_SERVER = 4
_TIMEOUT_S = 5.0


def show_endpoints(settings: Settings) -> int:
    """Print the variables to set where the agent runs. Return 0 if a server accepts spans now, else 4."""
    note = find_server(settings.store)
    if note is None:
        listen = settings.listen
        console().print(f"no server is running for {plain(settings.store)}; `tracegrade serve` would listen at")
        _show_addresses(listen.grpc, listen.http)
        _warn(explain_exposure(listen.web, settings.token))
        return _NO_SERVER
    fault = _find_fault(note)
    console().print(
        f"server {note.version} at {plain(note.url)}, process {note.pid}: {plain(fault or 'ready')}", soft_wrap=True
    )
    _show_addresses(note.otlp_grpc or settings.listen.grpc, note.otlp_url.removeprefix("http://"))
    _warn(explain_exposure(note.open_at, None) if note.open_at else None)
    if own := _count_own_records(note, settings):
        console().print(
            f"{counted(own, 'record')} left out since its start: it had exported them itself",
            soft_wrap=True,
        )
    return _NO_SERVER if fault else 0


def _warn(exposure: str | None) -> None:
    if exposure is not None:
        console().print(f"[yellow]warning[/yellow]: {plain(exposure)}", soft_wrap=True)


def _show_addresses(grpc: str, http: str) -> None:
    for protocol, address in ((GRPC, grpc), (HTTP, http)):
        console().print(
            f"    OTEL_EXPORTER_OTLP_PROTOCOL={protocol:<13}  OTEL_EXPORTER_OTLP_ENDPOINT=http://{address}",
            soft_wrap=True,
        )
    console().print(
        "Each port has one protocol, and exporters have different defaults: set both variables where the agent runs."
    )


def _count_own_records(note: ServerNote, settings: Settings) -> int:
    """Return the number of spans and log records that the server recognised as its own; 0 if it does not answer."""
    headers = {"authorization": f"Bearer {settings.token.get_secret_value()}"} if settings.token else {}
    try:
        metrics = HttpClient(note.url, headers=headers, timeout_s=_TIMEOUT_S).get("/metrics").content.decode()
    except (Unreachable, UnicodeDecodeError):
        return 0
    return sum(int(float(count)) for count in _OWN_RECORDS.findall(metrics))


def _find_fault(note: ServerNote) -> str | None:
    """Explain why the server does not accept spans; None if it does."""
    try:
        answer = HttpClient(note.url, timeout_s=_TIMEOUT_S).get("/readyz")
        return None if answer.is_success else str(answer.json()["detail"])
    except (Unreachable, ValueError, LookupError, TypeError) as error:
        return f"not ready: {error}"
