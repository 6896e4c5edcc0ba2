"""What a page of another site lets the browser of a reader send, who has logged in."""

from __future__ import annotations

import random
from collections.abc import Sequence
from threading import Event
from typing import Final

from ..attacker import Attacker, Met, Target

__all__ = ["ATTACKERS"]

_PAUSE_S: Final = 0.05
_ONE_BIT: Final = "sql:case when exists(from spans) then error('yes') else true end"
_SITES: Final = ("cross-site", "same-site")
_ADDRESSES: Final = (
    ("GET", f"/api/v1/runs?q={_ONE_BIT}"),
    ("GET", "/api/v1/runs?q=refund"),
    ("GET", f"/runs?q={_ONE_BIT}"),
    ("GET", "/runs?q=refund"),
    ("GET", "/sql?sql=select 1"),
    ("POST", "/logout"),
    ("POST", "/sql"),
)


def _ask(target: Target, chance: random.Random, met: Met, stopped: Event) -> None:
    """As a part of that page, or in place of it by a form, neither of which may be answered."""
    with target.connect(has_token=True) as client:
        while not stopped.wait(_PAUSE_S):
            method, address = chance.choice(_ADDRESSES)
            is_form = method == "POST"
            headers = {
                "sec-fetch-site": chance.choice(_SITES),
                "sec-fetch-mode": "navigate" if is_form else "no-cors",
                "sec-fetch-dest": "document" if is_form else chance.choice(("object", "image", "script")),
            }
            if is_form:
                headers["origin"] = "http://site.example"
            met.ask(client, method, address, headers=headers, data={"a": "b"} if is_form else None, may_succeed=False)


ATTACKERS: Final[Sequence[Attacker]] = (Attacker("cross-site requests", _ask),)
