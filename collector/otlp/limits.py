"""How large an export request may be, however it arrived and however small it was compressed."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import TooLarge

__all__ = ["MOST_MESSAGES", "RequestLimits"]

MOST_MESSAGES = 2**20
"""How many records, attributes, events, links and items of lists a request may hold, or objects where it is JSON: about
16 MiB of the shortest attributes. As many empty ones as fit in a request would take gigabytes and a minute."""

_ROWS_PER_BODY = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLimits:
    """Beyond these a request is refused for good: TooLarge, with what its sender can do."""

    body_bytes: int = 16 * 2**20
    records: int = 50_000

    @property
    def row_bytes(self) -> int:
        """How much the rows of a request may hold. Each has the resource and the scope of its record, and JSON."""
        return _ROWS_PER_BODY * self.body_bytes

    def check_body(self, size_bytes: int) -> None:
        """Raise TooLarge for a body, also for one that is not complete."""
        if size_bytes > self.body_bytes:
            raise TooLarge(
                f"the body is over {self.body_bytes} bytes: send fewer records a request, or raise "
                f"ingest.max_request_bytes"
            )

    def check_messages(self, count: int) -> None:
        """Raise TooLarge for the number of all messages, or objects."""
        if count > MOST_MESSAGES:
            raise TooLarge(
                f"the request holds more than {MOST_MESSAGES} objects (records, attributes, events, links, items): "
                f"send fewer records a request"
            )

    def check_records(self, count: int) -> None:
        """Raise TooLarge for the number of spans or log records."""
        if count > self.records:
            raise TooLarge(
                f"the request holds more than {self.records} records: send fewer a request, or raise "
                f"ingest.max_request_records"
            )

    def check_rows(self, size_bytes: int) -> None:
        """Raise TooLarge for the rows that a request becomes."""
        if size_bytes > self.row_bytes:
            raise TooLarge(
                f"stored, the request takes over {self.row_bytes} bytes, for each record is kept with its resource "
                f"and scope: send fewer records a request, shorter attributes of the resource, or raise "
                f"ingest.max_request_bytes"
            )
