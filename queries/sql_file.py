"""A .sql file: its header and its text.

A file starts with comment lines of the form `-- key: value`. The first key names the kind and the object
(`-- view: latest_scores`); then come `purpose`, `grain`, `reads` (what it selects from), `splices` and `note`. `reads`
and `splices` are lists with commas. A comment line indented by two spaces or more continues the value above it;
anything else ends the header.

`splices` names the placeholders that the program replaces, for example by SQL of users. Each is in the text once, as
`${name}` alone on its line, so that a comment at the end of the spliced text hides nothing. DuckDB cannot parse a
placeholder, so a file in which it was not replaced never runs.

A condition is the text after the line `where` of a query, which is there to show over which columns it is written.
"""

from __future__ import annotations

import hashlib
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources.abc import Traversable
from itertools import dropwhile
from typing import Literal, TypeAlias

__all__ = ["BadHeader", "CatalogError", "Kind", "SqlFile", "UnknownSplice", "read_file"]

Kind: TypeAlias = Literal["schema", "macro", "view", "statement", "report", "condition"]

_KEY = re.compile(r"-- ?(\w+):(.*)")
_CONTINUATION = re.compile(r"--\s{2,}(\S.*)")
_PLACEHOLDER = re.compile(r"\$\{(\w*)\}")
_PLACEHOLDER_LINE = re.compile(r"^( *)\$\{(\w+)\}$", re.MULTILINE)
_CONDITION = re.compile(r"^where\n(.+);\n\Z", re.MULTILINE | re.DOTALL)
_SCHEMA_FILE = re.compile(r"\d{4}_\w+\.sql")


class CatalogError(Exception):
    """Base class of the errors of this package about its files and the schema of a store."""


class BadHeader(CatalogError):
    """The header of a .sql file does not describe it; its author must correct it."""


class UnknownSplice(CatalogError, TypeError):
    """The texts given for a file are not those of its `splices`."""


@dataclass(frozen=True, kw_only=True)
class SqlFile:
    """A .sql file: `name` of the object, name of the `file`, and its whole `text`, including the header."""

    kind: Kind
    name: str
    file: str
    header: Mapping[str, str]
    text: str

    @property
    def reads(self) -> tuple[str, ...]:
        return self._names("reads")

    @property
    def splices(self) -> tuple[str, ...]:
        return self._names("splices")

    @cached_property
    def condition(self) -> str:
        """The condition of a file of this kind. Raises BadHeader."""
        match = _CONDITION.search(self.text)
        if match is None:
            raise BadHeader(f"{self.file}: a condition is a query that ends with a line `where`, and the condition")
        return textwrap.dedent(match[1])

    @property
    def body(self) -> str:
        """The text without the comment lines before it."""
        lines = self.text.splitlines(keepends=True)
        return "".join(dropwhile(lambda line: line.startswith("--"), lines))

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    def splice(self, texts: Mapping[str, str]) -> str:
        """Return the text with its placeholders replaced. Raises UnknownSplice unless the names are `splices`."""
        if texts.keys() != set(self.splices):
            raise UnknownSplice(
                f"{self.kind} {self.name!r} splices {_listed(self.splices)}, and was given {_listed(sorted(texts))}"
            )
        return _PLACEHOLDER_LINE.sub(lambda match: f"{match[1]}{texts[match[2]]}", self.text) if texts else self.text

    def _names(self, key: str) -> tuple[str, ...]:
        return tuple(name.strip() for name in self.header.get(key, "").split(",") if name.strip())


def read_file(kind: Kind, entry: Traversable) -> SqlFile:
    """Read the file at `entry`. Raises BadHeader."""
    text = entry.read_text(encoding="utf-8")
    header = _header(text)
    expected = ("table", "migration") if kind == "schema" else (kind,)
    first, name = next(iter(header.items()), ("", ""))
    if first not in expected or not name:
        raise BadHeader(f"{entry.name}: the first line must read `-- {' or '.join(expected)}: NAME`")
    if kind == "schema" and not _SCHEMA_FILE.fullmatch(entry.name):
        raise BadHeader(f"{entry.name}: schema files are named by number, like 0001_spans.sql")
    if kind != "schema" and entry.name != f"{name}.sql":
        raise BadHeader(f"{entry.name}: its header calls it {name!r}; file and {kind} must have the same name")
    file = SqlFile(kind=kind, name=name, file=entry.name, header=header, text=text)
    _ensure_placeholders(file)
    return file


def _ensure_placeholders(file: SqlFile) -> None:
    """Raise BadHeader unless the text has each name of `splices` once, alone on its line, and no other."""
    placeholders = sorted(_PLACEHOLDER.findall(file.text))
    alone = sorted(match[2] for match in _PLACEHOLDER_LINE.finditer(file.text))
    if not placeholders == alone == sorted(file.splices):
        raise BadHeader(
            f"{file.file}: its header splices {_listed(file.splices)}, its text has {_listed(placeholders)}; each must "
            "be there once, as ${name} alone on its line"
        )


def _header(text: str) -> dict[str, str]:
    header: dict[str, str] = {}
    key = ""
    for line in text.splitlines():
        if match := _KEY.match(line):
            key = match[1]
            header[key] = match[2].strip()
        elif key and (match := _CONTINUATION.match(line)):
            header[key] = f"{header[key]} {match[1].rstrip()}"
        else:
            break
    return header


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "nothing"
