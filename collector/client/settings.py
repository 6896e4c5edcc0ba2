"""The settings of a command, from its options, the environment and the configuration file; their SQL is tried."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..config.settings import Settings, load

if TYPE_CHECKING:
    from tracegrade.evaluators.definition.registry import Configured

    from ..config.dependencies import Mistake

__all__ = ["dry_run", "load_settings", "select_given"]


def load_settings(file: Path | None, **options: Any) -> Settings:
    """Load the settings from `file` and from the options that are not None. Raises BadConfiguration."""
    return load(file, dry_run=dry_run, **select_given(**options))


def select_given(**options: Any) -> dict[str, Any]:
    """Select the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def dry_run(evaluators: Sequence[Configured]) -> Iterable[Mistake]:
    """Run the SQL of evaluators on an empty store.

    Return for each error the name of the evaluator, the keys below its entry, and a text.
    """
    if all(evaluator.when is None and evaluator.sql is None for evaluator in evaluators):
        return ()
    from ..store.ledger.dry_run import find_sql_mistakes  # noqa: PLC0415 - a store costs half a second, and few write SQL

    return find_sql_mistakes(evaluators)
