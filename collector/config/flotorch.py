"""The credentials of the FloTorch gateway in the environment, under FloTorch's own names."""

from __future__ import annotations

import os
from dataclasses import dataclass

__all__ = ["FloTorchCredentials", "read_flotorch_credentials"]


@dataclass(frozen=True, slots=True)
class FloTorchCredentials:
    """Address and key of the gateway; None where the variable is not set."""

    base_url: str | None
    api_key: str | None


def read_flotorch_credentials() -> FloTorchCredentials:
    """Read FLOTORCH_BASE_URL and FLOTORCH_API_KEY."""
    return FloTorchCredentials(os.environ.get("FLOTORCH_BASE_URL") or None, os.environ.get("FLOTORCH_API_KEY") or None)
