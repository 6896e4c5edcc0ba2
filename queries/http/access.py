"""Decides whether a request may call an endpoint.

A web page of another site cannot call one: a form cannot send application/json to another site, and a foreign name that
resolves to this address is not an allowed host.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from starlette.requests import Request

from .hosts import AllowedHosts, name_of
from .problem import Details
from .refusal import Refusal

__all__ = [
    "ATTEMPT",
    "CALLER",
    "CHANGE",
    "Access",
    "AccessControl",
    "TokenAttempt",
    "explain_foreign_host",
    "note_change",
]

ATTEMPT: Final = "token_attempt"
"""Under this name the state of a request has its TokenAttempt."""

CALLER: Final = "caller"
"""Under this name the state of a request says who sends it: `token`, or `login` with the beginning of its hash."""

CHANGE: Final = "change"
"""Under this name the state of a request that changes something has what the log says of it, beside its path."""


class TokenAttempt(Protocol):
    """What a request does with its token, as seen by whoever counts the guesses of its client."""

    def may_compare(self) -> bool:
        """Return whether the token is compared; if not, the request is refused, whatever its token is."""

    def end(self, *, is_right: bool) -> None:
        """Note the result of the comparison."""


class Access(StrEnum):
    """The requirements for a request."""

    ANYONE = "anyone"
    HOST = "host"
    """Its Host header must be a name of the server."""

    TOKEN = "token"  # noqa: S105 - a word, not a token
    """It must also present the token, if one is set."""


@dataclass(frozen=True, slots=True)
class AccessControl:
    """Checks requests against the token and the names of the server."""

    token: str | None
    allowed_hosts: AllowedHosts = field(default_factory=AllowedHosts)

    def check(self, request: Request, access: Access) -> None:
        """Raise Refusal if the request does not meet `access`."""
        if access is Access.ANYONE:
            return
        self._check_host(request.headers.get("host", ""))
        if access is Access.TOKEN:
            self._check_token(request)

    def _check_host(self, host: str) -> None:
        if host not in self.allowed_hosts:
            setting = Details(setting="listen.allowed_hosts")
            raise Refusal(403, "forbidden", explain_foreign_host(host), details=setting)

    def accepts(self, request: Request, token: str) -> bool:
        """Return whether this is the server's token, and note on the request what it is.

        False, too, if too many guesses of the same client wait for their answers.
        """
        attempt: TokenAttempt | None = getattr(request.state, ATTEMPT, None)
        if attempt is not None and not attempt.may_compare():
            return False
        is_right = self.token is not None and hmac.compare_digest(token.strip().encode(), self.token.encode())
        if attempt is not None:
            attempt.end(is_right=is_right)
        if is_right:
            setattr(request.state, CALLER, "token")
        return is_right

    def _check_token(self, request: Request) -> None:
        if self.token is None:
            return
        scheme, _, presented = request.headers.get("authorization", "").partition(" ")
        if presented and scheme.lower() == "bearer" and self.accepts(request, presented):
            return
        raise Refusal(
            401, "unauthorized", "send `Authorization: Bearer …` with the value of the server's TRACEGRADE_TOKEN"
        )


def note_change(request: Request, **facts: str) -> None:
    """Let the log say that this request changes something, and these facts of it. They hold no content of the store."""
    setattr(request.state, CHANGE, {**getattr(request.state, CHANGE, {}), **facts})


def explain_foreign_host(host: str) -> str:
    """Return why a request with this Host header is refused, and which setting would allow it."""
    name = name_of(host)
    if name is None:
        return f"{host[:100]!r} is not the name of a host: call this server by one of its names"
    return (
        f"this server does not answer to the name {name!r}. If it is one of its names, allow it in tracegrade.yaml "
        f'with `listen: {{allowed_hosts: ["{name}"]}}`, or set TRACEGRADE_LISTEN__ALLOWED_HOSTS={name}'
    )
