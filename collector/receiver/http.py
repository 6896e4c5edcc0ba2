"""OTLP over HTTP: POST /v1/traces, /v1/logs and /v1/metrics, as protobuf or JSON.

https://opentelemetry.io/docs/specs/otlp/#otlphttp
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message
from google.rpc.status_pb2 import Status
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tracegrade.queries.http.access import explain_foreign_host
from tracegrade.queries.http.hosts import AllowedHosts

from ..errors import CollectorError, Forbidden, Unavailable, Unsupported
from ..otlp.json import Converted, to_protobuf
from ..otlp.limits import RequestLimits
from ..otlp.signal import Signal
from . import Consumer, ExportOutcome
from .body import read
from .status import answer, only_collector_errors, status

__all__ = ["routes"]

_PROTOBUF: Final = "application/x-protobuf"
_JSON: Final = "application/json"
_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
_UNIMPLEMENTED: Final = 12
_QUICK_BYTES: Final = 64 * 1024  # JSON of this size is converted in about a millisecond


def routes(consumer: Consumer, *, limits: RequestLimits, hosts: AllowedHosts | None = None) -> list[Route]:
    """Make the routes of OTLP/HTTP, with an answer for senders that miss them. They take everything below /v1/, from
    senders that `hosts` allows."""
    receiver = _Receiver(consumer, limits, hosts or AllowedHosts())
    exports = [Route(f"/v1/{signal}", partial(receiver.export, signal), methods=["POST"]) for signal in Signal]
    return [*exports, Route("/v1/{path:path}", _answer_elsewhere, methods=list(_METHODS))]


@dataclass(frozen=True, slots=True)
class _Receiver:
    consumer: Consumer
    limits: RequestLimits
    hosts: AllowedHosts
    converting: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def export(self, signal: Signal, request: Request) -> Response:
        try:
            with only_collector_errors():
                outcome = await self._receive(signal, request)
        except CollectorError as error:
            return _make_refusal(request, error)
        return _make_response(request, answer(signal, outcome))

    async def _receive(self, signal: Signal, request: Request) -> ExportOutcome:
        _refuse_pages(request, self.hosts)
        media_type = _read_media_type(request)
        if media_type not in {_PROTOBUF, _JSON}:
            raise Unsupported(f"content-type {media_type[:80]!r} is not known here: send {_PROTOBUF} or {_JSON}")
        with self.consumer.reserve(0) as room:
            body = await read(request, room, limits=self.limits)
            if media_type == _PROTOBUF:
                return await self.consumer.accept(signal, body)
            converted = await self._convert(signal, body)
            return _add_refused(await self.consumer.accept(signal, converted.body), converted)

    async def _convert(self, signal: Signal, body: bytes) -> Converted:
        """Convert large bodies in a thread, one after the other: in parallel they take more memory and no less time."""
        if len(body) <= _QUICK_BYTES:
            return to_protobuf(signal, body, self.limits)
        async with self.converting:
            return await asyncio.to_thread(to_protobuf, signal, body, self.limits)


def _refuse_pages(request: Request, hosts: AllowedHosts) -> None:
    """Raise Forbidden where the page of another site sends, or may do so."""
    origin, host = request.headers.get("origin"), request.headers.get("host", "")
    if origin is not None and not hosts.allow_page(origin):
        raise Forbidden(
            f"pages of {origin[:100]!r} may not send records here; a name of this server, whose pages may, stands in "
            "`listen.allowed_hosts`"
        )
    if not hosts.allow_sender(host):
        raise Forbidden(explain_foreign_host(host))


def _add_refused(outcome: ExportOutcome, converted: Converted) -> ExportOutcome:
    if not converted.refused:
        return outcome
    messages = (*converted.reasons, outcome.message)
    return replace(
        outcome,
        rejected=outcome.rejected + converted.refused,
        message="; ".join(message for message in messages if message),
    )


async def _answer_elsewhere(request: Request) -> Response:
    """Answer for a path or method that OTLP does not have, with an error of OTLP."""
    if request.path_params["path"] in set(Signal):
        refusal = Status(code=_UNIMPLEMENTED, message=f"{request.method} is not OTLP: send records with POST")
        return _make_response(request, refusal, http_status=405, headers={"allow": "POST"})
    paths = ", ".join(f"/v1/{signal}" for signal in Signal)
    refusal = Status(code=_UNIMPLEMENTED, message=f"nothing is received at this path: send records to {paths}")
    return _make_response(request, refusal, http_status=404)


def _make_refusal(request: Request, error: CollectorError) -> Response:
    headers = {"retry-after": str(error.retry_after_s)} if isinstance(error, Unavailable) else None
    return _make_response(request, status(error), http_status=error.http_status, headers=headers)


def _make_response(
    request: Request, message: Message, *, http_status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    """Encode `message` as the request is; JSON where that is neither, since it is most likely a person."""
    if _read_media_type(request) == _PROTOBUF:
        return Response(message.SerializeToString(), http_status, headers, media_type=_PROTOBUF)
    return Response(MessageToJson(message, indent=None), http_status, headers, media_type=_JSON)


def _read_media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()
