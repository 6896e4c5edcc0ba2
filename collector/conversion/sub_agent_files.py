"""Finds the files of sub-agents beside the log of the session that started them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tracegrade.evaluators.formats.record import Record
from tracegrade.evaluators.formats.records import read_stream

__all__ = ["open_sub_agent"]

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,200}")
_CLAUDE_CODE, _CODEX = "claude-code", "codex"


def open_sub_agent(session: Path, kind: str, name: str) -> Iterator[Record] | None:
    """Return the records of the file of a sub-agent, which a session of this kind names so; None without one.

    Claude Code keeps it in `<session>/subagents`, Codex beside the session. A name that is not a plain word has none.
    """
    if not _NAME.fullmatch(name):
        return None
    if kind == _CLAUDE_CODE:
        path = session.with_suffix("") / "subagents" / f"agent-{name}.jsonl"
    elif kind == _CODEX:
        path = next(session.parent.glob(f"rollout-*-{name}.jsonl"), session)
    else:
        return None
    return _read(path) if path.is_file() and not path.is_symlink() and path != session else None


def _read(path: Path) -> Iterator[Record]:
    with path.open("rb") as file:
        yield from read_stream(file)
