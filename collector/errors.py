"""The errors that refuse an export or end a command, sorted by who has to act.

CollectorError
├── Rejected          the sender is wrong; sending it again cannot help
│   ├── Malformed     the body is not OTLP                        HTTP 400  INVALID_ARGUMENT
│   ├── Unsupported   the content type is not supported           HTTP 415  INVALID_ARGUMENT
│   ├── Forbidden     it may come from another site's page        HTTP 403  PERMISSION_DENIED
│   └── TooLarge      the request is over a limit                 HTTP 413  INVALID_ARGUMENT
└── Unavailable       the server is at fault; send it again later HTTP 503  UNAVAILABLE
    ├── Overloaded    there is no room for more requests          HTTP 503  UNAVAILABLE
    ├── StoreBusy     the database cannot take a write            HTTP 503  UNAVAILABLE
    └── Draining      the server is about to stop                 HTTP 503  UNAVAILABLE

Fault                 the user of the command has to act          exit code of the command
└── SqlRefused        the author of the query has to change it    exit code 2

OTLP senders act on the codes: they drop what is Rejected and repeat what is Unavailable.
https://opentelemetry.io/docs/specs/otlp/#failures
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "CollectorError",
    "Draining",
    "Fault",
    "Forbidden",
    "Malformed",
    "Overloaded",
    "Rejected",
    "SqlRefused",
    "StoreBusy",
    "TooLarge",
    "Unavailable",
    "Unsupported",
]


class CollectorError(Exception):
    """Base class of refusals. The message goes to the sender: it names what is wrong and who must act."""

    http_status: ClassVar[int]
    grpc_code: ClassVar[int]


class Rejected(CollectorError):
    http_status = 400
    grpc_code = 3  # INVALID_ARGUMENT


class Malformed(Rejected):
    pass


class Unsupported(Rejected):
    http_status = 415


class Forbidden(Rejected):
    http_status = 403
    grpc_code = 7  # PERMISSION_DENIED


class TooLarge(Rejected):
    http_status = 413


class Unavailable(CollectorError):
    """A refusal after which the sender keeps its records and sends them again after `retry_after_s`."""

    http_status = 503
    grpc_code = 14  # UNAVAILABLE

    def __init__(self, message: str, *, retry_after_s: int = 5) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Overloaded(Unavailable):
    pass


class StoreBusy(Unavailable):
    pass


class Draining(Unavailable):
    pass


class Fault(Exception):
    """An error that ends a command. The message names the reason and the remedy."""

    exit_code: int = 2

    def __init__(self, message: str, *, exit_code: int | None = None) -> None:
        super().__init__(message)
        if exit_code is not None:
            self.exit_code = exit_code


class SqlRefused(Fault):
    """DuckDB or the fence refuses a query, or it takes too long: its author must act.

    The message is that of the refusal.
    """
