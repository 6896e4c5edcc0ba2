"""Error responses: a status, and the body `{"error": {"kind", "message"}}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import orjson
from starlette.responses import Response

from ..fence import SqlError, SqlTimedOut
from ..machine import without_folders
from ..ports import AnnotationRefused, CommandRefused, Unavailable

__all__ = ["REFUSING", "Refusal", "refusal_of"]

REFUSING: Final = (SqlError, AnnotationRefused, CommandRefused, Unavailable)
"""The errors that the core raises if a request is wrong, or cannot be answered now."""

_STATUSES: Final[Mapping[str, int]] = {"malformed": 400, "not_found": 404, "conflict": 409}


class Refusal(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, kind: str, message: str, *, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.retry_after_s = retry_after_s

    def response(self) -> Response:
        """Render the error as JSON."""
        headers = {"www-authenticate": "Bearer"} if self.status == 401 else {}
        if self.retry_after_s is not None:
            headers["retry-after"] = str(self.retry_after_s)
        body = orjson.dumps({"error": {"kind": self.kind, "message": str(self)}})
        return Response(body, self.status, headers, media_type="application/json")


def refusal_of(error: Exception) -> Refusal:
    """Return the Refusal of one of the errors in `REFUSING`."""
    match error:
        case SqlTimedOut():
            return Refusal(408, error.kind, without_folders(str(error)))
        case SqlError():
            return Refusal(400, error.kind, without_folders(str(error)))
        case AnnotationRefused() | CommandRefused():
            return Refusal(_STATUSES[error.kind], error.kind, str(error))
        case _:
            return Refusal(503, "unavailable", without_folders(str(error)))
