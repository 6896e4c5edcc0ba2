"""Reads the text files that an eval file names: only those beside or below it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tracegrade.evaluators.regular_file import open_regular_file

__all__ = ["read_attachment"]

_MOST_BYTES: Final = 2**20


def read_attachment(folder: Path, name: str) -> str:
    """Return the text of the file `name` below the folder of an eval file. Raises ValueError.

    What could reveal a secret or never end is refused: a path or link out of the folder, a hidden file or folder, what
    is not a regular file, and what is not text in UTF-8 of at most 1 MiB.
    """
    try:
        path = (folder / name).resolve()
        inner = path.relative_to(folder.resolve())
    except (ValueError, OSError, RuntimeError):  # a loop of links is a RuntimeError before Python 3.13
        raise ValueError("it is outside of the folder of the eval file") from None
    if any(part.startswith(".") for part in (*inner.parts, *Path(name).parts)):
        raise ValueError("it is hidden; an eval file reads no hidden files")
    try:
        with open_regular_file(path, follows_links=False) as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise ValueError(error.strerror or "it cannot be opened") from error
    if len(content) > _MOST_BYTES:
        raise ValueError(f"it is larger than {_MOST_BYTES // 2**20} MiB")
    if b"\0" in content:
        raise ValueError("it is not text")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("it is not text in UTF-8") from None
