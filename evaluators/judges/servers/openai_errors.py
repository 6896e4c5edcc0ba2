"""Maps errors of the `openai` client to failures; litellm raises errors derived from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import orjson

from ..exchange.failure import (
    ErrorResponse,
    Failure,
    Late,
    Refused,
    Unended,
    causes,
    fields_in,
    of_connection,
    of_status,
    without,
)
from ..exchange.judge import Judge
from ..exchange.key import secrets_of
from ..exchange.proxy import proxy_of, proxy_secrets

if TYPE_CHECKING:
    import openai

__all__ = ["failure_of"]

_MOST_SHOWN: Final = 100
"""The most characters of a web page in a message: the beginning usually says what it is."""


def failure_of(judge: Judge, error: BaseException, *, begun: bool = False, limit_s: float | None = None) -> Failure:
    """Return the Failure of `error`. `begun`: the answer had begun to arrive. `limit_s` is the time limit that raised a
    TimeoutError, None for the limit of the judge."""
    import openai  # noqa: PLC0415 - heavy

    where = judge.address or judge.model
    for cause in causes(error):
        if isinstance(cause, Failure):
            return cause
    if isinstance(error, (TimeoutError, openai.APITimeoutError)):
        if begun:
            return Unended(f"{where} began an answer that did not end within {judge.timeout_s:g} s")
        waited_s = limit_s if limit_s is not None and isinstance(error, TimeoutError) else judge.timeout_s
        return Late(f"{where} gave no answer within {waited_s:g} s")
    if isinstance(error, openai.APIStatusError):
        return of_status(judge, _error_response(judge, error))
    if isinstance(error, openai.APIConnectionError):
        secrets = (*secrets_of(judge), *proxy_secrets())
        return of_connection(judge, error, proxy=proxy_of(judge), secrets=secrets)
    return Refused(without(secrets_of(judge), f"{type(error).__name__}: {error}"))


def _error_response(judge: Judge, error: openai.APIStatusError) -> ErrorResponse:
    body = error.body if isinstance(error.body, dict) else {}
    secrets = secrets_of(judge)
    headers = getattr(error, "litellm_response_headers", None) or error.response.headers
    return ErrorResponse(
        status=error.status_code,
        message=f"{_message(error.body, secrets) or error.message}{_redirect(headers)}",
        fields=fields_in(body),
        code=str(body.get("code") or body.get("type") or ""),
        headers=headers,
        secrets=secrets,
    )


def _message(body: object, secrets: Sequence[str]) -> str | None:
    """Return the message in the body of an error, else the body as JSON; the beginning of a body that is not JSON."""
    if isinstance(body, str):
        shown = without(secrets, "".join(filter(str.isprintable, " ".join(body.split()))))
        return shown[:_MOST_SHOWN]
    if not isinstance(body, dict):
        return None
    message = body.get("message")
    return message if isinstance(message, str) else orjson.dumps(body, default=str).decode()


def _redirect(headers: Mapping[str, str]) -> str:
    """Return text that says where a redirect leads: only the host, since the rest may contain secrets."""
    with suppress(ValueError):
        host = urlsplit(headers.get("location", "")).netloc.rpartition("@")[2]
        return f", which leads to {host}" if host else ""
    return ""
