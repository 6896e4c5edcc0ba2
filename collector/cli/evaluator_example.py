"""An example of an evaluator in a configuration, and whether it needs a judge, for `tracegrade evaluators NAME`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson
from pydantic import ValidationError

from tracegrade.evaluators.definition.registry import Definition, Options

__all__ = ["describe_judge", "write_example"]

_SIMPLE: Final = (bool, int, float, str)
_RARE: Final = frozenset({"compat", "max_evidence_characters"})
"""Options that few people change."""


def describe_judge(definition: Definition) -> str:
    """Return whether the evaluator needs a judge, and how one is named."""
    if not definition.factory.can_ask:
        return "not needed; no model is asked"
    if _must_ask(definition):
        return "needed: one of `judges`, named under `judge`, or the one called default"
    return "optional: asked if `judge` names one of `judges`, or if an option needs it"


def write_example(definition: Definition) -> str:
    """Return a configuration in YAML with the evaluator, its first option at its default, and a judge if needed."""
    lines = ["judges:", "  default:", "    model: gpt-4.1-mini"] if _must_ask(definition) else []
    lines += ["evaluators:", f"  - use: {definition.name}"]
    lines += ["    judge: default"] if _must_ask(definition) else []
    if options := dict(_example(definition.factory)) or dict(_first_option(definition.factory)):
        lines += ["    options:", *(f"      {name}: {_write(value)}" for name, value in options.items())]
    return "\n".join(lines)


def _must_ask(definition: Definition) -> bool:
    """Return whether the evaluator always asks a judge, with the options of its example."""
    try:
        return definition.factory(**_example(definition.factory)).must_ask
    except ValidationError:  # an evaluator of a package, with required options and without an example
        return definition.factory.can_ask


def _example(factory: type[Options]) -> Mapping[str, Any]:
    example = getattr(factory, "example", None)
    return example if isinstance(example, Mapping) else {}


def _first_option(factory: type[Options]) -> Iterator[tuple[str, Any]]:
    """Yield the first option that has a simple default, with that, if there is one."""
    for name, field in factory.model_fields.items():
        if isinstance(field.default, _SIMPLE) and name not in _RARE:
            yield field.alias or name, field.default
            return


def _write(value: object) -> str:
    """Return a value as YAML: a text of one word as it is, anything else as JSON, which YAML contains."""
    if isinstance(value, str) and value.isidentifier() and value.lower() not in _WORDS_OF_YAML:
        return value
    return orjson.dumps(value, default=str).decode()


_WORDS_OF_YAML: Final = frozenset({"false", "n", "no", "null", "off", "on", "true", "y", "yes"})
