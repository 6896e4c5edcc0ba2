"""Parses the bytes of one record of JSON, and explains what is wrong with them."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["parse_record"]


def parse_record(content: bytes, *, line: int = 1) -> tuple[Any, str | None]:
    """Return the value in the bytes, and a key that an object in it has twice, of which the last counts; None without.

    NaN and infinity become text.

    Raises ValueError, with the place within the record if it has several lines, of which the first is `line`.
    """
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        before = content[: error.start]
        column = error.start - before.rfind(b"\n")
        where = _describe_place(line + before.count(b"\n"), column, spans_lines=b"\n" in content.strip())
        raise ValueError(f"byte {content[error.start]:#04x}{where} is not UTF-8; save the file as UTF-8") from error
    repeated: list[str] = []

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        built = dict(pairs)
        if len(built) < len(pairs):
            names = [name for name, _ in pairs]
            repeated.append(next(name for name in names if names.count(name) > 1))
        return built

    try:
        value = json.loads(text, parse_constant=str, object_pairs_hook=build)
    except json.JSONDecodeError as error:
        where = _describe_place(line + error.lineno - 1, error.colno, spans_lines="\n" in text.strip())
        raise ValueError(f"this is not JSON: {error.msg.removesuffix(' at')}{where}") from error
    except RecursionError as error:
        raise ValueError("this is nested too deeply") from error
    except ValueError as error:  # a number with too many digits
        raise ValueError("this has a number with too many digits") from error
    if "\\u" in text:
        _refuse_half_characters(value)
    return value, next(iter(repeated), None)


def _describe_place(line: int, column: int, *, spans_lines: bool) -> str:
    return f" at line {line}, column {column}" if spans_lines else f" at column {column}"


def _refuse_half_characters(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError("a text in it has half a character, such as \\ud83d alone; write it whole") from error
