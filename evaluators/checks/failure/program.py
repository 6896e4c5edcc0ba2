"""Programs that fail in a shell or test runner: the runner itself did its work and reports the failure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...model import ToolCall
from .shipped import read_patterns
from .tool_kind import command_of, may_write, program_of

__all__ = ["failing_program", "is_about_the_shell", "went_well"]

_EXIT_KEYS: Final = ("exit_code", "exitCode", "returncode", "return_code", "exit_status", "exitStatus", "rc")
_EXIT: Final = re.compile(
    r"(?:exit(?:ed)?(?: with)?(?: exit)?[ _-]?(?:code|status)|return[ _-]?code|non-zero exit status|exited with|^\W*rc)"
    r"(?: is| was| of)?[\s:=>]*(-?\d{1,3})\b",
    re.IGNORECASE | re.MULTILINE,
)
_ENDS: Final = 600
"""The characters at each end of a result in which a runner reports the exit code; between them is any output."""
_MOST: Final = 20_000
_SEARCHES: Final = ("grep", "egrep", "fgrep", "rg", "ag", "ack", "find", "which", "pgrep", "pidof", "command")
_FINDS_NOTHING: Final = frozenset({*_SEARCHES, "diff", "cmp", "test", "["})
_NO_TESTS: Final = 5  # pytest's exit code if it collected none
_FAILED_TESTS: Final = ("failed", "failures", "num_failed", "tests_failed", "errors")
_COUNTS_FAILED: Final = re.compile(r"(?:num|total|count)_?(?:of_?)?Fail(?:ed|ing|ures?)?_?(?:Tests?)?", re.IGNORECASE)
"""`numFailedTests` of Jest."""
_OUTPUT_KEYS: Final = frozenset({"tests", "passed", "output", "stdout", "stderr", "log", "logs", "summary"})
_SHELL: Final = re.compile(
    r"(?:command|execution|process|script|it) (?:was )?(?:timed out|killed after|aborted)|timed? ?out"
    r"|(?:command|execution|script) (?:was )?(?:rejected|refused|blocked|disallowed)"
    r"|sandbox|container|\bshell (?:is|was|session)|\bsession\b|terminal|(?:kernel|interpreter) (?:died|is|was)"
    r"|environment (?:is|was) not|no such tool|not (?:available|permitted|allowed)|unavailable|permission to use",
    re.IGNORECASE,
)


def failing_program(call: ToolCall, value: object) -> str | None:
    """Return how the program that a runner ran failed: `exit code 1`, `traceback`; None if it did not fail.

    `value` is the result, decoded if it is JSON. A search that found nothing exits with 1 and did not fail.
    """
    if isinstance(value, Mapping):
        return _in_object(call, value)
    text = value if isinstance(value, str) else ""
    if call.error and text.strip() in call.error and "\n" not in call.error.strip():
        return _exit_in(call, call.error)  # the result only repeats the error, which is that of the runner
    return _in_text(call, "\n".join(filter(None, (text, call.error))))


def went_well(call: ToolCall) -> bool:
    """Return whether output that begins like an error message is that of a program that did not fail.

    A command that only reads shows text of others, and a program may report success at the end.
    """
    return _shows_only(call) or _WENT_WELL.search(_ends_of(call.result or "", _ENDS)) is not None


def _shows_only(call: ToolCall) -> bool:
    return command_of(call) is not None and not may_write(call, "runner")


def is_about_the_shell(text: str) -> bool:
    """Return whether an error message is about the runner, not about the program that it ran."""
    return _SHELL.search(text[:_ENDS]) is not None


_OWN_ERROR: Final = re.compile(r"\W{0,20}\w{0,40}error:", re.IGNORECASE)


def _is_message_of_shell(text: str) -> bool:
    """Return whether the text is a one-line message that the runner could not run the program to its end."""
    line = text.strip()
    return "\n" not in line and _OWN_ERROR.match(line) is not None and is_about_the_shell(line)


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
    ends = _ends_of(text, _ENDS)
    if _exit_codes(call, ends):
        return _exit_in(call, ends)
    if _shows_only(call) or _is_message_of_shell(text):
        return None
    return _read_sign(_ends_of(text, _MOST))


def _ends_of(text: str, length: int) -> str:
    return text if len(text) <= 2 * length else f"{text[:length]}\n{text[-length:]}"


def _exit_in(call: ToolCall, text: str) -> str | None:
    codes = _exit_codes(call, text)
    return _describe_exit(call, codes[-1], has_no_tests="no tests ran" in text) if codes else None


def _exit_codes(call: ToolCall, text: str) -> list[int]:
    return [int(code) for code in _EXIT.findall(text)] if _tells_exit(call, text) else []


def _read_sign(output: str) -> str | None:
    """Return `traceback` or `error output` if a program failed; None if not, or if a later line reports success."""
    pattern = read_patterns(__package__, "failing_program.txt", before=_BEFORE, flags=re.MULTILINE)
    signs = list(pattern.finditer(output))
    if not signs or _WENT_WELL.search(output, signs[-1].end()) or _went_on(output, signs):
        return None
    return "traceback" if any("Traceback" in sign[0] for sign in signs) else "error output"


def _went_on(output: str, signs: Sequence[re.Match[str]]) -> bool:
    """Return whether the only fault is a word that is no command, such as a stray line, and output follows it."""
    lines = [_line_at(output, sign.start()) for sign in signs]
    rest = output[signs[-1].start() :].partition("\n")[2]
    return bool(rest.strip()) and all(map(_STRAY_WORD.match, lines))


def _line_at(text: str, start: int) -> str:
    return text[start:].partition("\n")[0]


_STRAY_WORD: Final = re.compile(r"(?:\S*/)?(?:ba|z|da|k)?sh: (?:line )?(?:\d+: )?\S{1,60}: (?:command )?not found\s*\Z")
_BEFORE: Final = r"^(?:\x1b\[[\d;]*m)*"
"""Signs of failure are at the beginning of a line, after escape codes of colours."""
_WENT_WELL: Final = re.compile(
    r"^(?!.*\b[1-9]\d* (?:failed|failing|failures?|errors?)\b)(?!.*(?:Snapshots?:|fixable))"
    r"(?:.*\b[1-9]\d* (?:passed|passing)\b|.*\b(?:0|no) (?:failures|failed|errors|problems)\b"
    r"|[^\w\n]*(?:\w+\W+)?BUILD SUCCE|OK \(|OK$|[Ee]rror:? \d*\.\d+%?$|Success(?:fully|:)"
    r"|All checks passed|Apply complete)",
    re.MULTILINE,
)
_FRAMED: Final = re.compile(
    r"\A\W*<?(?:exit|return|rc|process|command)|^\W*<?(?:exit|return|rc|process|command).*\s*\Z",
    re.IGNORECASE | re.MULTILINE,
)
"""An exit code in the first or the last line."""


_INSPECTS: Final = re.compile(
    r"\s*(?:sudo\s+)?(?:kubectl|oc|docker|podman|crictl|nomad|systemctl)\s[^|;&\n]*\b"
    r"(?:describe|get|inspect|events|ps|status)\b"
)
"""Commands that show the state of other programs, with their exit codes."""


def _tells_exit(call: ToolCall, text: str) -> bool:
    """Return whether an exit code in the text comes from the runner: a command that only reads may show one from a
    file."""
    is_of_others = _shows_only(call) or _INSPECTS.match(command_of(call) or "") is not None
    return not is_of_others or _FRAMED.search(text) is not None


def _describe_exit(call: ToolCall, code: int, *, has_no_tests: bool) -> str | None:
    if code == 0 or (code == _NO_TESTS and has_no_tests):
        return None
    command = command_of(call) or ""
    if code == 1 and program_of(command) in _FINDS_NOTHING:
        return None
    return f"exit code {code}"


def _failed_tests(value: Mapping[str, Any]) -> str | None:
    for key in (*_FAILED_TESTS, *filter(_COUNTS_FAILED.fullmatch, value)):
        count = value.get(key)
        number = len(count) if isinstance(count, list) else count
        if isinstance(number, int) and not isinstance(number, bool) and number > 0:
            return f"{number} failed"
    status = value.get("status") or value.get("result") or value.get("outcome")
    is_failed = isinstance(status, str) and status.casefold() in {"failed", "failure", "fail"}
    return "failed" if is_failed and value.keys() & _OUTPUT_KEYS else None
