"""Agents that deploy and clean up; labelled from the spans alone."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, crashes, pause, tool, user

__all__ = ["STORIES"]

OPS = "You help the engineers on call of a cloud platform."
STATUS = tool("get_deployment", "Get the state of a deployment.", deployment_id="string")
DEPLOY = tool(
    "start_deployment", "Start a deployment.", service="string", version="string", environment=("staging", "production")
)
SLACK = tool("post_message", "Post a message to a channel.", channel="string", text="string")

STORIES = (
    Story(
        "operations_deployment_polled",
        "pydantic_ai",
        Agent("release_agent", (DEPLOY, STATUS), OPS),
        (
            user("Deploy api 4.18.2 to staging and tell me when it is up."),
            asks(
                call(
                    "start_deployment",
                    {"service": "api", "version": "4.18.2", "environment": "staging"},
                    {"deployment_id": "dep-7f31", "state": "queued"},
                )
            ),
            *(
                pause(15),
                asks(
                    call(
                        "get_deployment",
                        {"deployment_id": "dep-7f31"},
                        {"deployment_id": "dep-7f31", "state": "in_progress"},
                    )
                ),
            )
            * 3,
            pause(15),
            asks(
                call(
                    "get_deployment",
                    {"deployment_id": "dep-7f31"},
                    {"deployment_id": "dep-7f31", "state": "succeeded", "replicas": "3/3"},
                )
            ),
            answers("api 4.18.2 is up on staging, 3 of 3 replicas."),
        ),
        failing=(),
        why="The state was asked for until the deployment had ended.",
    ),
    Story(
        "operations_channel_not_found",
        "genai_events",
        Agent("release_agent", (SLACK, STATUS), OPS),
        (
            user("Tell #releases-eu that dep-81aa is out."),
            asks(
                call(
                    "get_deployment", {"deployment_id": "dep-81aa"}, {"deployment_id": "dep-81aa", "state": "succeeded"}
                )
            ),
            asks(
                call(
                    "post_message",
                    {"channel": "#releases-eu", "text": "dep-81aa is out."},
                    {"ok": False, "error": "channel_not_found"},
                )
            ),
            answers("I have informed the channel."),
        ),
        failing=("tool_error",),
        why="The message was not posted: ok is false with an error, and it was not tried again.",
    ),
    Story(
        "operations_environment_missing",
        "genai",
        Agent("release_agent", (DEPLOY, STATUS), OPS),
        (
            user("Roll out billing 2.3.0 to staging."),
            asks(
                call(
                    "start_deployment",
                    {"service": "billing", "version": "2.3.0"},
                    {"deployment_id": "dep-90c2", "state": "queued", "environment": "staging"},
                )
            ),
            answers("The deployment dep-90c2 of billing 2.3.0 to staging is queued."),
        ),
        failing=("tool_call_validity",),
        why=("start_deployment was called without the required environment; the tool chose one by itself."),
    ),
    Story(
        "operations_rollback_raises",
        "openinference",
        Agent("release_agent", (STATUS, tool("rollback", "Roll a deployment back.", deployment_id="string")), OPS),
        (
            user("Roll dep-90c2 back, quickly."),
            asks(
                call(
                    "get_deployment", {"deployment_id": "dep-90c2"}, {"deployment_id": "dep-90c2", "state": "succeeded"}
                )
            ),
            asks(
                call(
                    "rollback",
                    {"deployment_id": "dep-90c2"},
                    fault=Fault("PermissionError", "service account release-bot may not patch deployments"),
                )
            ),
            crashes("PermissionError", "service account release-bot may not patch deployments"),
        ),
        failing=("run_completion", "tool_error"),
        why="rollback raised, nobody caught it, and the agent ended with that exception.",
    ),
    Story(
        "deletion_waits_for_approval",
        "pydantic_ai",
        Agent(
            "storage_agent",
            (
                tool("list_old_backups", "List backups older than some days.", days="integer"),
                tool("delete_backups", "Delete backups.", ids="string[]"),
            ),
            "You clean up storage. Deleting needs approval.",
        ),
        (
            user("Delete the backups that are older than a year."),
            asks(
                call(
                    "list_old_backups",
                    {"days": 365},
                    [{"id": "bk-01", "taken": "2022-11-02"}, {"id": "bk-02", "taken": "2023-01-15"}],
                )
            ),
            asks(call("delete_backups", {"ids": ["bk-01", "bk-02"]}, deferral="ApprovalRequired", is_answered=False)),
        ),
        failing=(),
        why="Deleting needs a person's approval; the run has paused and waits for it.",
    ),
)
