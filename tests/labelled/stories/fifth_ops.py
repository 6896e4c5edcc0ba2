"""Operations: Kubernetes, pipelines, clouds, incidents."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import (
    Agent,
    Story,
    answers,
    asks,
    call,
    crashes,
    model_fails,
    pause,
    repeat_calls,
    tool,
    user,
)

__all__ = ["STORIES"]

KUBE = (
    tool("kubectl_get", "Get resources", resource="string", namespace="string", name="string?"),
    tool("kubectl_describe", "Describe a resource", resource="string", namespace="string", name="string"),
    tool("kubectl_logs", "Logs of a pod", pod="string", namespace="string", previous="boolean?", tail="integer?"),
    tool("kubectl_patch", "Patch a resource", resource="string", namespace="string", name="string", patch="object"),
    tool("kubectl_rollout", "Rollout status or restart", action="string", namespace="string", name="string"),
)
SRE = Agent(
    "sre_agent",
    KUBE,
    "You operate the Kubernetes clusters of a shop. Diagnose before you change something.",
    "gpt-4.1",
)

PODS = "NAME                        READY   STATUS             RESTARTS       AGE\n"
CRASHING = PODS + "checkout-7c9f6d5b8-2xk4q   0/1     CrashLoopBackOff   12 (41s ago)   38m\n"
PENDING = PODS + "search-0                    0/1     Pending            0              2h\n"
EVENTS = "LAST SEEN   TYPE      REASON             OBJECT         MESSAGE\n61s   Warning   FailedScheduling   pod/search-0   0/6 nodes are available: 6 Insufficient memory.\n"

CI = Agent(
    "release_bot",
    (
        tool("trigger_workflow", "Start a workflow", workflow="string", ref="string"),
        tool("get_workflow_run", "State of a workflow run", run_id="integer"),
        tool("create_release", "Create a release", tag="string", notes="string"),
    ),
    "You release software with GitHub Actions.",
)
AIRFLOW = Agent(
    "pipeline_operator",
    (
        tool("trigger_dag", "Start a DAG", dag_id="string", conf="object?"),
        tool("get_dag_run", "State of a DAG run", dag_id="string", dag_run_id="string"),
        tool("list_dag_runs", "DAG runs of a day", day="string"),
    ),
    "You operate the data pipelines of a bank in Airflow.",
)
METRICS = Agent(
    "oncall_helper",
    (
        tool("query_prometheus", "Instant query", expr="string"),
        tool("search_logs", "Search Loki", query="string", minutes="integer"),
        tool("page_oncall", "Page a person", team="string", summary="string", severity=["sev1", "sev2", "sev3"]),
    ),
    "You help engineers on call. Page a person before anything risky.",
)
FLEET = Agent(
    "device_fleet",
    (
        tool("list_devices", "Devices of a site", site="string"),
        tool("push_firmware", "Push a firmware to a device", device_id="string", version="string"),
    ),
    "Du verwaltest die Geräte in den Filialen.",
)
CLOUD = Agent(
    "cloud_cost",
    (
        tool("get_cost", "Cost of a service", service="string", month="string"),
        tool("list_instances", "Instances of a region", region="string"),
    ),
    "You report about cloud costs.",
)

STORIES = (
    Story(
        "fifth_ops_crashloop_long",
        "openinference",
        SRE,
        (
            user("checkout is down in prod since the last deploy. Find out why and fix it."),
            asks(call("kubectl_get", {"resource": "pods", "namespace": "prod"}, CRASHING)),
            asks(
                call(
                    "kubectl_describe",
                    {"resource": "pod", "namespace": "prod", "name": "checkout-7c9f6d5b8-2xk4q"},
                    "State:          Waiting\n  Reason:       CrashLoopBackOff\nLast State:     Terminated\n"
                    "  Reason:       Error\n  Exit Code:    1\nEvents:\n  Warning  BackOff  Back-off restarting failed "
                    "container",
                ),
                call(
                    "kubectl_logs",
                    {"pod": "checkout-7c9f6d5b8-2xk4q", "namespace": "prod", "previous": True, "tail": 50},
                    "2026-02-03T09:14:02Z FATAL config: missing required variable PAYMENT_URL\n"
                    "panic: exit status 1\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:41 +0x1d",
                ),
            ),
            asks(
                call(
                    "kubectl_get",
                    {"resource": "configmap", "namespace": "prod", "name": "checkout-env"},
                    {"kind": "ConfigMap", "data": {"PAYMENTS_URL": "http://payments.prod:8080", "LOG_LEVEL": "error"}},
                )
            ),
            asks(
                call(
                    "kubectl_get",
                    {"resource": "deployment", "namespace": "prod", "name": "checkouts"},
                    'Error from server (NotFound): deployments.apps "checkouts" not found',
                )
            ),
            asks(
                call(
                    "kubectl_get",
                    {"resource": "deployment", "namespace": "prod", "name": "checkout"},
                    {"kind": "Deployment", "spec": {"replicas": 1}, "status": {"unavailableReplicas": 1}},
                )
            ),
            asks(
                call(
                    "kubectl_patch",
                    {
                        "resource": "configmap",
                        "namespace": "prod",
                        "name": "checkout-env",
                        "patch": {"data": {"PAYMENT_URL": "http://payments.prod:8080"}},
                    },
                    "configmap/checkout-env patched",
                )
            ),
            asks(
                call(
                    "kubectl_rollout",
                    {"action": "restart", "namespace": "prod", "name": "checkout"},
                    "deployment.apps/checkout restarted",
                )
            ),
            asks(
                call(
                    "kubectl_rollout",
                    {"action": "status", "namespace": "prod", "name": "checkout"},
                    'Waiting for deployment "checkout" rollout to finish: 0 of 1 updated replicas are available...',
                )
            ),
            pause(15),
            asks(
                call(
                    "kubectl_rollout",
                    {"action": "status", "namespace": "prod", "name": "checkout"},
                    'Waiting for deployment "checkout" rollout to finish: 0 of 1 updated replicas are available...',
                )
            ),
            pause(15),
            asks(
                call(
                    "kubectl_rollout",
                    {"action": "status", "namespace": "prod", "name": "checkout"},
                    'deployment "checkout" successfully rolled out',
                )
            ),
            asks(
                call(
                    "kubectl_get",
                    {"resource": "pods", "namespace": "prod"},
                    PODS + "checkout-5d8bb7f9c-m7t2z   1/1     Running   0          34s\n",
                )
            ),
            asks(
                call(
                    "kubectl_logs",
                    {"pod": "checkout-5d8bb7f9c-m7t2z", "namespace": "prod", "tail": 5},
                    "INFO listening on :8080\nWARN retrying connection to payments: connection refused (1/5)\n"
                    "INFO connected to payments",
                )
            ),
            answers(
                "The new version reads PAYMENT_URL, the config map only had PAYMENTS_URL. I added the variable and "
                "restarted checkout; it is running again."
            ),
        ),
        failing=(),
        why="logs full of errors, a mistyped name made good, a rollout polled to its end",
    ),
    Story(
        "fifth_ops_patch_forbidden",
        "genai",
        SRE,
        (
            user("Scale the worker deployment in staging to 4."),
            asks(
                call(
                    "kubectl_get",
                    {"resource": "deployment", "namespace": "staging", "name": "worker"},
                    {"kind": "Deployment", "spec": {"replicas": 2}},
                )
            ),
            asks(
                call(
                    "kubectl_patch",
                    {
                        "resource": "deployment",
                        "namespace": "staging",
                        "name": "worker",
                        "patch": {"spec": {"replicas": 4}},
                    },
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": 'deployments.apps "worker" is forbidden: User '
                                '"system:serviceaccount:ops:agent" cannot patch resource "deployments" in API group '
                                '"apps" in the namespace "staging"',
                            }
                        ],
                        "isError": True,
                    },
                )
            ),
            answers("I'm not allowed to patch deployments in staging. Someone with write access has to scale worker."),
        ),
        failing=("tool_error",),
        why="the patch was forbidden and nothing made it good",
    ),
    Story(
        "fifth_ops_dag_polled_to_failure",
        "openllmetry",
        AIRFLOW,
        (
            user("Rerun the settlement of 2026-01-30 and tell me when it is done."),
            asks(
                call(
                    "trigger_dag",
                    {"dag_id": "settlement", "conf": {"day": "2026-01-30"}},
                    {"dag_run_id": "manual__2026-02-02T07:10:00", "state": "queued"},
                )
            ),
            *(
                step
                for state in ("queued", "running", "running")
                for step in (
                    asks(
                        call(
                            "get_dag_run",
                            {"dag_id": "settlement", "dag_run_id": "manual__2026-02-02T07:10:00"},
                            {"dag_run_id": "manual__2026-02-02T07:10:00", "state": state},
                        )
                    ),
                    pause(60),
                )
            ),
            asks(
                call(
                    "get_dag_run",
                    {"dag_id": "settlement", "dag_run_id": "manual__2026-02-02T07:10:00"},
                    {
                        "dag_run_id": "manual__2026-02-02T07:10:00",
                        "state": "failed",
                        "error": "Task post_ledger failed after 3 attempts: ORA-00054: resource busy",
                    },
                )
            ),
            answers("The rerun did not go through: post_ledger failed because the ledger table was locked."),
        ),
        failing=("tool_error",),
        why="the job that the agent started was polled until it had failed",
    ),
    Story(
        "fifth_ops_build_polled_to_success",
        "vercel_ai",
        CI,
        (
            user("Run the build for v3.2.0 and publish the release if it is green."),
            asks(
                call(
                    "trigger_workflow",
                    {"workflow": "build.yml", "ref": "v3.2.0"},
                    {"run_id": 71200345, "status": "queued", "conclusion": None},
                )
            ),
            *(
                step
                for _ in range(6)
                for step in (
                    asks(
                        call(
                            "get_workflow_run",
                            {"run_id": 71200345},
                            {"run_id": 71200345, "status": "in_progress", "conclusion": None},
                        )
                    ),
                    pause(45),
                )
            ),
            asks(
                call(
                    "get_workflow_run",
                    {"run_id": 71200345},
                    {"run_id": 71200345, "status": "completed", "conclusion": "success", "failed_jobs": 0},
                )
            ),
            asks(
                call(
                    "create_release",
                    {"tag": "v3.2.0", "notes": "Fixes the error handling of failed uploads."},
                    {"id": 2201, "html_url": "https://github.com/acme/app/releases/tag/v3.2.0", "errors": []},
                )
            ),
            answers("The build is green and v3.2.0 is published."),
        ),
        failing=(),
        why="polling that ends with the finished build",
    ),
    Story(
        "fifth_ops_failed_runs_listed",
        "pydantic_ai",
        AIRFLOW,
        (
            user("Which pipelines failed last night?"),
            asks(
                call(
                    "list_dag_runs",
                    {"day": "2026-02-01"},
                    [
                        {"dag_id": "settlement", "state": "success", "end": "02:14"},
                        {"dag_id": "fx_rates", "state": "failed", "end": "03:01"},
                        {"dag_id": "risk_report", "state": "success", "end": "04:40"},
                        {"dag_id": "card_fraud", "state": "upstream_failed", "end": "03:01"},
                    ],
                )
            ),
            answers("fx_rates failed at 03:01, and card_fraud did not run because of it. The other two succeeded."),
        ),
        failing=(),
        why="the list of what failed is what was asked for; the lookup itself worked",
    ),
    Story(
        "fifth_ops_firmware_unavailable",
        "openllmetry",
        FLEET,
        (
            user("Spiele Firmware 5.1.2 auf das Kassenterminal in Filiale Köln auf."),
            asks(
                call(
                    "list_devices",
                    {"site": "Köln"},
                    {"devices": [{"id": "pos-kln-03", "firmware": "5.0.9", "last_error": None}], "next_page_token": ""},
                )
            ),
            asks(
                call(
                    "push_firmware",
                    {"device_id": "pos-kln-03", "version": "5.1.2"},
                    {"code": 14, "message": "UNAVAILABLE: failed to connect to all addresses", "details": []},
                )
            ),
            answers("Das Terminal pos-kln-03 ist gerade nicht erreichbar, die Firmware wurde nicht aufgespielt."),
        ),
        failing=("tool_error",),
        why="the push ended with gRPC status 14 and was not repeated",
    ),
    Story(
        "fifth_ops_no_series",
        "genai_events",
        METRICS,
        (
            user("Did we have any 5xx on the login service in the last hour?"),
            asks(
                call(
                    "query_prometheus",
                    {"expr": 'sum(increase(http_requests_total{app="login",code=~"5.."}[1h]))'},
                    {"status": "success", "data": {"resultType": "vector", "result": []}},
                ),
                call(
                    "search_logs",
                    {"query": '{app="login"} |= "error"', "minutes": 60},
                    {"status": "success", "data": {"resultType": "streams", "result": []}, "warnings": None},
                ),
            ),
            answers("No. There is neither a 5xx series nor an error line for login in the last hour."),
        ),
        failing=(),
        why="both queries worked and found nothing",
    ),
    Story(
        "fifth_ops_paged_a_person",
        "pydantic_ai",
        METRICS,
        (
            user("Disk of db-primary fills up. Drop the oldest WAL files."),
            asks(
                call(
                    "query_prometheus",
                    {"expr": 'node_filesystem_avail_bytes{instance="db-primary"}'},
                    {"status": "success", "data": {"result": [{"value": [1770000000, "2147483648"]}]}},
                ),
                call(
                    "search_logs",
                    {"query": '{host="db-primary"} |= "FATAL"', "minutes": 30},
                    {
                        "status": "success",
                        "data": {
                            "result": [
                                "09:01:17 FATAL: archive command failed with exit code 1",
                                "09:02:17 FATAL: archive command failed with exit code 1",
                            ]
                        },
                    },
                ),
            ),
            asks(
                call(
                    "page_oncall",
                    {
                        "team": "databases",
                        "summary": "db-primary: WAL archiving fails, 2 GiB left. Deleting WAL needs a decision.",
                        "severity": "sev2",
                    },
                    {"incident": "INC-4471", "acknowledged": False, "error": None},
                )
            ),
            answers(
                "I won't delete WAL files, that can lose data. Archiving fails since 09:01; I paged the database team "
                "(INC-4471), who will take over."
            ),
        ),
        failing=(),
        why="declined something risky and handed over to a person; the failures are in the logs",
    ),
    Story(
        "fifth_ops_pods_and_events_cycle",
        "genai",
        SRE,
        (
            user("Get search-0 in staging running."),
            *repeat_calls(
                8,
                call("kubectl_get", {"resource": "pods", "namespace": "staging"}, PENDING),
                call("kubectl_get", {"resource": "events", "namespace": "staging"}, EVENTS),
            ),
            crashes("GraphRecursionError", "Recursion limit of 25 reached without hitting a stop condition."),
        ),
        failing=("tool_efficiency", "run_completion"),
        why="two lookups in turn with the same results, until the limit of steps ended the run without an answer",
    ),
    Story(
        "fifth_ops_model_quota",
        "openinference",
        CLOUD,
        (
            user("Compare our EC2 cost of January with December."),
            asks(
                call("get_cost", {"service": "ec2", "month": "2026-01"}, {"amount": 18213.4, "currency": "USD"}),
                call("get_cost", {"service": "ec2", "month": "2025-12"}, {"amount": 16990.0, "currency": "USD"}),
            ),
            model_fails(
                "openai.RateLimitError",
                "Error code: 429 - {'error': {'message': 'You exceeded your current quota, please check your plan and "
                "billing details.', 'type': 'insufficient_quota'}}",
            ),
            crashes(
                "openai.RateLimitError",
                "Error code: 429 - {'error': {'message': 'You exceeded your current quota, please check your plan and "
                "billing details.', 'type': 'insufficient_quota'}}",
            ),
        ),
        failing=("run_completion",),
        why="the run ended with the exhausted quota of the model, without an answer",
    ),
)
