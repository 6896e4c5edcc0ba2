"""What is outside of all pages and endpoints of the port: wrong tokens are answered late, and changes are logged."""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tracegrade.evaluators.judges.limits.bounded_dict import BoundedDict
from tracegrade.queries.http.access import ATTEMPT, CALLER, CHANGE
from tracegrade.queries.http.refusal import REASON, REFUSING, Refusal

from ..receiver.http_connection import PEER
from ..system.log import log

__all__ = ["Attempt", "Guard", "WrongTokens", "find_client"]

_FIRST_S, _LONGEST_S = 0.25, 4.0
_FORGOTTEN_S: Final = 900.0
_MOST_WAITING: Final = 32
_MOST_OF_NETWORK: Final = 4
_MOST_NETWORKS: Final = 10_000
_IPV6_NETWORK: Final = 64
"""The bits of an IPv6 address that one customer of a provider cannot change."""

_FAMILIAR_S: Final = 12 * 3600.0
_MOST_OF_FAMILIAR: Final = 100
"""From a network that sent the right token within these hours, so many guesses since then are compared at any speed, so
that somebody who guesses there holds up nobody else."""

_REPORT_S: Final = 10.0


@dataclass(slots=True)
class _Guesses:
    """The guesses of a network; `waits` are the times at which the delays of the last ones end."""

    count: int = 0
    last: float = 0.0
    waits: list[float] = field(default_factory=list)


@dataclass(slots=True)
class _Familiar:
    """When the last right token of a network came, and how many wrong ones since then."""

    right_at: float
    wrong: int = 0


class WrongTokens:
    """How long each network waits for the answer to a wrong token: twice as long each time, until it stops guessing.

    While four guesses of a network wait, its tokens are not compared at all: otherwise each answer, however early, says
    that a guess was wrong, and guessing goes on at any speed.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._networks: BoundedDict[_Guesses] = BoundedDict(_MOST_NETWORKS)
        # By themselves: whoever guesses from thousands of networks pushes out none of those.
        self._familiar: BoundedDict[_Familiar] = BoundedDict(_MOST_NETWORKS)
        self.waiting = 0
        """How many answers are held up at this moment."""

    def may_compare(self, address: str) -> bool:
        """Return whether a token of this address is compared at this moment."""
        network = _find_network(address)
        guesses, familiar = self._networks.get(network), self._familiar.get(network)
        if guesses is None or len(self._list_waits(guesses)) < _MOST_OF_NETWORK:
            return True
        if familiar is None or self._now() - familiar.right_at >= _FAMILIAR_S:
            return False
        return familiar.wrong < _MOST_OF_FAMILIAR

    def count(self, address: str) -> float | None:
        """Count a wrong token of this address; return how long its answer waits, in seconds.

        None if as many answers wait as may, of this network or of all: each holds a connection.
        """
        now, network = self._now(), _find_network(address)
        guesses = self._networks.get(network) or _Guesses()
        waits = self._list_waits(guesses)
        count = guesses.count + 1 if now - guesses.last < _FORGOTTEN_S else 1
        delay_s = min(_FIRST_S * 2.0 ** min(count - 1, 10), _LONGEST_S)
        is_held_up = self.waiting < _MOST_WAITING and len(waits) < _MOST_OF_NETWORK
        # Its network waits for it in any case: else nothing would slow down those who guess while all places are taken.
        waits = [*waits, now + delay_s][-_MOST_OF_NETWORK:]
        self._networks[network] = _Guesses(count, now, waits)
        if (familiar := self._familiar.get(network)) is not None:
            familiar.wrong += 1
        return delay_s if is_held_up else None

    def note_right(self, address: str) -> None:
        """Note that the right token came from this address."""
        self._familiar[_find_network(address)] = _Familiar(self._now())

    def _list_waits(self, guesses: _Guesses) -> list[float]:
        now = self._now()
        return [end for end in guesses.waits if end > now]


class Attempt:
    """The token of a request: whether it was compared, and how long its answer waits."""

    def __init__(self, wrong_tokens: WrongTokens, address: str) -> None:
        self._wrong_tokens = wrong_tokens
        self._address = address
        self.is_refused = False
        """Whether the request has a token that is wrong, or was not compared."""
        self.delay_s: float | None = None
        """How long the answer to a wrong token waits; None if it is answered at once that there are too many."""

    def may_compare(self) -> bool:
        """Return whether the token is compared."""
        may = self._wrong_tokens.may_compare(self._address)
        self.is_refused = self.is_refused or not may
        return may

    def end(self, *, is_right: bool) -> None:
        """Count a wrong token, or note a right one."""
        if is_right:
            self._wrong_tokens.note_right(self._address)
        else:
            self.is_refused = True
            self.delay_s = self._wrong_tokens.count(self._address)
            self._wrong_tokens.waiting += self.delay_s is not None

    def close(self) -> None:
        """Give back the place of an answer that waited."""
        self._wrong_tokens.waiting -= self.delay_s is not None


class Guard:
    """Holds up the answers to wrong tokens; logs who changes what, from where, and which answers were cut off."""

    def __init__(self, app: ASGIApp, wrong_tokens: WrongTokens) -> None:
        self._app = app
        self._wrong_tokens = wrong_tokens
        self._refused = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state: dict[str, Any] = scope.setdefault("state", {})
        address = find_client(scope)
        attempt = state[ATTEMPT] = Attempt(self._wrong_tokens, address)
        status, is_replaced = 500, False

        async def answer(message: Message) -> None:
            nonlocal status, is_replaced
            if message["type"] == "http.response.start":
                status = message["status"]
                if attempt.is_refused and (is_replaced := not await self._hold_up(attempt, scope, address)):
                    status = 429
                    state[REASON] = "wrong_tokens"
                    await _TOO_MANY.response()(scope, receive, send)
            if not is_replaced:
                await send(message)

        try:
            await self._app(scope, receive, answer)
        except REFUSING as error:  # the query of an export failed, or the server stops; the connection is closed
            log.warning("an answer was cut off", path=scope["path"], cause=type(error).__name__)
        finally:
            attempt.close()
            if CHANGE in state:
                facts = {"caller": state.get(CALLER, "nobody"), "address": address, **state[CHANGE]}
                log.info("change", method=scope["method"], path=scope["path"], status=status, **facts)

    async def _hold_up(self, attempt: Attempt, scope: Scope, address: str) -> bool:
        """Wait as long as the address has to; return False at once if too many wait already."""
        if attempt.delay_s is None:
            self._count_refused(address)
            return False
        log.warning("a wrong token was sent", address=address, path=scope["path"])
        await asyncio.sleep(attempt.delay_s)
        return True

    def _count_refused(self, address: str) -> None:
        """Count a token that was refused at once; log their number later, in one line."""
        if self._refused == 0:
            asyncio.get_running_loop().call_later(_REPORT_S, self._log_refused, address)
        self._refused += 1

    def _log_refused(self, first_address: str) -> None:
        log.warning("too many wrong tokens were sent", refused=self._refused, within_s=_REPORT_S, first=first_address)
        self._refused = 0


_TOO_MANY: Final = Refusal(
    429,
    "unauthorized",
    "too many wrong tokens are sent from your network or to this server, so that not all are compared: wait, and send "
    "the value of its TRACEGRADE_TOKEN",
    retry_after_s=int(_LONGEST_S),
)


def find_client(scope: Scope) -> str:
    """Return the address of the client; that of the proxy in front, if what this forwards is no address."""
    peer = scope.get("state", {}).get(PEER, "")
    forwarded = scope["client"][0] if scope.get("client") else peer
    try:
        address = ipaddress.ip_address(forwarded)
    except ValueError:
        return str(peer)
    return str(getattr(address, "ipv4_mapped", None) or address)


def _find_network(address: str) -> str:
    """Return what an address is counted by."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return address
    return str(parsed.ipv4_mapped or ipaddress.ip_network((parsed.packed, _IPV6_NETWORK), strict=False))
