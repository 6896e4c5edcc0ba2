"""Programs that fail in a shell or test runner: the runner did its work, and tells of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ...model import ToolCall
from .shipped import read_patterns
from .tool_kind import command_of, may_write, program_of

__all__ = ["failing_program", "is_about_the_shell"]

_EXIT_KEYS: Final = ("exit_code", "exitCode", "returncode", "return_code", "exit_status", "exitStatus", "rc")
_EXIT: Final = re.compile(
    r"(?:exit(?:ed)?(?: with)?(?: exit)?[ _-]?(?:code|status)|return[ _-]?code|non-zero exit status|exited with|^\W*rc)"
    r"(?: is| was| of)?[\s:=>]*(-?\d{1,3})\b",
    re.IGNORECASE | re.MULTILINE,
)
_ENDS: Final = 600
"""A runner tells the exit code first or last: what stands between is the program's output, which may be anything."""
_MOST: Final = 20_000
_SEARCHES: Final = ("grep", "egrep", "fgrep", "rg", "ag", "ack", "find", "which", "pgrep", "pidof", "command")
_FINDS_NOTHING: Final = frozenset({*_SEARCHES, "diff", "cmp", "test", "["})
_NO_TESTS: Final = 5  # pytest's exit code where it collected none
_FAILED_TESTS: Final = ("failed", "failures", "num_failed", "tests_failed", "errors")
_OUTPUT_KEYS: Final = frozenset({"tests", "passed", "output", "stdout", "stderr", "log", "logs", "summary"})
_SHELL: Final = re.compile(
    r"(?:command|execution|process|script|it) (?:was )?(?:timed out|killed after|aborted)|timed? ?out"
    r"|sandbox|container|\bshell (?:is|was|session)|\bsession\b|terminal|(?:kernel|interpreter) (?:died|is|was)"
    r"|environment (?:is|was) not|no such tool|not (?:available|permitted|allowed)|unavailable|permission to use",
    re.IGNORECASE,
)


def failing_program(call: ToolCall, value: object) -> str | None:
    """How the program that a runner ran failed: `exit code 1`, `traceback`; None where it went well.

    `value` is the result, decoded where it is JSON. A search that found nothing exits with 1 and did not fail.
    """
    if isinstance(value, Mapping):
        return _in_object(call, value)
    text = value if isinstance(value, str) else ""
    return _in_text(call, "\n".join(filter(None, (text, call.error))))


def is_about_the_shell(text: str) -> bool:
    """Whether an error message speaks of the runner, and not of the program that it ran."""
    return _SHELL.search(text[:_ENDS]) is not None


def _in_object(call: ToolCall, value: Mapping[str, Any]) -> str | None:
    if isinstance(value.get("failure"), Mapping):
        return _in_object(call, value["failure"])
    code = next((value[key] for key in _EXIT_KEYS if isinstance(value.get(key), int)), None)
    if code is not None:
        return _describe_exit(call, int(code), has_no_tests=value.get("failed") == 0)
    if (tests := _failed_tests(value)) is not None:
        return tests
    texts = [value.get(key) for key in ("stderr", "stdout", "output", "error")]
    return _in_text(call, "\n".join(part for part in texts if isinstance(part, str)))


def _in_text(call: ToolCall, text: str) -> str | None:
    ends = text if len(text) <= 2 * _ENDS else f"{text[:_ENDS]}\n{text[-_ENDS:]}"
    codes = [int(code) for code in _EXIT.findall(ends)] if _tells_exit(call, ends) else []
    if codes:
        return _describe_exit(call, codes[-1], has_no_tests="no tests ran" in ends)
    if command_of(call) is not None and not may_write(call, "runner"):
        return None  # it shows what others wrote
    shown = text if len(text) <= 2 * _MOST else f"{text[:_MOST]}\n{text[-_MOST:]}"
    sign = read_patterns(__package__, "failing_program.txt", flags=re.MULTILINE).search(shown)
    if sign is None:
        return None
    return "traceback" if sign[0].startswith("Traceback") else "error output"


_FRAMED: Final = re.compile(
    r"\A\W*<?(?:exit|return|rc|process|command)|^\W*<?(?:exit|return|rc|process|command).*\s*\Z",
    re.IGNORECASE | re.MULTILINE,
)
"""An exit code in the first or the last line."""


def _tells_exit(call: ToolCall, text: str) -> bool:
    """Whether an exit code in the output is the runner's word: a command that only reads may show one in a file."""
    if command_of(call) is None or may_write(call, "runner"):
        return True
    return _FRAMED.search(text) is not None


def _describe_exit(call: ToolCall, code: int, *, has_no_tests: bool) -> str | None:
    if code == 0 or (code == _NO_TESTS and has_no_tests):
        return None
    command = command_of(call) or ""
    if code == 1 and program_of(command) in _FINDS_NOTHING:
        return None
    return f"exit code {code}"


def _failed_tests(value: Mapping[str, Any]) -> str | None:
    for key in _FAILED_TESTS:
        count = value.get(key)
        number = len(count) if isinstance(count, list) else count
        if isinstance(number, int) and not isinstance(number, bool) and number > 0:
            return f"{number} failed"
    status = value.get("status") or value.get("result") or value.get("outcome")
    is_failed = isinstance(status, str) and status.casefold() in {"failed", "failure", "fail"}
    return "failed" if is_failed and value.keys() & _OUTPUT_KEYS else None
