"""Previews of a reader who has the token: many at once, some with YAML that is slow to read, some that name code."""

from __future__ import annotations

import random
from collections.abc import Sequence
from threading import Event
from typing import Final

import httpx

from ..attacker import Attacker, Met, Target, read_form_token

__all__ = ["ATTACKERS", "ENTRIES_WITH_CODE", "SLOW_ENTRIES"]

_PAUSE_S: Final = 0.05
_PATIENCE_S, _LEAVES_AFTER_S = 30.0, 1.0
_MOST_CHARACTERS: Final = 20_000

_USUAL: Final = (
    "use: tool_error",
    "use: tool_efficiency",
    "name: long\nsql: select agent_trace_id as target_id, 1.0 as value from agent_traces",
)
SLOW_ENTRIES: Final[Sequence[str]] = (
    "[" * _MOST_CHARACTERS,
    "{a: " * (_MOST_CHARACTERS // 4),
    "- " * (_MOST_CHARACTERS // 2),
    "a0: &a0 {x: 1}\n" + "".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 60)),
    "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 60)),
)
"""What YAML makes much of: depth, merges, aliases."""

ENTRIES_WITH_CODE: Final[Sequence[str]] = (
    'use: tool_error\noptions: {predicate: "os:system"}',
    'use: dokimos:tool_error\noptions: {error_detector: "/etc/passwd.py:f"}',
    "python: os:system",
)


def _preview(target: Target, chance: random.Random, met: Met, stopped: Event) -> None:
    with target.connect(has_token=True) as client:
        form_token = ""
        while not stopped.wait(_PAUSE_S):
            if not form_token:
                form_token = read_form_token(met.ask(client, "GET", "/preview"))
                continue
            entries = chance.choices((_USUAL, SLOW_ENTRIES, ENTRIES_WITH_CODE), (2, 1, 2))[0]
            fields = {"form_token": form_token, "entry": chance.choice(entries), "past": "7d", "limit": "200"}
            patience_s = _LEAVES_AFTER_S if chance.random() < 0.2 else _PATIENCE_S
            is_code = entries is ENTRIES_WITH_CODE
            answer = met.ask(client, "POST", "/preview", data=fields, timeout=patience_s, may_succeed=not is_code)
            if answer is not None and answer.status_code == httpx.codes.FORBIDDEN:
                form_token = ""


ATTACKERS: Final[Sequence[Attacker]] = (Attacker("previews", _preview, at_once=5),)
