"""Protobuf messages written by hand, for what no library would write."""

from __future__ import annotations

__all__ = ["encode_field"]


def encode_field(number: int, content: bytes) -> bytes:
    """A length-delimited field."""
    length, size = len(content), bytearray()
    while length > 127:
        size.append(length & 127 | 128)
        length >>= 7
    return bytes([number << 3 | 2, *size, length]) + content
