"""Guesses of the token: on the page, one after the other; at the API and the metrics, very many at once."""

from __future__ import annotations

import random
from collections.abc import Sequence
from threading import Event
from typing import Final

import httpx

from ..attacker import THROUGH, Attacker, Met, Target, read_form_token
from .held import Hold

__all__ = ["ATTACKERS"]

_PAUSE_S: Final = 0.01
_PATHS: Final = ("/api/v1/runs", "/metrics", "/")
_AT_ONCE: Final = 128


def _guess_on_page(target: Target, chance: random.Random, met: Met, stopped: Event) -> None:
    with target.connect() as client:
        form_token = ""
        while not stopped.wait(_PAUSE_S):
            if not form_token:
                form_token = read_form_token(met.ask(client, "GET", "/login"))
                continue
            form = {"form_token": form_token, "token": chance.randbytes(8).hex(), "next": "/"}
            answer = met.ask(client, "POST", "/login", data=form, may_succeed=False)
            if answer is not None and answer.status_code == httpx.codes.SEE_OTHER:
                met.answers[f"303{THROUGH}"] += 1
            if answer is None or answer.status_code == httpx.codes.FORBIDDEN:
                form_token = ""


def _guess_at_api(target: Target, chance: random.Random, met: Met, stopped: Event) -> None:
    """Guess with and without a header, without waiting for the answer before the next guess."""
    guesses = [
        f"GET {path} HTTP/1.1\r\nhost: localhost\r\n{header}connection: close\r\n\r\n".encode()
        for path in _PATHS
        for header in ("", *(f"authorization: Bearer {chance.randbytes(8).hex()}\r\n" for _ in range(8)))
    ]
    Hold(guesses, most=_AT_ONCE, may_succeed=False).attack([target.web_address], chance, met, stopped)


ATTACKERS: Final[Sequence[Attacker]] = (
    Attacker("guesses at the login", _guess_on_page, at_once=4),
    Attacker("guesses at the API", _guess_at_api),
)
