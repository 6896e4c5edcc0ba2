"""The keys of eval sets, which are in snake_case or in camelCase."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["get"]


def get(item: Mapping[str, Any], *keys: str) -> Any:
    """Return the value of the first of `keys`, in either spelling, that is present and not null."""
    spellings = (spelling for key in keys for spelling in (key, _spell_camel(key)))
    return next((item[spelling] for spelling in spellings if item.get(spelling) is not None), None)


def _spell_camel(key: str) -> str:
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), key)
