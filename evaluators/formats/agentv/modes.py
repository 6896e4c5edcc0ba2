"""How AgentV compares tool calls, in the terms of its files."""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = ["ArgsMatch", "ArgsMatchMode", "Mode"]

Mode: TypeAlias = Literal["any_order", "in_order", "exact", "superset", "subset"]
ArgsMatchMode: TypeAlias = Literal["exact", "superset", "subset", "ignore"]
ArgsMatch: TypeAlias = ArgsMatchMode | tuple[str, ...]
