"""Refused requests as pages: what was refused, in words that fit what the reader did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlette.datastructures import QueryParams

from ..http.refusal import Refusal
from .errors import PageError, as_sentence

__all__ = ["explain_address_of_form", "explain_refusal"]

_SERVER_ERRORS: Final = 500
_UNCHANGED: Final = "Nothing was changed."
_TITLES: Final[Mapping[int, str]] = {
    400: "This cannot be shown",
    401: "The token is wrong",
    403: "This server does not answer under that name",
    404: "There is no such thing",
    408: "This took too long",
    409: "This cannot be shown now",
    503: "The server cannot show this now",
}
_TITLES_OF_FORMS: Final[Mapping[int, str]] = {
    400: "This was not accepted",
    401: "The token is wrong",
    403: "This server does not answer under that name",
    404: "What was to be changed is not there",
    408: "The form did not arrive in time",
    409: "This cannot be done now",
    413: "The form is too large",
    415: "This is no form of a page",
    503: "The server cannot do this now",
}
_SENTENCES_OF_FORMS: Final[Mapping[int, str]] = {
    408: "The connection was too slow. Send the form again.",
    413: "Shorten its texts, or send them in parts.",
    415: "Forms are sent by the buttons of these pages. Programs use the API: see /api/v1.",
}


def explain_refusal(refusal: Refusal, *, is_form: bool) -> PageError:
    """Return the page that says why a request was refused; `is_form`: it was to change something."""
    status = refusal.status
    if not is_form:
        title = _TITLES.get(status, "This cannot be shown")
        return PageError(status, title, as_sentence(refusal), retry_after_s=refusal.retry_after_s)
    sentence = _SENTENCES_OF_FORMS.get(status, as_sentence(refusal))
    advice = f"{sentence} {_UNCHANGED}" if status < _SERVER_ERRORS else sentence
    title = _TITLES_OF_FORMS.get(status, "This was not accepted")
    return PageError(status, title, advice, retry_after_s=refusal.retry_after_s)


def explain_address_of_form(here: str, query: QueryParams) -> PageError:
    """Return the page for a reader who opens the address that a form is sent to, as when they load its answer again."""
    page_of_form = here.rpartition("/")[0] or "/"
    return PageError(
        405,
        "This address only takes forms",
        "Opening it does nothing, and changed nothing. Open the page of the form to send it again.",
        link=(f"{page_of_form}?{query}" if query else page_of_form, "Open the page of the form"),
    )
