"""Clusters, pipelines, alerts."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, crashes, model_fails, pause, repeat_calls, tool, user

__all__ = ["STORIES"]

PODS = tool("pods_list_in_namespace", "Lists the pods of a namespace", namespace="string", labelSelector="string?")
LOGS = tool("pods_log", "Log of a pod", namespace="string", name="string", tail="integer?", previous="boolean?")
SCALE = tool("resources_scale", "Scales a workload", namespace="string", name="string", replicas="integer")
KUBE = Agent("kube_agent", (PODS, LOGS, SCALE), "You look after a Kubernetes cluster.", "gpt-4.1")

BASH = tool("bash", "Runs a command", command="string", timeout="integer?")
SHELL = Agent("ops_shell", (BASH,), "You operate Linux hosts through a shell.", "claude-sonnet-4-5", "anthropic")

INCIDENTS = tool(
    "list_incidents", "Incidents", statuses="string[]?", since="string?", offset="integer?", limit="integer?"
)
PAGER = Agent("oncall_digest", (INCIDENTS,), "You sum up incidents.", "gpt-4o-mini")

DEPLOY = tool("get_deployment", "A deployment", id="string")
BUILD_LOG = tool("get_build_logs", "Log of a build", id="string")
VERCEL = Agent("deploy_watch", (DEPLOY, BUILD_LOG), "You watch deployments.", "gpt-4.1-mini")

START = tool("argocd_sync", "Starts a sync of an application", app="string")
SYNC = tool("argocd_app_status", "State of an application", app="string")
ARGO = Agent("argo_agent", (START, SYNC), "You roll out applications with Argo CD.", "gpt-4.1-mini")

PROM = tool("query_prometheus", "PromQL query", expr="string", queryType="string")
LOKI = tool("query_loki_logs", "LogQL query", logql="string", limit="integer?")
GRAFANA = Agent("grafana_agent", (PROM, LOKI), "You investigate with Grafana.", "gpt-4o")

TRACE = tool("query_traces", "Finds traces", service="string", minutes="integer")
TRACER = Agent("trace_analyst", (TRACE,), "You analyse traces.", "gpt-4o-mini")
ASK_TRACES = tool("ask_trace_analyst", "Asks the analyst of traces", question="string")
LEAD = Agent("incident_lead", (ASK_TRACES,), "You lead the investigation of incidents.", "gpt-4.1")

DESCRIBE = tool("describe_instance", "Describes an instance", instance_id="string")
METRICS = tool("get_metrics", "CPU and memory of an instance", instance_id="string", minutes="integer?")
FLEET = Agent("fleet_assistant", (DESCRIBE, METRICS), "You answer questions on our instances.", "gpt-4o-mini")

STORIES = (
    Story(
        "fifteenth_devops_crash_log_read",
        "genai",
        KUBE,
        (
            user("Why does checkout restart all the time?"),
            asks(
                call(
                    "pods_list_in_namespace",
                    {"namespace": "shop", "labelSelector": "app=checkout"},
                    "NAMESPACE  APIVERSION  KIND  NAME                       READY  STATUS            RESTARTS      AGE\nshop       v1          Pod   checkout-6d9f7b5c4-x2k9p   0/1    CrashLoopBackOff  14 (2m ago)   51m",
                )
            ),
            asks(
                call(
                    "pods_log",
                    {"namespace": "shop", "name": "checkout-6d9f7b5c4-x2k9p", "tail": 20, "previous": True},
                    "2026-04-02T08:11:07Z INFO starting checkout 3.4.1\n2026-04-02T08:11:08Z ERROR could not connect to redis://cache:6379: connection refused\n2026-04-02T08:11:08Z FATAL exiting with code 1",
                )
            ),
            answers(
                "checkout exits at start because it cannot reach redis://cache:6379 (connection refused). Look at the cache service first."
            ),
        ),
        failing=(),
        why="the log of the pod contains the errors that were looked for; both calls worked",
    ),
    Story(
        "fifteenth_devops_disk_cleaned_up",
        "genai_events",
        SHELL,
        (
            user("/ is full on build-7, make room. No need to ask, just nothing below /home."),
            asks(
                call(
                    "bash",
                    {"command": "df -h /"},
                    "Filesystem      Size  Used Avail Use% Mounted on\n/dev/nvme0n1p1   97G   96G  1.1G  99% /",
                )
            ),
            asks(
                call(
                    "bash", {"command": "ncdu -o- / | head"}, "bash: line 1: ncdu: command not found\n[exit code: 127]"
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "du -xh / --max-depth=2 2>/dev/null | sort -rh | head -4"},
                    "96G\t/\n61G\t/var/lib\n14G\t/usr/lib\n9.2G\t/var/log",
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "docker system prune -af"},
                    "Deleted Images:\nuntagged: builder:2025-11\ndeleted: sha256:91ad0c\n\nTotal reclaimed space: 48.7GB",
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "df -h /"},
                    "Filesystem      Size  Used Avail Use% Mounted on\n/dev/nvme0n1p1   97G   47G   50G  49% /",
                )
            ),
            answers("Unused Docker images took 48.7 GB. They are gone and / is at 49 %."),
        ),
        failing=(),
        why="a missing program in the shell was replaced by another; the last commands worked",
    ),
    Story(
        "fifteenth_devops_apply_state_locked",
        "openinference",
        SHELL,
        (
            user("Apply the plan in infra/staging."),
            asks(
                call(
                    "bash",
                    {"command": "cd infra/staging && terraform init -input=false | tail -1"},
                    "Terraform has been successfully initialized!",
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "cd infra/staging && terraform apply -auto-approve -input=false", "timeout": 600},
                    {
                        "stdout": "",
                        "stderr": "╷\n│ Error: Error acquiring the state lock\n│ \n│ Error message: ConditionalCheckFailedException: The conditional request failed\n│ Lock Info:\n│   ID:        0c1f9a52-77c1-3d4e-9d55-0f1f3ce0a7b1\n│   Who:       ci@runner-12\n╵",
                        "exit_code": 1,
                    },
                )
            ),
            answers(
                "The plan is not applied: ci@runner-12 holds the lock of the state. Try again when that job is done."
            ),
        ),
        failing=("tool_error",),
        why="the last action, terraform apply, failed with exit code 1",
    ),
    Story(
        "fifteenth_devops_incidents_paged",
        "openllmetry",
        PAGER,
        (
            user("List all incidents of last week, briefly."),
            asks(
                call(
                    "list_incidents",
                    {"since": "2026-03-23", "offset": 0, "limit": 2},
                    {
                        "incidents": [
                            {"incident_number": 2201, "title": "5xx rate above 2 % on api", "status": "resolved"},
                            {"incident_number": 2202, "title": "Backup failed: timeout", "status": "resolved"},
                        ],
                        "limit": 2,
                        "offset": 0,
                        "more": True,
                        "total": None,
                    },
                )
            ),
            asks(
                call(
                    "list_incidents",
                    {"since": "2026-03-23", "offset": 2, "limit": 2},
                    {
                        "incidents": [
                            {
                                "incident_number": 2203,
                                "title": "Certificate expires in 3 days",
                                "status": "acknowledged",
                            },
                            {"incident_number": 2204, "title": "ERROR budget burn", "status": "triggered"},
                        ],
                        "limit": 2,
                        "offset": 2,
                        "more": True,
                        "total": None,
                    },
                )
            ),
            asks(
                call(
                    "list_incidents",
                    {"since": "2026-03-23", "offset": 4, "limit": 2},
                    {"incidents": [], "limit": 2, "offset": 4, "more": False, "total": None},
                )
            ),
            answers(
                "Four: 2201 (5xx on api) and 2202 (backup) are resolved, 2203 (certificate) is acknowledged, 2204 (error budget) is open."
            ),
        ),
        failing=(),
        why="three pages, the last of them empty; incidents speak of failures",
    ),
    Story(
        "fifteenth_devops_model_gone_for_good",
        "vercel_ai",
        VERCEL,
        (
            user("Is dpl_8Kx2 live?"),
            asks(
                call(
                    "get_deployment",
                    {"id": "dpl_8Kx2"},
                    {"id": "dpl_8Kx2", "readyState": "READY", "target": "production", "aliasError": None},
                )
            ),
            model_fails("AI_APICallError", "Internal Server Error"),
            pause(2),
            model_fails("AI_APICallError", "Internal Server Error"),
            pause(4),
            model_fails("AI_APICallError", "Internal Server Error"),
            crashes("AI_RetryError", "Failed after 3 attempts. Last error: Internal Server Error"),
        ),
        failing=("run_completion",),
        why="the model failed three times and the run ended with the exception, without an answer",
    ),
    Story(
        "fifteenth_devops_rollout_polled",
        "pydantic_ai",
        ARGO,
        (
            user("Roll out billing and tell me when it is healthy."),
            asks(
                call(
                    "argocd_sync",
                    {"app": "billing"},
                    {"metadata": {"name": "billing"}, "operation": {"sync": {"revision": "4be1d07"}}},
                )
            ),
            *(
                step
                for _ in range(4)
                for step in (
                    asks(
                        call(
                            "argocd_app_status",
                            {"app": "billing"},
                            {"sync": {"status": "Synced"}, "health": {"status": "Progressing"}, "conditions": []},
                        )
                    ),
                    pause(15),
                )
            ),
            asks(
                call(
                    "argocd_app_status",
                    {"app": "billing"},
                    {"sync": {"status": "Synced"}, "health": {"status": "Healthy"}, "conditions": []},
                )
            ),
            answers("billing runs at 4be1d07 and is healthy."),
        ),
        failing=(),
        why="the state was polled until the rollout was healthy",
    ),
    Story(
        "fifteenth_devops_same_two_queries",
        "genai_events",
        GRAFANA,
        (
            user("What made latency of search go up at 9?"),
            *repeat_calls(
                5,
                call(
                    "query_prometheus",
                    {
                        "expr": 'histogram_quantile(0.95, sum by (le) (rate(http_request_duration_seconds_bucket{service="search"}[5m])))',
                        "queryType": "range",
                    },
                    [{"metric": {}, "values": [[1775113200, "0.21"], [1775116800, "1.74"], [1775120400, "1.69"]]}],
                ),
                call(
                    "query_loki_logs",
                    {"logql": '{app="search"} |= "slow"', "limit": 10},
                    [
                        {
                            "timestamp": "1775116811000000000",
                            "line": "slow query 1620ms index=products_v7",
                            "labels": {"app": "search"},
                        }
                    ],
                ),
            ),
            answers("The index products_v7 answers slowly since 9."),
        ),
        failing=("tool_efficiency",),
        why="the same two queries ran five times in turn with the same results",
    ),
    Story(
        "fifteenth_devops_tempo_unavailable_once",
        "openinference",
        LEAD,
        (
            user("Which call makes the cart slow?"),
            asks(
                call(
                    "ask_trace_analyst",
                    {"question": "Slowest call within cart in the last 15 minutes?"},
                    "The call of tax-service: 840 ms of 910 ms on average.",
                    agent=TRACER,
                    steps=(
                        asks(
                            call(
                                "query_traces",
                                {"service": "cart", "minutes": 15},
                                "rpc error: code = Unavailable desc = error reading from server: EOF",
                            )
                        ),
                        asks(
                            call(
                                "query_traces",
                                {"service": "cart", "minutes": 15},
                                {
                                    "traces": [
                                        {
                                            "traceID": "2f3e0cee77ae5dc9",
                                            "rootServiceName": "cart",
                                            "durationMs": 910,
                                            "slowest": {"service": "tax-service", "durationMs": 840},
                                        }
                                    ],
                                    "metrics": {"inspectedTraces": 221},
                                },
                            )
                        ),
                        answers("The call of tax-service: 840 ms of 910 ms on average."),
                    ),
                )
            ),
            answers("tax-service: it takes 840 of 910 ms."),
        ),
        failing=(),
        why="the sub-agent's query failed once with Unavailable and worked the second time",
    ),
    Story(
        "fifteenth_devops_tool_made_up",
        "vercel_ai",
        FLEET,
        (
            user("i-0ab12 hangs, reboot it."),
            asks(
                call(
                    "describe_instance",
                    {"instance_id": "i-0ab12"},
                    {"InstanceId": "i-0ab12", "State": {"Code": 16, "Name": "running"}, "InstanceStatus": "impaired"},
                )
            ),
            asks(
                call(
                    "reboot_instance",
                    {"instance_id": "i-0ab12"},
                    fault=Fault(
                        "AI_NoSuchToolError",
                        "Model tried to call unavailable tool 'reboot_instance'. Available tools: describe_instance, get_metrics.",
                        told="Model tried to call unavailable tool 'reboot_instance'. Available tools: describe_instance, get_metrics.",
                    ),
                    span=False,
                )
            ),
            answers("i-0ab12 is impaired, but I have no way to reboot instances. Please do it in the console."),
        ),
        failing=("tool_error", "tool_call_validity"),
        why="it called a tool that it was not offered and that does not exist",
    ),
    Story(
        "fifteenth_devops_replicas_in_words",
        "genai",
        KUBE,
        (
            user("Scale web in prod to three."),
            asks(
                call(
                    "resources_scale",
                    {"namespace": "prod", "name": "web", "replicas": "three"},
                    {
                        "content": [
                            {"type": "text", "text": "Input validation error: 'three' is not of type 'integer'"}
                        ],
                        "isError": True,
                    },
                )
            ),
            answers("I could not scale web: the server did not take the number of replicas."),
        ),
        failing=("tool_error", "tool_call_validity"),
        why="replicas is a word where the schema asks for an integer; the call was rejected and never repeated",
    ),
)
