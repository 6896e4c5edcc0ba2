"""Files from strangers that somebody imports through the running server, with the command itself."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import Final

from tests.support.command import PROGRAM, environment

from ..attacker import Attacker, Met, Target
from ..payloads import escaping, large_resource

__all__ = ["ATTACKERS", "FILES"]

_MB: Final = 2**20
_PAUSE_S: Final = 1.0
_PATIENCE_S: Final = 30.0
_LEVELS: Final = 2_000


def _nest() -> bytes:
    """Return spans with an attribute of lists of pairs in lists of pairs."""
    value = '{"kvlistValue":{"values":[{"key":"a","value":' * _LEVELS + '{"intValue":"1"}' + "}]}}" * _LEVELS
    span = f'{{"traceId":"{"1" * 32}","spanId":"{"2" * 16}","name":"x","attributes":[{{"key":"a","value":{value}}}]}}'
    return f'{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{span}]}}]}}]}}'.encode()


FILES: Final[Mapping[str, Callable[[random.Random], bytes]]] = {
    "nested.json": lambda _: _nest(),
    "zeros.json.gz": lambda _: gzip.compress(bytes(64 * _MB)),
    "objects.json.gz": lambda _: gzip.compress(b'{"resourceSpans": [' + b"{}," * (16 * _MB)),
    "long.jsonl": lambda _: json.dumps({"input": "x" * (20 * _MB), "expected_response": "y"}).encode(),
    "quote.csv": lambda _: b'input,expected_response\n"' + b"a,b\n" * _MB,
    "columns.csv": lambda _: b",".join(b"c%d" % number for number in range(10_000)) + b"\n" + b"x," * 9_999 + b"x\n",
    "large.pb": lambda _: large_resource(),
    "escaping.pb": lambda chance: escaping(chance).body,
    "noise.pb": lambda chance: chance.randbytes(_MB),
}
"""Their content by their names."""


def _import(target: Target, chance: random.Random, met: Met, stopped: Event) -> None:
    with tempfile.TemporaryDirectory(prefix="tracegrade-hostile-") as folder:
        while not stopped.wait(_PAUSE_S):
            name = chance.choice(tuple(FILES))
            file = Path(folder, name)
            file.write_bytes(FILES[name](chance))
            met.add(_run(["import", "--store", str(target.store), "--no-evaluate", name], Path(folder), target.token))


def _run(arguments: Sequence[str], folder: Path, token: str) -> str:
    """Return how the command ended: its exit code, and whether an error of ours was in its way."""
    try:
        done = subprocess.run(
            [PROGRAM, *arguments],
            cwd=folder,
            env=environment({"TRACEGRADE_TOKEN": token}),
            capture_output=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "hung up"
    return f"exit {done.returncode}{', traceback' if b'Traceback (most recent' in done.stderr else ''}"


ATTACKERS: Final[Sequence[Attacker]] = (Attacker("hostile files", _import),)
