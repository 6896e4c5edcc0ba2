"""Clouds and deployments: Terraform, AWS, Google Cloud, Kubernetes, Docker, Azure DevOps."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, crashes, pause, tool, user

__all__ = ["STORIES"]

TERRAFORM = Agent(
    "terraform_assistant",
    (
        tool(
            "search_providers",
            "Finds documents of a Terraform provider",
            provider_name="string",
            provider_namespace="string",
            service_slug="string",
            provider_data_type={
                "type": "string",
                "enum": ["resources", "data-sources", "functions", "guides", "overview"],
            },
            provider_version="string?",
        ),
        tool("get_provider_details", "Reads a document of a provider", provider_doc_id="string"),
        tool("create_run", "Starts a run in a workspace", workspace_name="string", message="string"),
        tool("get_run_details", "State of a run", run_id="string"),
    ),
    "You help with Terraform. Look up the provider's documentation before you write HCL.",
)
AWS = Agent(
    "aws_ops",
    (
        tool("call_aws", "Runs an AWS CLI command", cli_command="string", max_results="integer?"),
        tool("suggest_aws_commands", "Suggests commands", query="string"),
    ),
    "You operate AWS with the CLI.",
    "anthropic.claude-3-7-sonnet-20250219-v1:0",
    "aws.bedrock",
)
LOGS = Agent(
    "incident_reader",
    (
        tool(
            "filter_log_events",
            "Searches a CloudWatch log group",
            log_group="string",
            filter_pattern="string",
            start="string",
        ),
    ),
    "You read logs for the engineer on call.",
)
GCLOUD = Agent(
    "gcloud_agent",
    (tool("run_gcloud_command", "Runs gcloud", args="string[]"),),
    "You run gcloud commands for the user.",
    "gemini-2.5-pro",
    "gcp.vertex_ai",
)
KUBE = Agent(
    "stratus_diagnosis",
    (
        tool("exec_read_only_kubectl_cmd", "Runs a kubectl command that only reads", command="string"),
        tool("get_metrics", "Runs a PromQL query", query="string"),
    ),
    "You diagnose a Kubernetes application. You may not change it.",
)
DOCKER = Agent(
    "docker_agent",
    (
        tool("list_containers", "Lists containers", all="boolean?"),
        tool("pull_image", "Pulls an image", repository="string", tag="string?"),
        tool("run_container", "Runs a container", image="string", name="string?", detach="boolean?"),
    ),
    "You manage containers.",
)
ADO = Agent(
    "ado_assistant",
    (
        tool(
            "wit_create_work_item",
            "Creates a work item",
            project="string",
            workItemType="string",
            fields={
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"name": {"type": "string"}, "value": {"type": "string"}},
                    "required": ["name", "value"],
                },
            },
        ),
        tool(
            "wit_get_work_items_batch_by_ids",
            "Retrieves work items by ids",
            project="string",
            ids={"type": "array", "items": {"type": "number"}},
            fields="string[]?",
        ),
        tool("core_list_projects", "Lists projects"),
        tool("work_list_team_iterations", "Lists iterations", project="string", team="string"),
    ),
    "You work in Azure DevOps.",
)

STORIES = (
    Story(
        "seventh_cloud_terraform_slug_corrected",
        "openinference",
        TERRAFORM,
        (
            user("Write me HCL for a Lambda with a function URL."),
            asks(
                call(
                    "search_providers",
                    {
                        "provider_name": "aws",
                        "provider_namespace": "hashicorp",
                        "service_slug": "function_url_lambda",
                        "provider_data_type": "resources",
                    },
                    fault=Fault(
                        "McpError",
                        "finding documentation for service_slug function_url_lambda, provide a more relevant "
                        "service_slug if unsure, use the provider_name for its value",
                    ),
                )
            ),
            asks(
                call(
                    "search_providers",
                    {
                        "provider_name": "aws",
                        "provider_namespace": "hashicorp",
                        "service_slug": "lambda_function_url",
                        "provider_data_type": "resources",
                    },
                    "Available Documentation (prioritized by provider tier)\n\nTier order: official > partner > "
                    "community\n\nProvider: hashicorp/aws (Tier: official)\n- providerDocID: 9412377\n- Title: "
                    "lambda_function_url\n- Category: resources\n- Description: Terraform resource for managing an AWS "
                    "Lambda function URL.\n---\n",
                )
            ),
            asks(
                call(
                    "get_provider_details",
                    {"provider_doc_id": "9412377"},
                    "# Resource: aws_lambda_function_url\n\n## Argument Reference\n\n* `authorization_type` - "
                    "(Required) Valid values are `AWS_IAM` and `NONE`.\n* `function_name` - (Required) An error is "
                    "returned if the function does not exist.",
                )
            ),
            answers(
                'resource "aws_lambda_function_url" "this" {\n  function_name      = '
                'aws_lambda_function.this.function_name\n  authorization_type = "AWS_IAM"\n}'
            ),
        ),
        failing=(),
        why="the first slug had no document, and the same search with a better one found it",
    ),
    Story(
        "seventh_cloud_terraform_run_watched",
        "pydantic_ai",
        TERRAFORM,
        (
            user("Start a run in net-prod and tell me when it is applied."),
            asks(
                call(
                    "create_run",
                    {"workspace_name": "net-prod", "message": "Requested by Ines"},
                    {"data": {"id": "run-8KQmvh2Xw4", "attributes": {"status": "pending", "has-changes": False}}},
                )
            ),
            pause(20.0),
            asks(
                call(
                    "get_run_details",
                    {"run_id": "run-8KQmvh2Xw4"},
                    {"data": {"id": "run-8KQmvh2Xw4", "attributes": {"status": "planning"}}},
                )
            ),
            pause(20.0),
            asks(
                call(
                    "get_run_details",
                    {"run_id": "run-8KQmvh2Xw4"},
                    {"data": {"id": "run-8KQmvh2Xw4", "attributes": {"status": "applying"}}},
                )
            ),
            pause(20.0),
            asks(
                call(
                    "get_run_details",
                    {"run_id": "run-8KQmvh2Xw4"},
                    {"data": {"id": "run-8KQmvh2Xw4", "attributes": {"status": "applying"}}},
                )
            ),
            pause(20.0),
            asks(
                call(
                    "get_run_details",
                    {"run_id": "run-8KQmvh2Xw4"},
                    {"data": {"id": "run-8KQmvh2Xw4", "attributes": {"status": "applied", "resource-errors": 0}}},
                )
            ),
            answers("run-8KQmvh2Xw4 is applied."),
        ),
        failing=(),
        why="the run was polled until it was applied",
    ),
    Story(
        "seventh_cloud_aws_access_denied",
        "vercel_ai",
        AWS,
        (
            user("Welche S3-Buckets sind öffentlich lesbar?"),
            asks(
                call(
                    "call_aws",
                    {"cli_command": "aws s3api list-buckets"},
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": "Error while executing the command: An error occurred (AccessDenied) when "
                                "calling the ListBuckets operation: User: arn:aws:sts::111122223333:assumed-role/"
                                "ops-readonly/agent is not authorized to perform: s3:ListAllMyBuckets because no "
                                "identity-based policy allows the s3:ListAllMyBuckets action",
                            }
                        ],
                        "isError": True,
                    },
                )
            ),
            answers(
                "Das kann ich nicht feststellen: Der Rolle ops-readonly fehlt die Berechtigung s3:ListAllMyBuckets."
            ),
        ),
        failing=("tool_error",),
        why="the only command was denied",
    ),
    Story(
        "seventh_cloud_logs_show_timeouts",
        "genai_events",
        LOGS,
        (
            user("What went wrong in checkout between 14:00 and 14:05 UTC?"),
            asks(
                call(
                    "filter_log_events",
                    {"log_group": "/ecs/checkout", "filter_pattern": "ERROR", "start": "2026-03-02T14:00:00Z"},
                    {
                        "events": [
                            {
                                "timestamp": "2026-03-02T14:01:12Z",
                                "message": "ERROR payment failed: HTTP 503 Service Unavailable from psp-gateway",
                            },
                            {
                                "timestamp": "2026-03-02T14:01:40Z",
                                "message": "ERROR java.net.SocketTimeoutException: Read timed out",
                            },
                            {
                                "timestamp": "2026-03-02T14:03:05Z",
                                "message": 'ERROR {"status":"failed","error":"upstream connect error"}',
                            },
                        ],
                        "searchedLogStreams": [],
                        "nextToken": None,
                    },
                )
            ),
            answers("The payment gateway answered 503 and timed out from 14:01 to 14:03; three payments failed."),
        ),
        failing=(),
        why="the errors are in the logs that were asked for",
    ),
    Story(
        "seventh_cloud_gcloud_wrong_project",
        "openllmetry",
        GCLOUD,
        (
            user("List my VMs in serene-harbor."),
            asks(
                call(
                    "run_gcloud_command",
                    {"args": ["compute", "instances", "list", "--project=serene-harbour"]},
                    "ERROR: (gcloud.compute.instances.list) Some requests did not succeed:\n - Required "
                    "'compute.instances.list' permission for 'projects/serene-harbour'",
                )
            ),
            asks(
                call(
                    "run_gcloud_command",
                    {"args": ["compute", "instances", "list", "--project=serene-harbor", "--format=json(name,status)"]},
                    [{"name": "build-1", "status": "RUNNING"}, {"name": "build-2", "status": "TERMINATED"}],
                )
            ),
            answers("Two: build-1 is running, build-2 is stopped."),
        ),
        failing=(),
        why="the project was misspelled, and the same command with the right one worked",
    ),
    Story(
        "seventh_cloud_kube_top_forbidden_then_describe",
        "genai",
        KUBE,
        (
            user("Is the frontend of astronomy-shop short of memory?"),
            asks(
                call(
                    "exec_read_only_kubectl_cmd",
                    {"command": "kubectl get pods -n astronomy-shop -l app=frontend"},
                    "NAME                        READY   STATUS             RESTARTS      AGE\n"
                    "frontend-6d8f9c7b5d-x2x7k   0/1     CrashLoopBackOff   9 (41s ago)   26m",
                )
            ),
            asks(
                call(
                    "exec_read_only_kubectl_cmd",
                    {"command": "kubectl top pod -n astronomy-shop"},
                    "Command Rejected: Error executing kubectl command: Error from server (Forbidden): pods.metrics."
                    'k8s.io is forbidden: User "system:serviceaccount:sregym:mcp-server" cannot list resource "pods" '
                    'in API group "metrics.k8s.io" in the namespace "astronomy-shop"',
                )
            ),
            asks(
                call(
                    "exec_read_only_kubectl_cmd",
                    {"command": "kubectl describe pod frontend-6d8f9c7b5d-x2x7k -n astronomy-shop"},
                    "Name:             frontend-6d8f9c7b5d-x2x7k\nLast State:     Terminated\n  Reason:       OOMKilled"
                    "\n  Exit Code:    137\nLimits:\n  memory:  20Mi\nEvents:\n  Warning  BackOff  41s  kubelet  "
                    "Back-off restarting failed container",
                )
            ),
            asks(
                call(
                    "get_metrics",
                    {"query": 'container_memory_working_set_bytes{pod=~"frontend.*"}'},
                    {
                        "status": "success",
                        "data": {"resultType": "vector", "result": [{"value": [1748075405, "20844544"]}]},
                    },
                )
            ),
            answers("Yes: it is killed for memory (OOMKilled, exit code 137); its limit is only 20Mi."),
        ),
        failing=(),
        why="one command was forbidden, a later one of the same tool gave the answer, and the crash is the finding",
    ),
    Story(
        "seventh_cloud_docker_pull_denied",
        "pydantic_ai",
        DOCKER,
        (
            user("Run the ha-mcp container in the background."),
            asks(call("list_containers", {"all": True}, [])),
            asks(
                call(
                    "run_container",
                    {"image": "homeassistant-ai/ha-mcp:latest", "name": "ha-mcp", "detach": True},
                    "Error response from daemon: pull access denied for homeassistant-ai/ha-mcp, repository does not "
                    "exist or may require 'docker login': denied: requested access to the resource is denied",
                )
            ),
            answers("I couldn't start it: Docker Hub denies access to homeassistant-ai/ha-mcp. Is it on ghcr.io?"),
        ),
        failing=("tool_error",),
        why="the container could not be run, and it was not tried again",
    ),
    Story(
        "seventh_cloud_ado_area_path_corrected",
        "vercel_ai",
        ADO,
        (
            user("Maak een bug aan in Winkel: 'Kassa rondt verkeerd af', gebied Kassa."),
            asks(
                call(
                    "wit_create_work_item",
                    {
                        "project": "Winkel",
                        "workItemType": "Bug",
                        "fields": [
                            {"name": "System.Title", "value": "Kassa rondt verkeerd af"},
                            {"name": "System.AreaPath", "value": "Kassa"},
                        ],
                    },
                    "Error creating work item: TF401347: Invalid tree name given for work item -1, field "
                    "'System.AreaPath'.",
                )
            ),
            asks(
                call(
                    "wit_create_work_item",
                    {
                        "project": "Winkel",
                        "workItemType": "Bug",
                        "fields": [
                            {"name": "System.Title", "value": "Kassa rondt verkeerd af"},
                            {"name": "System.AreaPath", "value": "Winkel\\Kassa"},
                        ],
                    },
                    {
                        "id": 4718,
                        "rev": 1,
                        "fields": {
                            "System.Title": "Kassa rondt verkeerd af",
                            "System.State": "New",
                            "System.AreaPath": "Winkel\\Kassa",
                        },
                    },
                )
            ),
            answers("Bug 4718 staat in Winkel\\Kassa."),
        ),
        failing=(),
        why="the area was refused first and accepted with its full path",
    ),
    Story(
        "seventh_cloud_ado_ids_as_text",
        "openinference",
        ADO,
        (
            user("What's the state of 4711 and 4712 in Shop?"),
            asks(
                call(
                    "wit_get_work_items_batch_by_ids",
                    {"project": "Shop", "ids": "4711,4712"},
                    fault=Fault(
                        "McpError",
                        "MCP error -32602: Invalid arguments for tool wit_get_work_items_batch_by_ids: [\n  {\n    "
                        '"code": "invalid_type",\n    "expected": "array",\n    "received": "string",\n    "path": [\n'
                        '      "ids"\n    ],\n    "message": "Expected array, received string"\n  }\n]',
                    ),
                )
            ),
            asks(
                call(
                    "wit_get_work_items_batch_by_ids",
                    {"project": "Shop", "ids": [4711, 4712]},
                    [
                        {"id": 4711, "fields": {"System.Title": "Rounding", "System.State": "Active"}},
                        {"id": 4712, "fields": {"System.Title": "Error page", "System.State": "Closed"}},
                    ],
                )
            ),
            answers("4711 is active, 4712 is closed."),
        ),
        failing=("tool_call_validity",),
        why="the ids were a text instead of an array at first; the corrected call worked",
    ),
    Story(
        "seventh_cloud_aws_turns_used_up",
        "genai",
        AWS,
        (
            user("Find out which of our accounts still has a NAT gateway nobody uses."),
            asks(call("suggest_aws_commands", {"query": "list NAT gateways"}, "aws ec2 describe-nat-gateways")),
            asks(
                call(
                    "call_aws",
                    {"cli_command": "aws ec2 describe-nat-gateways --region eu-west-1"},
                    {"NatGateways": [{"NatGatewayId": "nat-0a1", "State": "available"}]},
                )
            ),
            asks(
                call(
                    "call_aws",
                    {"cli_command": "aws ec2 describe-nat-gateways --region eu-central-1"},
                    {"NatGateways": []},
                )
            ),
            asks(
                call(
                    "call_aws",
                    {"cli_command": "aws ec2 describe-nat-gateways --region us-east-1"},
                    {"NatGateways": [{"NatGatewayId": "nat-0f7", "State": "available"}]},
                )
            ),
            asks(
                call(
                    "call_aws",
                    {"cli_command": "aws cloudwatch get-metric-statistics --metric-name BytesOutToDestination nat-0a1"},
                    {"Label": "BytesOutToDestination", "Datapoints": [{"Sum": 88121.0, "Unit": "Bytes"}]},
                )
            ),
            crashes("agents.exceptions.MaxTurnsExceeded", "Max turns (5) exceeded"),
        ),
        failing=("run_completion",),
        why="the run ended with an exception, its turns used up, before an answer",
    ),
)
