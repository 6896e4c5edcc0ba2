"""What a line of type `user` without results is: only some are what the user wrote."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

from .line import Line

__all__ = ["LineOfUser", "classify", "command_text"]

LineOfUser: TypeAlias = Literal["prompt", "command", "interruption", "context", "nothing"]
"""`context` is text of the program for the model; `nothing` is output of local commands."""

_COMMAND: Final = re.compile(r"<command-name>\s*(.*?)\s*</command-name>", re.DOTALL)
_ARGUMENTS: Final = re.compile(r"<command-args>\s*(.*?)\s*</command-args>", re.DOTALL)
_INTERRUPTED: Final = "[Request interrupted by user"
_OUTPUTS: Final = ("<local-command-stdout>", "<local-command-stderr>", "<bash-stdout>", "<bash-stderr>", "<bash-input>")
_CAVEAT: Final = "Caveat: The messages below were generated"
_NOTICES: Final = (_CAVEAT, "<local-command-caveat>", "<task-notification>", "<system-reminder>", "<user-memory-input>")


def classify(line: Line, text: str) -> LineOfUser:
    """Return what the text of this line is."""
    start = text.lstrip()[: len(_CAVEAT)]
    if start.startswith(_INTERRUPTED):
        return "interruption"
    if line.value.get("isMeta") is True or line.value.get("isCompactSummary") is True or start.startswith(_NOTICES):
        return "context"
    if start.startswith(_OUTPUTS):
        return "nothing"
    return "command" if command_text(text) is not None else "prompt"


def command_text(text: str) -> str | None:
    """Return a slash command as the user wrote it; None if the text is none."""
    if not text.lstrip().startswith(("<command-name>", "<command-message>")):
        return None
    name, arguments = _COMMAND.search(text), _ARGUMENTS.search(text)
    if name is None:
        return None
    return f"{name[1]} {arguments[1] if arguments else ''}".strip()
