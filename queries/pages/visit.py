"""A request for a page, and the answers to it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ..http.body import FORM_BYTES, read_form
from ..path_segment import read_segment
from ..read.window import Window
from .access.session import Session
from .errors import PageError
from .links import Links
from .selection import Selection
from .site import Site

__all__ = ["FORM_TOKEN", "Visit"]

FORM_TOKEN: Final = "form_token"  # noqa: S105 - the name of a field
AUTHOR: Final = "author"
"""The name of a form's field: who gives scores. The next form has it filled in."""

_MOST_CHARACTERS: Final = 200
_SEE_OTHER: Final = 303


@dataclass(frozen=True)
class Visit:
    """A request for a page, by a browser that may see it."""

    site: Site
    request: Request
    session: Session
    form_bytes: int = FORM_BYTES
    _fields: dict[str, list[str]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def selection(self) -> Selection:
        """The period and names that were chosen. Raises BadSelection."""
        return Selection.read(self.request.query_params)

    @cached_property
    def window(self) -> Window:
        """The chosen period. Raises BadSelection."""
        return self.selection.window(self.site.now())

    @cached_property
    def links(self) -> Links:
        """Makes links that keep what was chosen."""
        return Links(self.selection, self.here, self.request.query_params)

    def path(self, name: str) -> str:
        """Return a parameter of the path."""
        return read_segment(str(self.request.path_params[name]))

    @property
    def here(self) -> str:
        """The path as it was sent, so that names in it stay escaped."""
        return str(self.request.scope["raw_path"], "latin-1")

    def query(self, name: str) -> str | None:
        """Return a parameter of the URL; None if it is missing or empty."""
        return self.request.query_params.get(name, "").strip() or None

    async def form(self) -> dict[str, list[str]]:
        """Return the fields of a form of ours. Raises PageError if another site, or an older page, has sent it."""
        if not self._fields:
            self._fields.update(await read_form(self.request, limit_bytes=self.form_bytes))
        if not self.site.sessions.accepts_form(self.session, "".join(self._fields.get(FORM_TOKEN, []))):
            raise PageError(
                403,
                "This form is not valid any more",
                "The server was restarted or the session ended since the page was opened, or the browser keeps no "
                "cookies, so nothing was changed. Open the page again and repeat it.",
            )
        return self._fields

    def keep_session(self, response: Response) -> None:
        """Let the browser keep its session, if it is new or a form has sent another author."""
        session = replace(self.session, author=self._sent_author or self.session.author)
        if not session.is_kept or session != self.session:
            self.site.sessions.keep(session, self.request, response)

    @property
    def author(self) -> str:
        """Who the reader says to be, for scores that people give."""
        return self._sent_author or self.session.author or "anonymous"

    @property
    def _sent_author(self) -> str:
        return "".join(self._fields.get(AUTHOR, [])).strip()[:_MOST_CHARACTERS]

    def render(self, template: str, *, status: int = 200, **context: Any) -> Response:
        """Answer with a template."""
        return HTMLResponse(self.site.templates.render(template, visit=self, links=self.links, **context), status)

    def redirect(self, url: str) -> Response:
        """Answer a form: show another page."""
        return RedirectResponse(url, _SEE_OTHER)

    @property
    def form_token(self) -> str:
        """The token that forms of this page carry."""
        return self.site.sessions.make_form_token(self.session)
