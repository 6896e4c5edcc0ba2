"""Sessions of browsers: a signed cookie, which also ties forms to the browser that was shown them.

A cookie is valid if it has our signature. A login counts only as long as the server knows it, so that a copy of the
cookie is worth nothing after the logout.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Final, Protocol, Self

from itsdangerous import BadData, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response

__all__ = ["Logins", "Session", "Sessions"]

_COOKIE: Final = "tracegrade_session"
_HOST_COOKIE: Final = f"__Host-{_COOKIE}"
"""Over TLS: no other host below the same domain, and no answer over plain HTTP, can set it in our place."""

_COOKIE_S: Final = 30 * 24 * 3600
"""Browsers keep the cookie longer than a login lasts, so that a page can say that the login has ended."""

_PURPOSE: Final = "tracegrade.session"
_SHORT: Final = 8


class Logins(Protocol):
    """The logins that count, by the browser that they are of."""

    def begin(self, browser: str) -> None: ...

    def end(self, browser: str) -> None: ...

    def lasts(self, browser: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Session:
    """A browser, whether somebody has logged in with it, and the name (`author`) that they gave for their scores.

    `has_ended`: there was a login, which does not count any more. `is_kept`: the browser has the cookie already.
    """

    browser: str
    is_logged_in: bool = False
    author: str = ""
    has_ended: bool = False
    is_kept: bool = False

    @property
    def short_hash(self) -> str:
        """What the log calls the browser."""
        return hashlib.sha256(self.browser.encode()).hexdigest()[:_SHORT]

    @classmethod
    def start(cls, *, is_logged_in: bool = False, author: str = "") -> Self:
        """Return a session for a new browser."""
        return cls(secrets.token_urlsafe(16), is_logged_in, author)


class Sessions:
    """Reads and writes sessions in cookies. They end when the token changes."""

    def __init__(self, token: str | None, logins: Logins) -> None:
        self._token = token
        self._logins = logins
        self._key = secrets.token_bytes(32) if token is None else _derive_key(token)
        self._serializer = URLSafeTimedSerializer(self._key, salt=_PURPOSE)

    @property
    def needs_login(self) -> bool:
        """Whether the server has a token, without which nobody sees anything."""
        return self._token is not None

    def read(self, request: Request) -> Session:
        """Return the session of a request; a new one if its cookie is missing or foreign."""
        cookie = request.cookies.get(_name_cookie(request), "")
        try:
            browser, was_logged_in, author = self._serializer.loads(cookie, max_age=_COOKIE_S)
        except (BadData, ValueError, TypeError):
            return Session.start()
        lasts = was_logged_in is True and self._logins.lasts(str(browser))
        return Session(str(browser), lasts, str(author), has_ended=was_logged_in is True and not lasts, is_kept=True)

    def begin_login(self, former: Session, request: Request, response: Response) -> None:
        """Begin a new session, so that a cookie from before the login is worth nothing; the author stays."""
        session = Session.start(is_logged_in=True, author=former.author)
        self._logins.begin(session.browser)
        self.keep(session, request, response)

    def end_login(self, session: Session, request: Request, response: Response) -> None:
        """End the session, also for who has a copy of its cookie."""
        self._logins.end(session.browser)
        self.keep(Session.start(), request, response)

    def keep(self, session: Session, request: Request, response: Response) -> None:
        """Send the session to the browser."""
        response.set_cookie(
            _name_cookie(request),
            self._serializer.dumps([session.browser, session.is_logged_in, session.author]),
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
    name = _HOST_COOKIE if request.url.scheme == "https" else _COOKIE
    return name if request.url.port is None else f"{name}_{request.url.port}"
