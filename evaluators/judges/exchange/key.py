"""The API key of a judge, from the environment variable that its configuration names, or from the program that asks it.

It is never stored or logged.
"""

from __future__ import annotations

import os

from .env_name import is_usual_name, shown
from .failure import Unready
from .judge import Judge, JudgeWithKey

__all__ = ["key_of", "secrets_of"]


def key_of(judge: Judge) -> str | None:
    """Return the key; None if the judge needs none. Raises Unready if the variable is not set or its key invalid."""
    name = judge.api_key_env
    if name is None:
        return None
    where = judge.address or judge.model
    if (key := _key(judge)) is not None:
        if key.isascii() and key.isprintable():
            return key
        holder = "the given key" if isinstance(judge, JudgeWithKey) else name
        raise Unready(f"{holder} holds characters that no key has; put only the key into it, on one line")
    if not is_usual_name(name):
        raise Unready(
            f"the variable {shown(name)} is not set; put the key for {where} into an environment variable, and "
            "write its name"
        )
    raise Unready(
        f"{name} is not set; put the key for {where} into that environment variable, or set api_key_env to null where "
        "none is needed"
    )


def secrets_of(judge: Judge) -> tuple[str, ...]:
    """Return the key and the secrets of the address. No message may repeat them."""
    key = _key(judge)
    return judge.secrets if key is None else (key, *judge.secrets)


def _key(judge: Judge) -> str | None:
    if isinstance(judge, JudgeWithKey):
        return judge.api_key.get_secret_value().strip() or None
    return os.environ.get(judge.api_key_env or "", "").strip() or None
