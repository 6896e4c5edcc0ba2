"""The pages for people, on the API port."""

from __future__ import annotations

from starlette.routing import Route

from tracegrade.queries.http.access import AccessControl
from tracegrade.queries.http.api import Api
from tracegrade.queries.pages.access.session import Sessions
from tracegrade.queries.pages.assets import Assets
from tracegrade.queries.pages.page import make_page_routes
from tracegrade.queries.pages.rendering import Templates
from tracegrade.queries.pages.routes import PAGES
from tracegrade.queries.pages.site import Site

from ..clock import utc_now

__all__ = ["make_pages"]


def make_pages(api: Api, control: AccessControl) -> list[Route]:
    """Return the routes of the pages and of their files."""
    assets = Assets()
    site = Site(api, control, Sessions(control.token), Templates(assets), utc_now)
    return [assets.make_route(), *make_page_routes(PAGES, site)]
