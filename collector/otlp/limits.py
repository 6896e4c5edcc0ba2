"""The limits of an export request, in any format and after decompression."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import TooLarge

__all__ = ["MOST_MESSAGES", "RequestLimits"]

MOST_MESSAGES = 2**20
"""The most records, attributes, events, links and list items of a request, or objects if it is JSON.

These are about 16 MiB of the shortest attributes. As many empty ones as fit in a request would take gigabytes of memory
and a minute.
"""

_ROWS_PER_BODY = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLimits:
    """The limits of a request. One that exceeds them is refused for good with TooLarge, which names a remedy."""

    body_bytes: int = 16 * 2**20
    records: int = 50_000

    @property
    def row_bytes(self) -> int:
        """The most bytes that the rows of a request may take.

        Each has the resource and the scope of its record, as JSON.
        """
        return _ROWS_PER_BODY * self.body_bytes

    def check_body(self, size_bytes: int) -> None:
        """Raise TooLarge if a body, complete or not, is too large."""
        if size_bytes > self.body_bytes:
            raise TooLarge(
                f"the body is over {self.body_bytes} bytes: send fewer records a request, or raise "
                f"ingest.max_request_bytes"
            )

    def check_messages(self, count: int) -> None:
        """Raise TooLarge if there are too many messages, or JSON objects, in all."""
        if count > MOST_MESSAGES:
            raise TooLarge(
                f"the request holds more than {MOST_MESSAGES} objects (records, attributes, events, links, items): "
                f"send fewer records a request"
            )

    def check_records(self, count: int) -> None:
        """Raise TooLarge if there are too many spans or log records."""
        if count > self.records:
            raise TooLarge(
                f"the request holds more than {self.records} records: send fewer a request, or raise "
                f"ingest.max_request_records"
            )

    def check_rows(self, size_bytes: int) -> None:
        """Raise TooLarge if the rows of a request are too large."""
        if size_bytes > self.row_bytes:
            raise TooLarge(
                f"stored, the request takes over {self.row_bytes} bytes, for each record is kept with its resource "
                f"and scope: send fewer records a request, shorter attributes of the resource, or raise "
                f"ingest.max_request_bytes"
            )
