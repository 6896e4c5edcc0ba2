"""Problem documents: errors as `application/problem+json`. Source: https://www.rfc-editor.org/rfc/rfc9457.html"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

__all__ = ["GUARDING_HEADERS", "MEDIA_TYPE", "Details", "InputFault", "Problem"]

MEDIA_TYPE: Final = "application/problem+json"

GUARDING_HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}
"""What every answer has that has no such header of its own: no page of another site may frame it, embed it, keep a hold
on its window, or find it in a cache, and no browser takes it for another type."""


class InputFault(BaseModel):
    """One fault of a request: in its body, at a JSON pointer such as `#/target/trace_id`, or in a query parameter."""

    model_config = ConfigDict(frozen=True)

    detail: str
    pointer: str | None = None
    parameter: str | None = None


class Details(BaseModel):
    """Where the fault is, and which limit was reached, as far as it applies."""

    model_config = ConfigDict(frozen=True)

    position: int | None = Field(default=None, description="of the fault in a filter or statement: characters, from 0")
    line: int | None = Field(default=None, description="of the fault in a statement, from 1")
    near: str | None = Field(default=None, description="the known name that is nearest to an unknown one")
    errors: tuple[InputFault, ...] | None = Field(default=None, description="every fault of the request")
    limit: float | None = Field(default=None, description="the limit that was reached")
    setting: str | None = Field(default=None, description="what raises the limit: a setting, or a field of the request")


class _Core(BaseModel):
    type: str = "about:blank"
    title: str
    status: int
    detail: str
    kind: str


class Problem(Details, _Core):
    """Why a request was not answered. `detail` says what to do; `kind` is for programs."""

    @classmethod
    def of(cls, status: int, kind: str, detail: str, details: Details | None = None) -> Problem:
        """Return the document for a status, whose phrase is the title."""
        rest = {} if details is None else dict(details)
        return cls(title=HTTPStatus(status).phrase, status=status, detail=detail, kind=kind, **rest)

    def response(self, headers: Mapping[str, str] | None = None) -> Response:
        """Render the document, without what does not apply."""
        content = self.model_dump_json(exclude_none=True)
        return Response(content, self.status, dict(headers or {}), media_type=MEDIA_TYPE)
