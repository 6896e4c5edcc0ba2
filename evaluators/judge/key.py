"""The key of a judge, from the environment variable that its configuration names. It is written nowhere."""

from __future__ import annotations

import os

from .failure import Unready
from .judge import Judge

__all__ = ["key_of", "secrets_of"]


def key_of(judge: Judge) -> str | None:
    """None where the judge needs none. Raises Unready when the environment has none that can be sent."""
    if judge.api_key_env is None:
        return None
    if (key := _key(judge)) is None:
        raise Unready(
            f"{judge.api_key_env} is not set; put the key for {judge.address or judge.model} into that environment "
            "variable, or set api_key_env to null where none is needed"
        )
    if not (key.isascii() and key.isprintable()):
        raise Unready(f"{judge.api_key_env} holds characters that no key has; put the key alone into it, in one line")
    return key


def secrets_of(judge: Judge) -> tuple[str, ...]:
    """What no message may repeat."""
    key = _key(judge)
    return judge.secrets if key is None else (key, *judge.secrets)


def _key(judge: Judge) -> str | None:
    return os.environ.get(judge.api_key_env or "", "").strip() or None
