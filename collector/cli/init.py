"""`tracegrade init`: writes a configuration file with every key, its default and meaning."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ByteSize

from ..config.evaluator_config import DEFAULTS
from ..config.settings import Settings
from ..errors import Fault
from .console import console

__all__ = ["init", "render_template"]

_USAGE = 2
_SECRET = {"token"}


def init(*, file: Path, force: bool) -> int:
    if file.exists() and not force:
        raise Fault(f"{file} exists; --force overwrites it", exit_code=_USAGE)
    try:
        file.write_text(render_template(), encoding="utf-8")
    except OSError as error:
        raise Fault(f"{file} cannot be written: {error.strerror}", exit_code=_USAGE) from error
    console().print(f"wrote {file}; `tracegrade serve` reads it from the folder in which it is started")
    return 0


def render_template() -> str:
    """Renders the file with all keys commented out at their defaults, so that it changes nothing until it is edited."""
    lines = [
        "# Configuration of Tracegrade. Commented settings show their defaults.",
        "# Environment variables (TRACEGRADE_SECTION__KEY) override this file; command-line options override both.",
        "",
        *_render_keys(Settings, Settings(), indent=""),
        "# evaluators:                 # null: the defaults; otherwise exactly these",
        f"#   - use: defaults           # {', '.join(DEFAULTS)}",
        "#   - {use: tool_efficiency, name: no_loops, threshold: 0.8, when: \"agent_name = 'checkout'\", sample: 0.5}",
        "#   - {name: mine, python: 'my_package.checks:no_refund_without_lookup'}    # a function that takes a run",
        "#   - {name: slow_tools, sql: evaluators/slow_tools.sql, schedule: 5m}",
        "#   - {name: legacy, command: [./judge.sh, --strict], timeout: 10s}         # JSON on stdin and stdout",
        "#   - {name: health, combine: {how: mean, of: {tool_error: 2, tool_call_validity: 1}}}",
        "#   - {name: polite, rubric: rubrics/polite.yaml, sample: 0.05}              # graded by a judge",
        "#   - {name: second_look, use: goal_achievement, after: [tool_error], when: \"scores['tool_error'] < 1\"}",
        "# Evaluators that ask a judge need one under `judges`, for example:",
        "#   {default: {model: gpt-4.1-mini, api_key_env: OPENAI_API_KEY, usd_per_day: 5}}",
    ]
    return "\n".join(lines) + "\n"


def _render_keys(model: type[BaseModel], defaults: BaseModel, *, indent: str) -> Iterator[str]:
    for name, field in model.model_fields.items():
        if name in _SECRET or name == "evaluators":
            continue
        value = getattr(defaults, name)
        key = field.alias or name
        if isinstance(value, BaseModel):
            yield f"# {key}:"
            yield from _render_keys(type(value), value, indent="  ")
            yield ""
        else:
            yield f"# {indent}{key}: {_format_value(value)}".ljust(44) + f"  # {field.description}"


def _format_value(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    if isinstance(value, timedelta):
        return f"{value.total_seconds():g}s"
    if isinstance(value, ByteSize):
        return value.human_readable(separator="").replace(".0", "")
    return str(value)
