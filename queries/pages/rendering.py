"""Renders templates: everything is escaped, and a name that is missing is an error."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from . import shown
from .assets import Assets

__all__ = ["Templates"]


class Templates:
    """The templates of the pages, with filters that show numbers, times and foreign text, and the files they name."""

    def __init__(self, assets: Assets) -> None:
        self.assets = assets
        self._jinja = Environment(
            loader=PackageLoader("tracegrade.queries.pages"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._jinja.filters.update(shown.FILTERS)
        self._jinja.globals.update(asset=assets.url)

    def render(self, name: str, /, **context: Any) -> str:
        """Return the text of a template."""
        return self._jinja.get_template(name).render(context)
