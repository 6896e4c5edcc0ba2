"""Clusters, metrics, incidents and clouds."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import (
    Agent,
    Fault,
    Story,
    Tool,
    answers,
    asks,
    call,
    model_fails,
    pause,
    tool,
    unanswered,
    user,
)

__all__ = ["STORIES"]

KUBECTL = tool("exec_read_only_kubectl_cmd", "Run a read-only kubectl command", command="string")
STRATUS = Agent("stratus", (KUBECTL,), "You diagnose a failing application. Submit a diagnosis.", "gpt-4o")

PODS = tool("pods_list_in_namespace", "List the pods of a namespace", namespace="string")
POD = tool("pods_get", "Get a pod", namespace="string", name="string")
LOG = tool("pods_log", "Get the logs of a pod", namespace="string", name="string", previous="boolean?", tail="integer?")
EVENTS = tool("events_list", "List events", namespace="string?")
RESOURCE = tool(
    "resources_get", "Get a resource", apiVersion="string", kind="string", namespace="string?", name="string"
)
TOP = tool("pods_top", "Resource consumption of pods", namespace="string?")
KUBE = Agent("kube_sre", (PODS, POD, LOG, EVENTS, RESOURCE, TOP), "You are an SRE.", "claude-sonnet-4-5", "anthropic")

PROM = tool(
    "query_prometheus",
    "Query Prometheus",
    datasourceUid="string",
    expr="string",
    queryType=["range", "instant"],
    startTime="string",
    endTime="string?",
    stepSeconds="integer?",
)
DATASOURCES = tool("list_datasources", "List available Grafana datasources", type="string?")
LOKI = tool("query_loki_logs", "Query Loki", datasourceUid="string", logql="string", limit="integer?")
GRAFANA = Agent("grafana_assistant", (DATASOURCES, PROM, LOKI), "You answer questions about metrics.")

ISSUES = tool("search_issues", "Search Sentry issues", organizationSlug="string", naturalLanguageQuery="string")
DETAILS = tool("get_issue_details", "Details of a Sentry issue", organizationSlug="string", issueId="string")
SENTRY = Agent("sentry_helper", (ISSUES, DETAILS), "You help to debug production errors.")

INCIDENTS = Tool(
    "list_incidents",
    "List incidents",
    {
        "type": "object",
        "properties": {
            "query_model": {
                "type": "object",
                "properties": {"limit": {"type": "integer"}, "status": {"type": "array", "items": {"type": "string"}}},
            }
        },
        "required": ["query_model"],
    },
)
PAGER = Agent("oncall_bot", (INCIDENTS,), "You answer questions about incidents.", "claude-sonnet-4", "anthropic")

ROLLOUT = tool("rollout_status", "Status of a rollout", deployment="string", namespace="string")
APPLY = tool("set_image", "Set the image of a deployment", deployment="string", namespace="string", image="string")
DEPLOYER = Agent("deployer", (APPLY, ROLLOUT), "You roll out releases.")

AWS = tool("call_aws", "Execute an AWS CLI command", cli_command="string", max_results="integer?")
CLOUD = Agent("aws_assistant", (AWS,), "You answer questions about an AWS account.")

STATUSPAGE = tool("get_component_status", "Status of a component of the status page", component="string")
STATUS = Agent("status_bot", (STATUSPAGE,), "You keep customers informed.", "claude-sonnet-4-5", "anthropic")

SSH = tool("run_on_host", "Run a command on a host over SSH", host="string", command="string")
HOSTS = Agent("host_doctor", (SSH,), "You look after Linux hosts.")


def metrics(value: str) -> list[dict[str, object]]:
    return [{"metric": {"job": "checkout"}, "values": [[1741951355, value], [1741951385, value]]}]


STORIES = (
    Story(
        "sixth_ops_metrics_forbidden",
        "genai_events",
        STRATUS,
        (
            user("Which pod of astronomy-shop uses the most memory?"),
            asks(
                call(
                    "exec_read_only_kubectl_cmd",
                    {"command": "kubectl get pods -n astronomy-shop"},
                    "NAME                     READY   STATUS    RESTARTS   AGE\nad-6c9bb5d9f-2mxkq       1/1     Running   "
                    "0          41h\ncart-7d77f5b8c9-hq7zp    1/1     Running   0          41h",
                )
            ),
            asks(
                call(
                    "exec_read_only_kubectl_cmd",
                    {"command": "kubectl top pod -n astronomy-shop"},
                    "Command Rejected: Error executing kubectl command: Error from server (Forbidden): "
                    'pods.metrics.k8s.io is forbidden: User "system:serviceaccount:sregym:mcp-server" cannot list '
                    'resource "pods" in API group "metrics.k8s.io" in the namespace "astronomy-shop"',
                )
            ),
            answers(
                "I can see the pods but am not allowed to read their metrics, so I cannot tell which uses the most."
            ),
        ),
        failing=("tool_error",),
        why="the call that mattered was forbidden, as the last action, and never made good",
    ),
    Story(
        "sixth_ops_crash_loop_diagnosed",
        "pydantic_ai",
        KUBE,
        (
            user("checkout keeps restarting in prod. Find out why."),
            asks(
                call(
                    "pods_list_in_namespace",
                    {"namespace": "prod"},
                    "NAMESPACE  NAME                        READY  STATUS            RESTARTS  AGE\nprod       "
                    "checkout-5b9c7f-ktx8q       0/1    CrashLoopBackOff  14        52m\nprod       payment-77f4d-lq2rr  "
                    "        1/1    Running           0         3d\nprod       redis-0                     1/1    Running  "
                    "         0         9d",
                )
            ),
            asks(
                call(
                    "pods_get",
                    {"namespace": "prod", "name": "checkout-5b9c7f-ktx8q"},
                    "status:\n  phase: Running\n  containerStatuses:\n  - name: checkout\n    lastState:\n      "
                    "terminated:\n        exitCode: 1\n        reason: Error\n    state:\n      waiting:\n        "
                    "message: back-off 5m0s restarting failed container\n        reason: CrashLoopBackOff\n",
                ),
                call(
                    "events_list",
                    {"namespace": "prod"},
                    "# The following events (YAML format) were found:\n- Message: Back-off restarting failed container "
                    "checkout in pod checkout-5b9c7f-ktx8q\n  Reason: BackOff\n  Type: Warning\n- Message: 'Readiness "
                    "probe failed: dial tcp 10.4.1.9:8080: connect: connection refused'\n  Type: Warning\n",
                ),
            ),
            asks(
                call(
                    "pods_log",
                    {"namespace": "prod", "name": "checkout-5b9c7f-ktx8q", "previous": True, "tail": 50},
                    "panic: dial tcp: lookup payments.prod.svc.cluster.local on 10.96.0.10:53: no such host\n\ngoroutine 1 "
                    "[running]:\nmain.main()\n\t/src/main.go:58 +0x2b1",
                )
            ),
            asks(
                call(
                    "resources_get",
                    {"apiVersion": "v1", "kind": "Service", "namespace": "prod", "name": "payments"},
                    fault=Fault("McpError", 'failed to get resource: services "payments" not found'),
                )
            ),
            asks(
                call(
                    "resources_get",
                    {"apiVersion": "v1", "kind": "Service", "namespace": "prod", "name": "payment"},
                    "apiVersion: v1\nkind: Service\nmetadata:\n  name: payment\n  namespace: prod\nspec:\n  ports:\n  - "
                    "port: 8443\n  selector:\n    app: payment\n",
                )
            ),
            asks(
                call(
                    "resources_get",
                    {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "prod", "name": "checkout"},
                    "spec:\n  template:\n    spec:\n      containers:\n      - env:\n        - name: PAYMENTS_HOST\n      "
                    "    value: payments.prod.svc.cluster.local\n        image: registry/checkout:4.12.0\n",
                )
            ),
            asks(
                call(
                    "resources_get",
                    {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "prod", "name": "checkout-config"},
                    'data:\n  FEATURE_NEW_PAYMENTS: "true"\n  LOG_LEVEL: error\n',
                )
            ),
            asks(
                call(
                    "pods_log",
                    {"namespace": "prod", "name": "payment-77f4d-lq2rr", "tail": 20},
                    '{"level":"info","msg":"listening on :8443"}\n{"level":"error","msg":"client closed '
                    'request","code":499}',
                )
            ),
            asks(
                call(
                    "pods_top",
                    {"namespace": "prod"},
                    "NAMESPACE  POD                    NAME      CPU(cores)  MEMORY(bytes)\nprod       payment-77f4d-lq2rr"
                    "    payment   12m         88Mi\nprod       redis-0                redis     4m          31Mi",
                )
            ),
            asks(
                call(
                    "resources_get",
                    {"apiVersion": "v1", "kind": "Endpoints", "namespace": "prod", "name": "payment"},
                    "subsets:\n- addresses:\n  - ip: 10.4.2.17\n  ports:\n  - port: 8443\n",
                )
            ),
            asks(
                call(
                    "resources_get",
                    {
                        "apiVersion": "networking.k8s.io/v1",
                        "kind": "NetworkPolicy",
                        "namespace": "prod",
                        "name": "default-deny",
                    },
                    "spec:\n  podSelector: {}\n  policyTypes: [Ingress]\n  ingress:\n  - from:\n    - podSelector: {}\n",
                )
            ),
            asks(
                call(
                    "resources_get",
                    {"apiVersion": "apps/v1", "kind": "ReplicaSet", "namespace": "prod", "name": "checkout-66d1aa"},
                    'metadata:\n  annotations:\n    deployment.kubernetes.io/revision: "31"\nspec:\n  template:\n    spec:\n'
                    "      containers:\n      - env:\n        - name: PAYMENTS_HOST\n          value: "
                    "payment.prod.svc.cluster.local\n        image: registry/checkout:4.11.3\n",
                )
            ),
            asks(
                call(
                    "pods_log",
                    {"namespace": "prod", "name": "checkout-5b9c7f-ktx8q", "tail": 5},
                    "panic: dial tcp: lookup payments.prod.svc.cluster.local on 10.96.0.10:53: no such host",
                )
            ),
            asks(call("events_list", {"namespace": "kube-system"}, "# No events found\n")),
            answers(
                "checkout 4.12.0 looks up `payments.prod.svc.cluster.local`, but the service is called `payment`. The "
                "lookup fails and the process panics. Set PAYMENTS_HOST to payment.prod.svc.cluster.local."
            ),
        ),
        failing=(),
        why="logs and events speak of errors; the one resource that was not there was looked up under its right name",
    ),
    Story(
        "sixth_ops_prometheus_time_corrected",
        "openllmetry",
        GRAFANA,
        (
            user("What was the transaction rate of checkout around 11:30 UTC on 14 March?"),
            asks(
                call(
                    "list_datasources",
                    {"type": "prometheus"},
                    [{"id": 3, "uid": "source_a", "name": "prom-main", "type": "prometheus", "isDefault": True}],
                )
            ),
            asks(
                call(
                    "query_prometheus",
                    {
                        "datasourceUid": "source_a",
                        "expr": "rate(transaction_count[2m])",
                        "queryType": "range",
                        "startTime": "14 March 11:22",
                        "endTime": "14 March 11:52",
                        "stepSeconds": 30,
                    },
                    {
                        "error": "MCP error -32603: querying Prometheus range: bad_response: readObjectStart: expect { or "
                        "n, but found c, error found in #1 byte of ...|cannot pars|..., bigger context "
                        '...|cannot parse "" to a valid timestamp|...'
                    },
                )
            ),
            asks(
                call(
                    "query_prometheus",
                    {
                        "datasourceUid": "source_a",
                        "expr": "rate(transaction_count[2m])",
                        "queryType": "range",
                        "startTime": "2025-03-14T11:22:35Z",
                        "endTime": "2025-03-14T11:52:35Z",
                        "stepSeconds": 30,
                    },
                    metrics("41.6"),
                )
            ),
            answers("About 41.6 transactions per second, steady over the half hour."),
        ),
        failing=(),
        why="the query failed for its times and worked with proper ones",
    ),
    Story(
        "sixth_ops_issue_details_unknown_type",
        "openinference",
        SENTRY,
        (
            user("What is behind the newest unresolved issue of shop-api? Give me the stack trace."),
            asks(
                call(
                    "search_issues",
                    {"organizationSlug": "acme", "naturalLanguageQuery": "newest unresolved in shop-api"},
                    '# Search Results for "newest unresolved in shop-api"\n\nFound **1** issue:\n\n## 1. [SHOP-API-14H]'
                    "(https://acme.sentry.io/issues/SHOP-API-14H)\n\n**Connection pool exhausted**\n\n- **Status**: "
                    "unresolved\n- **Events**: 214\n",
                )
            ),
            asks(
                call(
                    "get_issue_details",
                    {"organizationSlug": "acme", "issueId": "SHOP-API-14H"},
                    "**Input Error**\n\nThere was an HTTP 400 error with your request to the Sentry API.\n\nAPI error "
                    "(400): Unknown event type: default\n\nYou may be able to resolve the issue by addressing the concern "
                    "and trying again.",
                )
            ),
            answers(
                "The newest issue is SHOP-API-14H, “Connection pool exhausted”, with 214 events. I could not load its "
                "details, so I have no stack trace."
            ),
        ),
        failing=("tool_error",),
        why="the details that were asked for ended in a 400 and were not tried again",
    ),
    Story(
        "sixth_ops_incidents_query_as_text",
        "genai",
        PAGER,
        (
            user("List incidents"),
            asks(
                call("list_incidents", {"query_model": "{}"}, "Input validation error: '{}' is not of type 'object'"),
                text="I'll help you list incidents from PagerDuty.",
            ),
            asks(
                call(
                    "list_incidents",
                    {"query_model": '{"limit": 25}'},
                    "Input validation error: '{\"limit\": 25}' is not of type 'object'",
                ),
                text="Let me fix that by providing a proper query model:",
            ),
            asks(
                call(
                    "list_incidents",
                    {"query_model": '{\n  "limit": 25\n}'},
                    "Input validation error: '{\\n  \"limit\": 25\\n}' is not of type 'object'",
                ),
                text="Let me try with the correct format for the query model:",
            ),
            answers("I'm unable to list the incidents, the tool does not accept my query. Please look into PagerDuty."),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="the query is a text each time where an object is needed, and no call ever worked",
    ),
    Story(
        "sixth_ops_rollout_waited_for",
        "vercel_ai",
        DEPLOYER,
        (
            user("Roll out web 2.8.1 in staging and tell me when it is done."),
            asks(
                call(
                    "set_image",
                    {"deployment": "web", "namespace": "staging", "image": "registry/web:2.8.1"},
                    "deployment.apps/web image updated",
                )
            ),
            *(
                step
                for text in (
                    'Waiting for deployment "web" rollout to finish: 1 out of 3 new replicas have been updated...',
                    'Waiting for deployment "web" rollout to finish: 1 out of 3 new replicas have been updated...',
                    'Waiting for deployment "web" rollout to finish: 1 out of 3 new replicas have been updated...',
                    'Waiting for deployment "web" rollout to finish: 1 out of 3 new replicas have been updated...',
                    'Waiting for deployment "web" rollout to finish: 2 out of 3 new replicas have been updated...',
                    'Waiting for deployment "web" rollout to finish: 2 out of 3 new replicas have been updated...',
                    'Waiting for deployment "web" rollout to finish: 2 out of 3 new replicas have been updated...',
                    'Waiting for deployment "web" rollout to finish: 1 old replicas are pending termination...',
                    'Waiting for deployment "web" rollout to finish: 1 old replicas are pending termination...',
                    'deployment "web" successfully rolled out',
                )
                for step in (
                    pause(15),
                    asks(call("rollout_status", {"deployment": "web", "namespace": "staging"}, text)),
                )
            ),
            answers("web 2.8.1 is rolled out in staging, all three replicas are new."),
        ),
        failing=(),
        why="polling that ends with the rollout",
    ),
    Story(
        "sixth_ops_costs_denied_budget_read",
        "genai",
        CLOUD,
        (
            user("How much did we spend this month, roughly?"),
            asks(
                call(
                    "call_aws",
                    {
                        "cli_command": "aws ce get-cost-and-usage --time-period Start=2026-06-01,End=2026-06-20 "
                        "--granularity MONTHLY --metrics UnblendedCost"
                    },
                    fault=Fault(
                        "botocore.exceptions.ClientError",
                        "An error occurred (AccessDeniedException) when calling the GetCostAndUsage operation: "
                        "User: arn:aws:sts::111122223333:assumed-role/agent/session is not authorized to perform: "
                        "ce:GetCostAndUsage on resource: arn:aws:ce:us-east-1:111122223333:/GetCostAndUsage",
                    ),
                )
            ),
            asks(
                call(
                    "call_aws",
                    {"cli_command": "aws budgets describe-budgets --account-id 111122223333"},
                    {
                        "Budgets": [
                            {
                                "BudgetName": "monthly-total",
                                "BudgetLimit": {"Amount": "5000.0", "Unit": "USD"},
                                "CalculatedSpend": {"ActualSpend": {"Amount": "3127.44", "Unit": "USD"}},
                            }
                        ]
                    },
                )
            ),
            answers("About 3,127 USD so far this month, of a budget of 5,000 USD."),
        ),
        failing=(),
        why="the denied command was made good by another call of the same tool that gave the answer",
    ),
    Story(
        "sixth_ops_overloaded_then_answered",
        "pydantic_ai",
        STATUS,
        (
            user("Is the EU webhook delivery degraded?"),
            model_fails(
                "anthropic.APIStatusError",
                "Error code: 529 - {'type': 'error', 'error': {'type': 'overloaded_error', 'message': 'Overloaded'}}",
            ),
            asks(
                call(
                    "get_component_status",
                    {"component": "webhooks-eu"},
                    {
                        "component": "webhooks-eu",
                        "status": "partial_outage",
                        "incident": "inc_8842",
                        "updated_at": "2026-06-18T07:41:00Z",
                    },
                )
            ),
            answers("Yes. Since 07:41 UTC webhooks in the EU are in a partial outage (incident inc_8842)."),
        ),
        failing=(),
        why="the overloaded model was asked again; a component that is out is the answer, not an error",
    ),
    Story(
        "sixth_ops_log_query_never_ran",
        "openllmetry",
        GRAFANA,
        (
            user("Show me the last errors of the ingester."),
            asks(
                call("list_datasources", {"type": "loki"}, [{"id": 5, "uid": "loki-1", "name": "loki", "type": "loki"}])
            ),
            asks(
                unanswered(
                    "query_loki_logs",
                    {"datasourceUid": "loki-1", "logql": '{app="ingester"} |= "level=error"', "limit": 50},
                )
            ),
        ),
        failing=("run_completion",),
        why="the query of the logs was requested and never executed, and no answer was given",
    ),
    Story(
        "sixth_ops_error_log_read",
        "genai_events",
        HOSTS,
        (
            user("De site op web-03 is traag. Staat er iets in de foutlog van nginx?"),
            asks(call("run_on_host", {"host": "web-03", "command": "systemctl is-active nginx"}, "active\n")),
            asks(
                call(
                    "run_on_host",
                    {"host": "web-03", "command": "tail -n 3 /var/log/nginx/error.log"},
                    "2026/06/18 09:14:02 [error] 911#911: *8812 upstream timed out (110: Connection timed out) while "
                    "reading response header from upstream, client: 10.2.0.7, server: shop.example.nl\n2026/06/18 "
                    "09:14:05 [error] 911#911: *8815 upstream timed out (110: Connection timed out) while reading "
                    "response header from upstream\n2026/06/18 09:14:09 [crit] 911#911: *8820 connect() to "
                    "unix:/run/php-fpm.sock failed (11: Resource temporarily unavailable)\n",
                )
            ),
            answers(
                "Ja: php-fpm zit vol. De socket weigert verbindingen en aanvragen lopen vast op een time-out; verhoog "
                "pm.max_children."
            ),
        ),
        failing=(),
        why="the lines are the log that was asked for, and reading it worked",
    ),
)
