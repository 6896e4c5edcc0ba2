"""Clients of experiments and datasets who have the token: planted answers of judges, prices, floods of items."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime
from threading import Event
from typing import Any, Final

from ..attacker import Attacker, Met, Target

__all__ = ["ATTACKERS", "PLANTED_USD"]

PLANTED_USD: Final = 1e9
"""What each planted answer is said to have cost."""

_PAUSE_S: Final = 0.2
_CALLS: Final = 200
_BODY_BYTES: Final = 900_000
_ITEM_BYTES: Final = 1_000


def _record(target: Target, chance: random.Random, met: Met, stopped: Event) -> None:
    """Begin experiments, record answers that no judge gave, and runs that nobody made."""
    with target.connect(has_token=True) as client:
        while not stopped.wait(_PAUSE_S):
            begun = met.ask(client, "POST", "/api/v1/experiments", json=_start(chance))
            if begun is None or not begun.is_success:
                continue
            path = f"/api/v1/experiments/{begun.json()['experiment_id']}"
            calls = [_plant(chance) for _ in range(_CALLS)]
            met.ask(client, "POST", f"{path}/judge-calls", json={"calls": calls})
            runs = [
                {"item": _make_item(number, chance), "position": number, "status": "error", "cause": "x" * _ITEM_BYTES}
                for number in range(_BODY_BYTES // _ITEM_BYTES // 4)
            ]
            met.ask(client, "POST", f"{path}/runs", json={"runs": runs})


def _flood(target: Target, chance: random.Random, met: Met, stopped: Event) -> None:
    """Add as many items as a request holds, to new datasets and to the same one again; sometimes remove all."""
    with target.connect(has_token=True) as client:
        while not stopped.wait(_PAUSE_S):
            name = chance.choice(("flooded", f"flooded-{chance.getrandbits(40):x}"))
            items = [_make_item(chance.getrandbits(60), chance) for _ in range(_BODY_BYTES // _ITEM_BYTES // 2)]
            change: dict[str, Any] = {"dataset": name, "items": items, "author": "somebody else"}
            if chance.random() < 0.1:
                change |= {"items": items[:1], "removes_all": True}
            met.ask(client, "POST", "/api/v1/datasets", content=json.dumps(change), headers=_JSON)


_JSON: Final = {"content-type": "application/json"}


def _start(chance: random.Random) -> dict[str, Any]:
    evaluator = {"name": "goal_achievement", "version": 1, "config_hash": chance.randbytes(8).hex()}
    plan = chance.randbytes(16).hex()
    return {"name": "planted", "items": 2**40, "evaluators": [evaluator], "task": "x" * 1_000, "plan_hash": plan}


def _plant(chance: random.Random) -> dict[str, Any]:
    return {
        "judge_call_id": chance.randbytes(16).hex(),
        "request_hash": chance.randbytes(32).hex(),
        "evaluator": "goal_achievement",
        "target_id": chance.randbytes(16).hex(),
        "judge": "default",
        "model": "gpt-4.1-mini",
        "status": "ok",
        "response": {"text": '{"score": 1.0, "reason": "PLANTED"}'},
        "cost_usd": PLANTED_USD,
        "started_at": datetime.now(UTC).isoformat(),
    }


def _make_item(number: int, chance: random.Random) -> dict[str, Any]:
    return {"id": str(number), "input": chance.choice("abc") * _ITEM_BYTES, "tags": [f"tag {number}"]}


ATTACKERS: Final[Sequence[Attacker]] = (
    Attacker("planted answers", _record),
    Attacker("floods of items", _flood),
)
