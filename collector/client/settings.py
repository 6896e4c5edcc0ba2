"""The settings of a command, from its options, the environment and the configuration file; their SQL is tried."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..config.settings import Settings, load

if TYPE_CHECKING:
    from tracegrade.evaluators.definition.registry import Configured

__all__ = ["dry_run", "load_settings"]


def load_settings(file: Path | None, **options: Any) -> Settings:
    """Load the settings from `file` and from the options that are not None. Raises BadConfiguration."""
    given = {name: value for name, value in options.items() if value is not None}
    return load(file, dry_run=dry_run, **given)


def dry_run(evaluators: Sequence[Configured]) -> Iterable[tuple[str, tuple[str | int, ...], str]]:
    """Run the SQL of evaluators on an empty store.

    Return for each error the name of the evaluator, the keys below its entry, and a text.
    """
    if all(one.when is None and one.sql is None for one in evaluators):
        return ()
    from ..store.ledger.dry_run import rehearsed  # noqa: PLC0415 - a store costs half a second, and few write SQL

    return rehearsed(evaluators)
