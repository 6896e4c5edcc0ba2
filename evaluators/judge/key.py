"""The key of a judge, from the environment variable that its configuration names. It is written nowhere."""

from __future__ import annotations

import os

from .failure import Misconfigured
from .judge import Judge

__all__ = ["key_of", "secret_of"]


def key_of(judge: Judge) -> str | None:
    """None where the judge needs none. Raises Misconfigured when the environment does not have it."""
    if judge.api_key_env is None:
        return None
    if (key := secret_of(judge)) is None:
        raise Misconfigured(
            f"{judge.api_key_env} is not set; put the key for {judge.address or judge.model} into that environment "
            "variable, or set api_key_env to null where none is needed"
        )
    return key


def secret_of(judge: Judge) -> str | None:
    """What no message may repeat."""
    return os.environ.get(judge.api_key_env or "", "").strip() or None
