"""The pages for people, on the API port."""

from __future__ import annotations

from starlette.routing import Route

from tracegrade.queries.http.access import AccessControl
from tracegrade.queries.http.api import Api
from tracegrade.queries.pages.access.session import Logins, Sessions
from tracegrade.queries.pages.page import make_page_routes
from tracegrade.queries.pages.rendering import Templates
from tracegrade.queries.pages.routes import PAGES
from tracegrade.queries.pages.site import Site
from tracegrade.queries.pages.streams import Streams

from ..clock import utc_now
from ..receiver.grpc_at_http import Endpoints
from .received import read_receiving

__all__ = ["make_pages"]


def make_pages(
    api: Api, control: AccessControl, *, logins: Logins, templates: Templates, endpoints: Endpoints, streams: Streams
) -> list[Route]:
    """Return the routes of the pages and of their files."""
    site = Site(
        api=api,
        control=control,
        sessions=Sessions(control.token, logins),
        templates=templates,
        now=utc_now,
        receiving=lambda: read_receiving(endpoints),
        streams=streams,
    )
    return [templates.assets.make_route(), *make_page_routes(PAGES, site)]
