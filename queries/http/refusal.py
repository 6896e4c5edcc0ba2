"""Refused requests: a status, a kind, what to do, and where the fault is; answered with a problem document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from ..fence import SqlError, SqlTimedOut, find_place
from ..machine import without_folders
from ..ports import AnnotationRefused, CommandRefused, Unavailable
from .problem import Details, Problem

__all__ = ["IS_CROWDED", "REASON", "REFUSING", "Refusal", "check_room", "refusal_of"]

REFUSING: Final = (SqlError, AnnotationRefused, CommandRefused, Unavailable)
"""The errors that the core raises if a request is wrong, or cannot be answered now."""

IS_CROWDED: Final = "is_crowded"
"""Under this name the state of a request says that the port has only connections for probes left."""

REASON: Final = "reason"
"""Under this name the state of a request has the reason for which it was refused, for the metrics."""

_RETRY_AFTER_S: Final = 5
_STATUSES: Final[Mapping[str, int]] = {"malformed": 400, "not_found": 404, "conflict": 409}


class Refusal(Exception):
    """A request that is answered with a problem document."""

    def __init__(
        self,
        status: int,
        kind: str,
        message: str,
        *,
        reason: str | None = None,
        details: Details | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        """`reason` is the word for metrics, where it says more than `kind`."""
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.reason = reason or kind
        self.details = details
        self.retry_after_s = retry_after_s

    def response(self) -> Response:
        """Render the refusal as a problem document."""
        headers = {"www-authenticate": "Bearer"} if self.status == 401 else {}
        if self.retry_after_s is not None:
            headers["retry-after"] = str(self.retry_after_s)
        return Problem.of(self.status, self.kind, str(self), self.details).response(headers)


def check_room(request: Request) -> None:
    """Raise Refusal if the port has only connections for probes left."""
    if getattr(request.state, IS_CROWDED, False):
        crowded = "nearly all connections of this port wait for an answer: send the request again later"
        raise Refusal(503, "unavailable", crowded, reason="connections", retry_after_s=_RETRY_AFTER_S)


def refusal_of(error: Exception, *, sql: str = "") -> Refusal:
    """Return the Refusal of one of the errors in `REFUSING`; `sql` is the statement that the client sent, if any.

    A statement of our own that takes too long has a limit that the client cannot raise.
    """
    match error:
        case SqlError():
            if isinstance(error, SqlTimedOut) and error.limit is not None and not sql:
                advice = f"stopped: the limit is {error.limit:g} s. Narrow the period or the filter."
                return Refusal(408, error.kind, advice, details=Details(limit=error.limit))
            status = 408 if isinstance(error, SqlTimedOut) else 400
            return Refusal(status, error.kind, without_folders(str(error)), details=_details_of(error, sql))
        case AnnotationRefused() | CommandRefused():
            return Refusal(_STATUSES[error.kind], error.kind, str(error))
        case _:
            return Refusal(503, "unavailable", without_folders(str(error)))


def _details_of(error: SqlError, sql: str) -> Details:
    place = find_place(str(error), sql) if sql else None
    at = {} if place is None else {"line": place.line, "position": place.position}
    return Details(limit=error.limit, setting=error.setting, **at)
