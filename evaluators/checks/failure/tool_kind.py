"""What kind of work a tool does, by its name and its arguments.

The kind decides what a result means: "status: failed" is a failure of a tool that books something, but a report of a
tool that looks up a job. The option `tool_kinds` overrides the kind of a tool whose name misleads.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from ...model import ToolCall
from .shipped import read_words

__all__ = [
    "ToolKind",
    "brings_documents",
    "command_of",
    "is_agent",
    "may_write",
    "moves_browser",
    "name_kind",
    "program_of",
    "reads_logs",
    "runs_work",
    "words",
    "works_on_page",
]

ToolKind: TypeAlias = Literal["reader", "probe", "checker", "runner", "writer"]
"""`reader`: returns texts or data of others, or computes. `probe`: reports the state of something else. `checker`:
reports faults. `runner`: runs programs (shells, interpreters, test runners). `writer`: all others."""

_UPPER: Final = "A-ZÀ-ÖØ-ÞΑ-ΩА-Я"
_LOWER: Final = rf"[^\W\d_{_UPPER}]"
_WORD: Final = re.compile(rf"[{_UPPER}]+(?!{_LOWER})|[{_UPPER}]?{_LOWER}+|\d+")


@dataclass(frozen=True, slots=True)
class _Words:
    """The groups of `tool_words.toml`."""

    shells: frozenset[str]
    runs: frozenset[str]
    programs: frozenset[str]
    alone: frozenset[str]
    checks: frozenset[str]
    checked: frozenset[str]
    probes: frozenset[str]
    states: frozenset[str]
    reads: frozenset[str]
    sources: frozenset[str]
    documents: frozenset[str]
    writes: frozenset[str]
    writes_or_nouns: frozenset[str]
    agents: frozenset[str]
    browsers: frozenset[str]
    gestures: frozenset[str]
    logs: frozenset[str]


_WORDS: Final = _Words(**read_words(__package__, "tool_words.toml"))


@lru_cache(maxsize=4096)
def words(name: str) -> tuple[str, ...]:
    """Return the words of a name: mcp, github, search, issues for `mcp__github__searchIssues`; of any script."""
    return tuple(word.lower() for word in _WORD.findall(unicodedata.normalize("NFC", name)))


@lru_cache(maxsize=4096)
def name_kind(name: str) -> ToolKind:
    """Return the kind of a tool by its name."""
    parts = words(name)
    known = frozenset(parts)
    if _runs(parts, known):
        return "runner"
    if known & _WORDS.checks or ("check" in known and known & _WORDS.checked):
        return "checker"
    if known & _WORDS.reads and parts[-1] in _FAULTS:
        return "checker"
    if _writes(parts, known):
        return "writer"
    if known & (_WORDS.probes | _WORDS.states):
        return "probe"
    return "reader" if known & (_WORDS.reads | _WORDS.sources) else "writer"


@lru_cache(maxsize=4096)
def brings_documents(name: str) -> bool:
    """Return whether a reader of that name returns texts that people wrote, which may mention errors."""
    return words(name) in _RETRIEVERS or not _WORDS.documents.isdisjoint(words(name))


def reads_logs(name: str, kind: ToolKind) -> bool:
    """Return whether a tool of that name and kind returns lines of a log, which are often errors."""
    return kind in {"probe", "reader"} and not _WORDS.logs.isdisjoint(words(name))


@lru_cache(maxsize=4096)
def is_agent(name: str) -> bool:
    """Return whether a tool of that name asks another agent."""
    return words(name) == ("task",) or not _WORDS.agents.isdisjoint(words(name))


@lru_cache(maxsize=4096)
def moves_browser(name: str) -> bool:
    """Return whether a tool of that name opens another page in a browser."""
    return not _WORDS.browsers.isdisjoint(words(name))


@lru_cache(maxsize=4096)
def works_on_page(name: str) -> bool:
    """Return whether a tool of that name works on an element of a page or screen, such as a button."""
    return not _WORDS.gestures.isdisjoint(words(name))


def runs_work(name: str, kind: ToolKind) -> bool:
    """Return whether the result of a tool of that name and kind is about its own work: it changes something, or runs a
    query or a job."""
    parts = words(name)
    verbs = _WORDS.runs | _WORDS.writes | _WORDS.reads | _WORDS.probes
    verb = next((word for word in parts if word in verbs), None)
    queries = verb in {None, "query"} and bool(parts) and parts[-1] in _DATABASES
    return kind == "writer" or verb in _WORDS.runs or queries


def _runs(parts: tuple[str, ...], known: frozenset[str]) -> bool:
    if known & _QUERIES:
        return False
    is_whole = len(parts) == 1 and parts[0] in _WORDS.alone
    return is_whole or bool(known & _WORDS.shells or (known & _WORDS.runs and known & _WORDS.programs))


def _writes(parts: tuple[str, ...], known: frozenset[str]) -> bool:
    """Return whether its first verb changes something; a word that may be a noun counts only without another verb."""
    verbs = _WORDS.writes | _WORDS.reads | _WORDS.probes
    verb = next((word for word in parts if word in verbs), None)
    if verb is not None:
        return verb in _WORDS.writes
    return bool(known & _WORDS.writes_or_nouns) and not known & (_WORDS.states | _WORDS.sources)


_FAULTS: Final = frozenset({"errors", "problems"})
"""What a tool reports faults for by name, as in `get_errors`."""
_RETRIEVERS: Final = {("retrieve",), ("retrieval",)}
"""The usual names of a tool that finds texts; before a noun, as in `retrieve_order`, they mean "get"."""
_QUERIES: Final = frozenset({"sql", "query", "queries"})
_DATABASES: Final = _QUERIES | {
    "db",
    "database",
    "postgres",
    "postgresql",
    "mysql",
    "sqlite",
    "duckdb",
    "bigquery",
    "snowflake",
}
_COMMAND_KEYS: Final = ("command", "cmd", "script", "code", "input", "commands", "shell_command")
_READS: Final = (
    "ack ag awk bat cat cmp cut date df diff dir dmesg du echo egrep env fd fgrep file find gawk grep head hostname id "
    "journalctl jq less ls more nl printenv ps pwd rg sort stat tail tree type uname uniq wc which whoami yq zcat zgrep"
)
_READ_COMMANDS: Final = frozenset(_READS.split())
_OPTIONS: Final = r"(?:\s+-\S+(?:\s+(?!-)\S+)?)*?\s+"
"""Options of a program before its subcommand, with or without values."""
_READ_SUBCOMMANDS: Final = re.compile(
    rf"git{_OPTIONS}(?:status|diff|log|show|branch|blame|grep|rev-parse|remote|ls-files)\b"
    rf"|(?:kubectl|docker|podman|oc|heroku|fly|flyctl|pm2){_OPTIONS}(?:compose{_OPTIONS})?logs?\b"
    rf"|gh{_OPTIONS}(?:run|pr|issue|release|workflow)\s+(?:view|list|diff)\b"
    r"|sed(?!.*\s(?:-\w*i|--in-place))\s+(?:-[Er]\s+)*-[Er]*n[Er]*\s",
    re.DOTALL,
)
"""Programs that only read with these subcommands or options."""
_CHANGES: Final = re.compile(r"(?<![0-9&])>{1,2}(?!&)|\btee\b|\bxargs\b|-exec\b|-delete\b|\$\(|`")
_WRITING_SQL: Final = re.compile(
    r"[\s(]*(?:insert|update|delete|merge|create|drop|alter|truncate|call|grant|copy|replace)\b", re.IGNORECASE
)
_PIECES: Final = re.compile(r"&&|\|\||[;|\n]")


_SHELLS: Final = re.compile(r"\s*(?:\S*/)?(?:ba|z|da)?sh\s+-\w*c\s+(['\"]?)(.*)\1\s*\Z", re.DOTALL)


def command_of(call: ToolCall) -> str | None:
    """Return the command or code for a runner, without a shell around it; None if it was not recorded."""
    args = call.args or {}
    for key in _COMMAND_KEYS:
        value = args.get(key)
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            is_shell = len(value) > 1 and value[0].rpartition("/")[2] in _WORDS.shells
            return value[-1] if is_shell else " ".join(value)
        if isinstance(value, str):
            inner = _SHELLS.match(value)
            return inner[2] if inner else value
    return call.args_text


def program_of(command: str) -> str:
    """Return the last program that a command line runs, without its path."""
    *_, last = [piece for piece in _PIECES.split(command) if piece.strip()] or [""]
    return (last.split() or [""])[0].rpartition("/")[2]


def may_write(call: ToolCall, kind: ToolKind) -> bool:
    """Return whether the call may have changed what a later call returns."""
    if not _DATABASES.isdisjoint(words(call.name)):
        return any(isinstance(value, str) and _WRITING_SQL.match(value) for value in (call.args or {}).values())
    if kind != "runner":
        return kind == "writer" or moves_browser(call.name)
    command = command_of(call)
    if command is None or _CHANGES.search(command):
        return True
    return not all(map(_only_reads, filter(None, map(str.strip, _PIECES.split(command)))))


def _only_reads(piece: str) -> bool:
    command = piece.removeprefix("sudo ").lstrip()
    program = (command.split() or [""])[0].rpartition("/")[2]
    return program == "cd" or program in _READ_COMMANDS or _READ_SUBCOMMANDS.match(command) is not None
