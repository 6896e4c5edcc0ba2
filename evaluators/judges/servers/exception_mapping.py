"""Maps exceptions of a judge's function to failures.

Exceptions of client libraries are recognised by the names of their classes: no library is imported, and any may be
missing.
"""

from __future__ import annotations

import errno
import socket
from contextlib import suppress
from typing import Any, Final

from ..exchange.failure import (
    Busy,
    ErrorResponse,
    Failure,
    Misconfigured,
    Refused,
    Unreachable,
    brief,
    causes,
    of_status,
)
from ..exchange.judge import Judge
from ..exchange.key import secrets_of

__all__ = ["meaning"]

_GOT_NO_ANSWER: Final = frozenset(
    {
        "APIConnectionError",  # openai, anthropic, litellm
        "TransportError",  # httpx
        "ClientConnectionError",  # aiohttp
        "ClientPayloadError",
        "ConnectionError",  # requests, botocore
        "Timeout",
        "ChunkedEncodingError",
        "HTTPClientError",  # botocore
        "HTTPException",  # http.client
        "URLError",  # urllib
        "MaxRetryError",  # urllib3
        "ProtocolError",
        "TimeoutError",
        "SSLError",  # ssl, and most of them
    }
)
"""Names of exception classes, or of their bases, for a request without an answer."""

_OF_THE_NETWORK: Final = (ConnectionError, TimeoutError, socket.gaierror)
_NUMBERS_OF_THE_NETWORK: Final = frozenset(
    {
        errno.EADDRNOTAVAIL,
        errno.EHOSTDOWN,
        errno.EHOSTUNREACH,
        errno.ENETDOWN,
        errno.ENETRESET,
        errno.ENETUNREACH,
        errno.ENOTCONN,
    }
)


def meaning(judge: Judge, raised: BaseException) -> Failure:
    """Return the Failure of an exception of the function of a judge.

    An error of a client library counts anywhere in the chain of causes, an error of the network only if the function
    raised it or raised another error from it. Any other exception is a fault of the function: Refused.
    """
    text = _text(raised)
    why = f"{judge.python} raised {brief(secrets_of(judge), text)}"
    for cause in causes(raised):
        if (error_response := _error_response(cause, text)) is not None:
            return _of_answer(judge, error_response, why)
        if _is_without_answer(cause):
            return Unreachable(why)
    kind = Unreachable if any(map(_is_of_the_network, causes(raised, implied=False))) else Refused
    return kind(why)


def _text(error: BaseException) -> str:
    name = type(error).__name__
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - its `__str__` may be user code
        return name
    return f"{name}: {text}" if text else name


def _error_response(error: BaseException, message: str) -> ErrorResponse | None:
    """Return the error response behind a client library's exception, if there is one."""
    with suppress(Exception):  # properties may raise anything
        response = getattr(error, "response", None)
        status = _status(error, response)
        if status is None:
            return None
        code = getattr(error, "code", None)
        return ErrorResponse(
            status=status,
            message=message,
            code=code if isinstance(code, str) else None,
            headers=_headers(response) or _headers(error),
        )
    return None


def _status(error: BaseException, response: object) -> int | None:
    """Return the HTTP status, by the attributes of openai, aiohttp, Google and httpx, in this order."""
    if not isinstance(error, Exception):
        return None  # SystemExit has a `code`, too
    statuses = [getattr(error, name, None) for name in ("status_code", "status", "code")]
    statuses.append(getattr(response, "status_code", None))
    return next((int(status) for status in statuses if isinstance(status, int) and 300 <= status < 600), None)


def _headers(holder: Any) -> dict[str, str]:
    headers = getattr(holder, "headers", None)
    return {str(name).lower(): str(value) for name, value in headers.items()} if headers else {}


def _of_answer(judge: Judge, error_response: ErrorResponse, why: str) -> Failure:
    """Return the Failure of an error response; the user has to correct the settings of the function."""
    match of_status(judge, error_response):
        case Busy() as busy:
            return Busy(why, retry_after_s=busy.retry_after_s)
        case Misconfigured():
            return Misconfigured(f"{why}; correct what it asks with: its key, credit, model or address")
        case failure:
            return type(failure)(why)


def _is_without_answer(error: BaseException) -> bool:
    kinds = type(error).__mro__
    return any(kind.__name__ in _GOT_NO_ANSWER and kind.__module__ != "builtins" for kind in kinds)


def _is_of_the_network(error: BaseException) -> bool:
    return isinstance(error, _OF_THE_NETWORK) or (isinstance(error, OSError) and error.errno in _NUMBERS_OF_THE_NETWORK)
