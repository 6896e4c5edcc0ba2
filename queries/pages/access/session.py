"""Sessions of browsers: a signed cookie, which also ties forms to the browser that was shown them.

Nothing is stored on the server: a cookie is valid if it has our signature, and a login in it lasts for its time.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Any, Final, Self

from itsdangerous import BadData, SignatureExpired, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response

__all__ = ["SESSION_S", "Session", "Sessions"]

SESSION_S: Final = 12 * 3600
"""How long a login lasts, in seconds."""

_COOKIE: Final = "tracegrade_session"
_COOKIE_S: Final = 30 * 24 * 3600
"""Browsers keep the cookie longer than a login lasts, so that a page can say that the login has ended."""

_PURPOSE: Final = "tracegrade.session"


@dataclass(frozen=True, slots=True)
class Session:
    """A browser, and whether somebody has logged in with it.

    `has_ended`: there was a login, which is too old now. `is_kept`: the browser has the cookie already.
    """

    browser: str
    is_logged_in: bool = False
    has_ended: bool = False
    is_kept: bool = False

    @classmethod
    def start(cls, *, is_logged_in: bool = False) -> Self:
        """Return a session for a new browser."""
        return cls(secrets.token_urlsafe(16), is_logged_in)


class Sessions:
    """Reads and writes sessions in cookies. With a token the sessions survive a restart of the server, and end when
    the token changes."""

    def __init__(self, token: str | None) -> None:
        self._token = token
        self._key = secrets.token_bytes(32) if token is None else _derive_key(token)
        self._serializer = URLSafeTimedSerializer(self._key, salt=_PURPOSE)

    @property
    def needs_login(self) -> bool:
        """Whether the server has a token, without which nobody sees anything."""
        return self._token is not None

    def accepts(self, token: str) -> bool:
        """Return whether this is the server's token."""
        return self._token is not None and hmac.compare_digest(token.strip().encode(), self._token.encode())

    def read(self, request: Request) -> Session:
        """Return the session of a request; a new one if its cookie is missing or foreign."""
        cookie = request.cookies.get(_name_cookie(request), "")
        try:
            browser, is_logged_in = self._serializer.loads(cookie, max_age=SESSION_S)
            return Session(str(browser), is_logged_in is True, is_kept=True)
        except SignatureExpired as error:
            return self._read_old(error.payload)
        except (BadData, ValueError, TypeError):
            return Session.start()

    def _read_old(self, payload: Any) -> Session:
        """Return the session of a cookie whose time is over: forms are still tied to the browser."""
        browser, was_logged_in = self._serializer.load_payload(payload)
        return Session(str(browser), has_ended=was_logged_in is True, is_kept=True)

    def keep(self, session: Session, request: Request, response: Response) -> None:
        """Send the session to the browser."""
        response.set_cookie(
            _name_cookie(request),
            self._serializer.dumps([session.browser, session.is_logged_in]),
            max_age=_COOKIE_S,
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )

    def make_form_token(self, session: Session) -> str:
        """Return the token that forms shown to this browser carry."""
        return hmac.new(self._key, f"form:{session.browser}".encode(), hashlib.sha256).hexdigest()

    def accepts_form(self, session: Session, form_token: str) -> bool:
        """Return whether a form with this token was shown to this browser."""
        return hmac.compare_digest(form_token.encode(), self.make_form_token(session).encode())


def _derive_key(token: str) -> bytes:
    """Return a key that takes long to compute: everybody who sees the login form has a signature of it, and could
    otherwise try very many tokens without asking the server."""
    return hashlib.scrypt(token.encode(), salt=_PURPOSE.encode(), n=2**14, r=8, p=1, dklen=32)


def _name_cookie(request: Request) -> str:
    """Return the name of the cookie, with the port: browsers send the cookies of a host to all of its ports."""
    return _COOKIE if request.url.port is None else f"{_COOKIE}_{request.url.port}"
