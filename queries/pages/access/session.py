"""Sessions of browsers: a signed cookie, which also ties forms to the browser that was shown them.

Nothing is stored on the server: a cookie is valid if it has our signature, and is not older than its time.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Final, Self

from itsdangerous import BadSignature, SignatureExpired, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response

__all__ = ["SESSION_S", "Session", "Sessions"]

SESSION_S: Final = 12 * 3600
"""How long a login lasts, in seconds."""

_COOKIE: Final = "tracegrade_session"
_PURPOSE: Final = "tracegrade.session"


@dataclass(frozen=True, slots=True)
class Session:
    """A browser, and whether somebody has logged in with it. `has_ended`: the login was valid, and is too old now."""

    browser: str
    is_logged_in: bool = False
    has_ended: bool = False

    @classmethod
    def start(cls, *, is_logged_in: bool = False, has_ended: bool = False) -> Self:
        """Return a session for a new browser."""
        return cls(secrets.token_urlsafe(16), is_logged_in, has_ended)


class Sessions:
    """Reads and writes sessions in cookies. With a token the sessions survive a restart of the server, and end when
    the token changes."""

    def __init__(self, token: str | None) -> None:
        self._token = token
        key = hashlib.sha256(f"{_PURPOSE}:{token or secrets.token_urlsafe(32)}".encode()).digest()
        self._key = key
        self._serializer = URLSafeTimedSerializer(key, salt=_PURPOSE)

    @property
    def needs_login(self) -> bool:
        """Whether the server has a token, without which nobody sees anything."""
        return self._token is not None

    def accepts(self, token: str) -> bool:
        """Return whether this is the server's token."""
        return self._token is not None and hmac.compare_digest(token.strip().encode(), self._token.encode())

    def read(self, request: Request) -> Session:
        """Return the session of a request; a new one if its cookie is missing, foreign or too old."""
        try:
            browser, is_logged_in = self._serializer.loads(request.cookies.get(_COOKIE, ""), max_age=SESSION_S)
            return Session(str(browser), is_logged_in is True)
        except SignatureExpired:
            return Session.start(has_ended=True)
        except (BadSignature, ValueError, TypeError):
            return Session.start()

    def keep(self, session: Session, request: Request, response: Response) -> None:
        """Send the session to the browser."""
        response.set_cookie(
            _COOKIE,
            self._serializer.dumps([session.browser, session.is_logged_in]),
            max_age=SESSION_S,
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )

    def is_kept(self, session: Session, request: Request) -> bool:
        """Return whether the browser has this session already."""
        kept = self.read(request)
        return kept == session

    def make_form_token(self, session: Session) -> str:
        """Return the token that forms shown to this browser carry."""
        return hmac.new(self._key, f"form:{session.browser}".encode(), hashlib.sha256).hexdigest()

    def accepts_form(self, session: Session, form_token: str) -> bool:
        """Return whether a form with this token was shown to this browser."""
        return hmac.compare_digest(form_token.encode(), self.make_form_token(session).encode())
