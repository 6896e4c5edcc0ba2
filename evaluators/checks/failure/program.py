"""Programs that fail in a shell or test runner: the runner did its work, and tells of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ...model import ToolCall
from .shipped import read_patterns
from .tool_kind import command_of

__all__ = ["failing_program"]

_EXIT_KEYS: Final = ("exit_code", "exitCode", "returncode", "return_code", "exit_status", "exitStatus", "rc")
_EXIT: Final = re.compile(
    r"(?:exit(?:ed)?(?: with)?(?: exit)?[ _-]?(?:code|status)|return[ _-]?code|non-zero exit status"
    r"|exited with(?: code)?|\brc|exit)\s*(?:is|was|of|=|:)?[>\s]*(-?\d{1,3})\b",
    re.IGNORECASE,
)
_FINDS_NOTHING: Final = frozenset(
    {"grep", "egrep", "fgrep", "rg", "diff", "cmp", "test", "[", "which", "pgrep", "find", "ag", "command"}
)
_MOST: Final = 200_000
_FAILED_TESTS: Final = ("failed", "failures", "num_failed", "tests_failed", "errors")


def failing_program(call: ToolCall, value: object) -> str | None:
    """How the program that a runner ran failed: `exit code 1`, `traceback`; None where it went well.

    `value` is the result, decoded where it is JSON. A search that found nothing exits with 1 and did not fail.
    """
    if isinstance(value, Mapping):
        code = next((value[key] for key in _EXIT_KEYS if isinstance(value.get(key), int)), None)
        if code is not None:
            return _describe_exit(call, int(code)) if code else None
        if (tests := _failed_tests(value)) is not None:
            return tests
        texts = [value.get(key) for key in ("stderr", "stdout", "output", "error")]
        text = "\n".join(part for part in texts if isinstance(part, str))
    else:
        text = value if isinstance(value, str) else ""
    return _in_text(call, "\n".join(filter(None, (text, call.error)))[-_MOST:])


def _in_text(call: ToolCall, text: str) -> str | None:
    codes = [int(code) for code in _EXIT.findall(text)]
    if codes:
        return _describe_exit(call, codes[-1]) if codes[-1] else None
    sign = read_patterns(__package__, "failing_program.txt", flags=re.MULTILINE).search(text)
    if sign is None:
        return None
    return "traceback" if sign[0].startswith("Traceback") else "error output"


def _describe_exit(call: ToolCall, code: int) -> str | None:
    program = ((command_of(call) or "").split("|")[-1].split("&&")[-1].split() or [""])[0]
    return None if code == 1 and program in _FINDS_NOTHING else f"exit code {code}"


def _failed_tests(value: Mapping[str, Any]) -> str | None:
    for key in _FAILED_TESTS:
        count = value.get(key)
        number = len(count) if isinstance(count, list) else count
        if isinstance(number, int) and not isinstance(number, bool) and number > 0:
            return f"{number} failed"
    status = value.get("status") or value.get("result") or value.get("outcome")
    is_failed = isinstance(status, str) and status.casefold() in {"failed", "failure", "fail"}
    return (
        "failed"
        if is_failed and value.keys() & {"tests", "passed", "output", "stdout", "stderr", "log", "logs", "summary"}
        else None
    )
