"""An attribute is added to the resources of an export request."""

from __future__ import annotations

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tracegrade.collector.errors import Malformed
from tracegrade.collector.otlp.experiment_mark import EXPERIMENT_ID
from tracegrade.collector.otlp.resource_attribute import with_resource_attributes


def test_attribute_is_added_to_every_resource_of_spans() -> None:
    request = ExportTraceServiceRequest()
    for service in ("shop", "search"):
        spans = request.resource_spans.add()
        spans.resource.attributes.add(key="service.name").value.string_value = service
        spans.scope_spans.add().spans.add(name="invoke_agent")
    request.resource_spans.add().scope_spans.add().spans.add(name="without a resource")
    marked = ExportTraceServiceRequest.FromString(
        with_resource_attributes(request.SerializeToString(), {EXPERIMENT_ID: "x"})
    )
    attributes = [
        {each.key: each.value.string_value for each in spans.resource.attributes} for spans in marked.resource_spans
    ]
    assert attributes == [
        {"service.name": "shop", EXPERIMENT_ID: "x"},
        {"service.name": "search", EXPERIMENT_ID: "x"},
        {EXPERIMENT_ID: "x"},
    ]
    assert [spans.scope_spans for spans in marked.resource_spans] == [
        spans.scope_spans for spans in request.resource_spans
    ]


def test_attribute_of_the_same_key_is_replaced_also_for_log_records() -> None:
    request = ExportLogsServiceRequest()
    request.resource_logs.add().resource.attributes.add(key=EXPERIMENT_ID).value.string_value = "old"
    body = with_resource_attributes(request.SerializeToString(), {EXPERIMENT_ID: "new"})
    (logs,) = ExportLogsServiceRequest.FromString(body).resource_logs
    assert {each.key: each.value.string_value for each in logs.resource.attributes} == {EXPERIMENT_ID: "new"}


def test_bytes_that_are_no_request_are_refused() -> None:
    with pytest.raises(Malformed, match="not an OTLP export request"):
        with_resource_attributes(b"\x0a\xff\x01", {EXPERIMENT_ID: "x"})
