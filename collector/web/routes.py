"""The endpoints of the API port, in the order of the landing page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from starlette.routing import Route

from tracegrade.queries.http.access import AccessControl
from tracegrade.queries.http.api import Api
from tracegrade.queries.http.endpoint import Endpoint, make_routes
from tracegrade.queries.http.routes import API

from ..ingest.queue import IngestQueue
from .exposition import Exposition, metrics
from .health import HEALTH
from .landing import landing
from .openapi import openapi

__all__ = ["ENDPOINTS", "make_web_routes"]

ENDPOINTS: Final[Sequence[Endpoint[Any]]] = (*API, openapi, metrics, *HEALTH, landing)


def make_web_routes(api: Api, exposition: Exposition, queue: IngestQueue, control: AccessControl) -> list[Route]:
    """Bind each of ENDPOINTS to the part of the server that it uses."""
    return [
        *make_routes(API, api, control),
        openapi.make_route(ENDPOINTS, control),
        metrics.make_route(exposition, control),
        *make_routes(HEALTH, queue, control),
        landing.make_route(ENDPOINTS, control),
    ]
