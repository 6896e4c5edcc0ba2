"""`tracegrade import`: imports OTLP files into the store, and evaluates their runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..worker.start import forked

__all__ = ["import_"]


def import_(*, files: Sequence[Path], store: str | None, config: Path | None, evaluate: bool) -> int:
    worker = forked()
    from .importing import import_files  # noqa: PLC0415 - imports libraries with threads, after which no fork is safe

    return import_files(files, store=store, config=config, evaluate=evaluate, worker=worker)
