"""What is outside of all pages and endpoints of the port: wrong tokens are answered late, and changes are logged."""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections.abc import Callable
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tracegrade.evaluators.judges.limits.bounded_dict import BoundedDict
from tracegrade.queries.http.access import CALLER, CHANGE, WRONG_TOKEN
from tracegrade.queries.http.refusal import REASON, Refusal

from ..system.log import log

__all__ = ["Guard", "WrongTokens"]

_FIRST_S, _LONGEST_S = 0.25, 4.0
_FORGOTTEN_S: Final = 900.0
_MOST_WAITING: Final = 32
_MOST_ADDRESSES: Final = 10_000
_IPV6_NETWORK: Final = 64
"""The bits of an IPv6 address that one customer of a provider cannot change."""


class WrongTokens:
    """How long each address waits for the answer to a wrong token: twice as long each time, until it stops guessing."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._counts: BoundedDict[tuple[int, float]] = BoundedDict(_MOST_ADDRESSES)
        self.waiting = 0
        """How many answers are held up at this moment."""

    def count(self, address: str) -> float | None:
        """Count a wrong token of this address; return how long its answer waits, in seconds.

        None if as many answers wait as may: each holds a connection.
        """
        network = _find_network(address)
        count, last = self._counts.get(network, (0, 0.0))
        count = count + 1 if self._now() - last < _FORGOTTEN_S else 1
        self._counts[network] = (count, self._now())
        if self.waiting >= _MOST_WAITING:
            return None
        return min(_FIRST_S * 2.0 ** min(count - 1, 10), _LONGEST_S)


class Guard:
    """Holds up the answers to wrong tokens, never one to a right token; logs who changes what, and from where."""

    def __init__(self, app: ASGIApp, wrong_tokens: WrongTokens) -> None:
        self._app = app
        self._wrong_tokens = wrong_tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state: dict[str, Any] = scope.setdefault("state", {})
        address = scope["client"][0] if scope.get("client") else ""
        status, is_replaced = 500, False

        async def answer(message: Message) -> None:
            nonlocal status, is_replaced
            if message["type"] == "http.response.start":
                status = message["status"]
                if WRONG_TOKEN in state and (is_replaced := not await self._hold_up(scope, address)):
                    status = 429
                    state[REASON] = "wrong_tokens"
                    await _TOO_MANY.response()(scope, receive, send)
            if not is_replaced:
                await send(message)

        try:
            await self._app(scope, receive, answer)
        finally:
            if CHANGE in state:
                facts = {"caller": state.get(CALLER, "nobody"), "address": address, **state[CHANGE]}
                log.info("change", method=scope["method"], path=scope["path"], status=status, **facts)

    async def _hold_up(self, scope: Scope, address: str) -> bool:
        """Wait as long as the address has to; return False at once if too many wait already."""
        wrong_tokens = self._wrong_tokens
        delay_s = wrong_tokens.count(address)
        if delay_s is None:
            return False
        log.warning("a wrong token was sent", address=address, path=scope["path"])
        wrong_tokens.waiting += 1
        try:
            await asyncio.sleep(delay_s)
        finally:
            wrong_tokens.waiting -= 1
        return True


_TOO_MANY: Final = Refusal(
    429,
    "unauthorized",
    "too many wrong tokens are sent to this server: wait, and send the value of its TRACEGRADE_TOKEN",
    retry_after_s=int(_LONGEST_S),
)


def _find_network(address: str) -> str:
    """Return what an address is counted by."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return address
    return str(parsed.ipv4_mapped or ipaddress.ip_network((parsed.packed, _IPV6_NETWORK), strict=False))
