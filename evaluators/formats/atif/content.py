"""Reads and writes the content of messages and results: a text, or parts of text, images and audio."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ...model import GenericPart, JsonObject, MessagePart, TextPart
from ...text.json_kind import json_kind
from ..field_values import object_at, text_at
from ..spelling import Unreadable, entries, record
from .version import MEDIA

__all__ = ["describe_content", "read_parts", "write_content"]

_MEDIA: Final = ("image", "audio")
_SOURCE: Final = "source"


def read_parts(content: object, place: str) -> tuple[MessagePart, ...]:
    """Return the parts of a content; an empty text has none. Raises ValueError that names the part."""
    if isinstance(content, str):
        return (TextPart(content=content),) if content else ()
    if not isinstance(content, (list, tuple)):
        raise Unreadable(f"{place} is {json_kind(content)}; write text or a list of parts")
    return tuple(_read_part(part, f"{place}[{index}]") for index, part in enumerate(entries(content, place)))


def _read_part(value: object, place: str) -> MessagePart:
    item = record(value, place)
    sort = text_at(item, "type", place)
    if sort == "text":
        text = text_at(item, "text", place)
        if text is None:
            raise Unreadable(f"{place}.text is missing; write the text")
        return TextPart(content=text)
    if sort not in _MEDIA:
        raise Unreadable(f"{place}.type is {sort!r}; write text, image or audio")
    source = object_at(item, _SOURCE, place)
    if source is None or text_at(source, "path", f"{place}.source") is None:
        raise Unreadable(f"{place}.source.path is missing; write where the {sort} is")
    return GenericPart(kind=sort, content={_SOURCE: source})


def describe_content(content: object, place: str) -> str | None:
    """Return the content of a result as text; images and audio as their paths in brackets. None for null."""
    if content is None or isinstance(content, str):
        return content
    return "\n".join(_describe(part) for part in read_parts(content, place))


def _describe(part: MessagePart) -> str:
    if isinstance(part, TextPart):
        return part.content
    if not isinstance(part, GenericPart):
        return f"[{part.type}]"
    source = part.content.get(_SOURCE)
    path = source.get("path") if isinstance(source, dict) else None
    return f"[{part.kind} {path}]" if path else f"[{part.kind}]"


def write_content(parts: Iterable[MessagePart], minor: int) -> str | list[JsonObject]:
    """Return parts as a content: a text if they are one, or if the version has only texts."""
    written = [part for part in parts if isinstance(part, (TextPart, GenericPart))]
    if minor < MEDIA or all(isinstance(part, GenericPart) and not _is_media(part) for part in written):
        return "\n".join(_describe(part) for part in written)
    if len(written) == 1 and isinstance(written[0], TextPart) and written[0].content:
        return written[0].content
    return [_write_part(part) for part in written]


def _is_media(part: GenericPart) -> bool:
    source = part.content.get(_SOURCE)
    return part.kind in _MEDIA and isinstance(source, dict) and isinstance(source.get("path"), str)


def _write_part(part: TextPart | GenericPart) -> dict[str, Any]:
    if isinstance(part, GenericPart) and _is_media(part):
        return {"type": part.kind, _SOURCE: part.content[_SOURCE]}
    return {"type": "text", "text": _describe(part)}
