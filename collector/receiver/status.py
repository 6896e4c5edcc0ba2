"""What a receiver answers: success, partial success, or a google.rpc.Status that says who must act.

https://opentelemetry.io/docs/specs/otlp/#otlpgrpc-response, https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status

from tracegrade.queries.machine import without_folders

from ..errors import CollectorError, Unavailable
from ..otlp.services import SERVICES
from ..otlp.signal import Signal
from ..system.log import log
from . import ExportOutcome

__all__ = ["answer", "only_collector_errors", "status"]


def answer(signal: Signal, outcome: ExportOutcome) -> Message:
    """Make the Export*ServiceResponse. Full success is the empty message, as OTLP demands."""
    service = SERVICES[signal]
    if not outcome.rejected and not outcome.message:
        return service.response()
    partial = {service.rejected_field: outcome.rejected, "error_message": outcome.message}
    return service.response(partial_success=partial)


def status(error: CollectorError) -> Status:
    """Make the refusal that gRPC and HTTP both send. Unavailable says when to send again."""
    refusal = Status(code=error.grpc_code, message=without_folders(str(error)))
    if isinstance(error, Unavailable):
        refusal.details.add().Pack(RetryInfo(retry_delay=Duration(seconds=error.retry_after_s)))
    return refusal


@contextmanager
def only_collector_errors() -> Iterator[None]:
    """Turn unexpected errors into Unavailable: a fault of ours must not make senders drop their records."""
    try:
        yield
    except CollectorError:
        raise
    except Exception as error:  # the boundary to the outside: an export always gets an answer
        log.exception("export failed")
        raise Unavailable("the server failed to take the export; its log says why") from error
