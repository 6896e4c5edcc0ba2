"""Clouds and clusters: failures in their envelopes, and their look-alikes."""

from __future__ import annotations

import json

from ..story import Agent, Fault, Story, answers, asks, call, tool, user

CLOUD = Agent(
    "cloud-assistant",
    (
        tool("invoke_lambda", "Invoke a function", name="string"),
        tool("send_messages", "Send a batch to a queue", queue="string", bodies="string[]"),
        tool("kubernetes_delete", "Delete an object", kind="string", name="string", namespace="string"),
        tool("kubernetes_get", "Read objects", kind="string", namespace="string"),
        tool("get_object", "Read an object from a bucket", bucket="string", key="string"),
        tool("bulk_index", "Index documents", index="string", docs={"type": "array", "items": {"type": "object"}}),
        tool("search_index", "Search an index", index="string", query="string"),
    ),
    "You operate the platform.",
)


STORIES = (
    Story(
        "second_lambda_function_error",
        "openllmetry",
        CLOUD,
        (
            user("Run the nightly invoice function."),
            asks(
                call(
                    "invoke_lambda",
                    {"name": "invoices"},
                    {
                        "StatusCode": 200,
                        "FunctionError": "Unhandled",
                        "Payload": json.dumps({"errorMessage": "'customer_id'", "errorType": "KeyError"}),
                    },
                )
            ),
            answers("The invoices were made."),
        ),
        ("tool_error",),
        "the function raised; 200 is only the status of the invocation",
    ),
    Story(
        "second_sqs_batch_failed_empty",
        "genai",
        CLOUD,
        (
            user("Queue the two reminders."),
            asks(
                call(
                    "send_messages",
                    {"queue": "reminders", "bodies": ["a", "b"]},
                    {
                        "Successful": [{"Id": "1"}, {"Id": "2"}],
                        "Failed": [],
                        "ResponseMetadata": {"HTTPStatusCode": 200, "RetryAttempts": 0},
                    },
                )
            ),
            answers("Both are queued."),
        ),
        (),
        "nothing failed: the list is empty",
    ),
    Story(
        "second_kubernetes_forbidden",
        "openinference",
        CLOUD,
        (
            user("Delete the deployment web in shop."),
            asks(
                call(
                    "kubernetes_delete",
                    {"kind": "deployment", "name": "web", "namespace": "shop"},
                    {
                        "kind": "Status",
                        "apiVersion": "v1",
                        "metadata": {},
                        "status": "Failure",
                        "message": 'deployments.apps "web" is forbidden: User "bot" cannot delete resource',
                        "reason": "Forbidden",
                        "code": 403,
                    },
                )
            ),
            answers("I am not allowed to delete it."),
        ),
        ("tool_error",),
        "the deletion was forbidden",
    ),
    Story(
        "second_kubernetes_failed_pods",
        "pydantic_ai",
        CLOUD,
        (
            user("What is wrong in the namespace shop?"),
            asks(
                call(
                    "kubernetes_get",
                    {"kind": "pod", "namespace": "shop"},
                    {
                        "kind": "PodList",
                        "items": [
                            {
                                "metadata": {"name": "web-1"},
                                "status": {"phase": "Failed", "reason": "Evicted", "message": "low on memory"},
                            },
                            {
                                "metadata": {"name": "web-2"},
                                "status": {
                                    "phase": "Running",
                                    "containerStatuses": [
                                        {"state": {"waiting": {"reason": "CrashLoopBackOff", "message": "Error"}}}
                                    ],
                                },
                            },
                        ],
                    },
                )
            ),
            answers("web-1 was evicted for lack of memory, web-2 crashes at start."),
        ),
        (),
        "the pods have failed, the reading of them has not",
    ),
    Story(
        "second_s3_access_denied_xml",
        "vercel_ai",
        CLOUD,
        (
            user("Show me the latest backup manifest."),
            asks(
                call(
                    "get_object",
                    {"bucket": "backups", "key": "latest.json"},
                    '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code>'
                    "<Message>Access Denied</Message><RequestId>4442587FB7D0A2F9</RequestId></Error>",
                )
            ),
            answers("I have no access to the backups."),
        ),
        ("tool_error",),
        "the object could not be read: the result is the error document of the service",
    ),
    Story(
        "second_bulk_index_partial",
        "genai_events",
        CLOUD,
        (
            user("Index the two products."),
            asks(
                call(
                    "bulk_index",
                    {"index": "products", "docs": [{"id": 1, "price": 5}, {"id": 2, "price": "cheap"}]},
                    {
                        "took": 7,
                        "errors": True,
                        "items": [
                            {"index": {"_id": "1", "status": 201}},
                            {
                                "index": {
                                    "_id": "2",
                                    "status": 400,
                                    "error": {"type": "mapper_parsing_exception", "reason": "failed to parse [price]"},
                                }
                            },
                        ],
                    },
                )
            ),
            answers("Both products are searchable now."),
        ),
        ("tool_error",),
        "one of two documents was refused",
    ),
    Story(
        "second_search_of_error_logs",
        "openllmetry",
        CLOUD,
        (
            user("What went wrong in checkout last night?"),
            asks(
                call(
                    "search_index",
                    {"index": "logs-checkout", "query": "level:error"},
                    {
                        "took": 5,
                        "timed_out": False,
                        "_shards": {"total": 5, "successful": 5, "failed": 0},
                        "hits": {
                            "total": 2,
                            "hits": [
                                {"_source": {"level": "ERROR", "error": "PSP timeout", "status": 504}},
                                {"_source": {"level": "ERROR", "error": "PSP timeout", "status": 504}},
                            ],
                        },
                    },
                )
            ),
            answers("Two time-outs of the payment provider."),
        ),
        (),
        "a log search that found errors worked",
    ),
    Story(
        "second_parallel_deletes_one_failed",
        "pydantic_ai",
        CLOUD,
        (
            user("Delete the jobs a, b and c in batch."),
            asks(
                call(
                    "kubernetes_delete",
                    {"kind": "job", "name": "a", "namespace": "batch"},
                    fault=Fault("ApiException", "(500) Internal Server Error: etcdserver: request timed out"),
                ),
                *(
                    call("kubernetes_delete", {"kind": "job", "name": name, "namespace": "batch"}, 'job "x" deleted')
                    for name in "bc"
                ),
            ),
            answers("b and c are gone; a could not be deleted."),
        ),
        ("tool_error",),
        "one of three deletions side by side failed, and nobody tried it again",
    ),
)
