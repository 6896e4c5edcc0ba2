"""Operations, security and data."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, crashes, pause, repeat_calls, tool, user

__all__ = ["STORIES"]

PODS = tool("pods_list_in_namespace", "List pods", namespace="string")
LOGS = tool("pods_log", "Log of a pod", namespace="string", name="string", tail="integer?")
SRE = Agent("sre_assistant", (PODS, LOGS), "You investigate incidents in Kubernetes. Read only.", "gpt-4.1")

BASH = tool("bash", "Run a command in a shell", command="string")
SHELL = Agent("infra_agent", (BASH,), "You work on the infrastructure repository.", "claude-sonnet-4-5", "anthropic")

SIEM = tool("run_kql", "Run a KQL query in the SIEM", query="string", timespan="string")
HASH = tool("get_file_report", "Report on a file hash", sha256="string")
SOC = Agent("soc_analyst", (SIEM, HASH), "You triage alerts.", "gpt-4o")

SPLUNK = tool("search_oneshot", "Run a Splunk search", search="string", earliest_time="string?")
HUNT = Agent("threat_hunter", (SPLUNK,), "You hunt threats in Splunk.", "gpt-4.1")

SQL = tool("execute_sql", "Run a query in BigQuery", query="string")
TABLES = tool("get_table_info", "Schema of a table", table="string")
ANALYST = Agent("data_analyst", (TABLES, SQL), "You answer questions with SQL.", "gemini-2.5-pro", "gcp.gemini")

TRIGGER = tool("trigger_dag_run", "Trigger a DAG", dag_id="string", logical_date="string?", conf={"type": "object"})
RUNS = tool("get_dag_run", "State of a DAG run", dag_id="string", run_id="string")
AIRFLOW = Agent("pipeline_operator", (TRIGGER, RUNS), "You operate data pipelines in Airflow.", "gpt-4.1-mini")

DBT = tool("dbt_test", "Run the tests of dbt models", select="string")
QUALITY = Agent("data_quality", (DBT,), "You check data quality with dbt.", "gpt-4.1-mini")

PAGES = tool(
    "list_incidents", "Incidents of a service", service="string", status=["triggered", "acknowledged", "resolved"]
)
ACK = tool("acknowledge_incident", "Acknowledge an incident", incident_id="string")
PAGER = Agent("pager_agent", (PAGES, ACK), "You look after incidents in PagerDuty.", "gpt-4.1-mini")
ASK_PAGER = tool("ask_pager_agent", "Ask the agent that looks after incidents", task="string")
COMMANDER = Agent("incident_commander", (ASK_PAGER,), "You coordinate incidents.", "gpt-4.1")

LOG_LINES = """2025-10-21T07:48:02Z INFO  server listening on :8080
2025-10-21T07:48:05Z ERROR failed to resolve dynamodb.us-east-1.amazonaws.com: no such host
2025-10-21T07:48:05Z FATAL checkout: exiting: Error: connect ECONNREFUSED
panic: runtime error: invalid memory address or nil pointer dereference"""

STORIES = (
    Story(
        "eighth_ops_pod_log_full_of_errors",
        "openinference",
        SRE,
        (
            user("checkout in prod keeps restarting, why?"),
            asks(
                call(
                    "pods_list_in_namespace",
                    {"namespace": "prod"},
                    "NAMESPACE   NAME                        READY   STATUS             RESTARTS      AGE\nprod        checkout-6f5c9d7b8-x2x4p    0/1     CrashLoopBackOff   14 (2m ago)   51m\nprod        catalog-7b4fd6c7c9-8qk2l    1/1     Running            0             12d",
                )
            ),
            asks(call("pods_log", {"namespace": "prod", "name": "checkout-6f5c9d7b8-x2x4p", "tail": 50}, LOG_LINES)),
            answers(
                "checkout can't resolve dynamodb.us-east-1.amazonaws.com and panics on the nil client. That's DNS on Amazon's side; catalog isn't affected."
            ),
        ),
        failing=(),
        why="the log that was read tells of errors; reading it worked",
    ),
    Story(
        "eighth_ops_grep_finds_nothing_then_fixed",
        "genai",
        SHELL,
        (
            user("Is the old bucket 'acme-legacy-logs' still referenced anywhere? Remove it if so."),
            asks(
                call(
                    "bash",
                    {"command": "grep -rn acme-legacy-logs modules/"},
                    {"stdout": "", "stderr": "", "exit_code": 1},
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "grep -rn legacy-logs ."},
                    {
                        "stdout": './envs/stage/main.tf:41:  log_bucket = "${var.prefix}-legacy-logs"\n',
                        "stderr": "",
                        "exit_code": 0,
                    },
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "sed -i '41d' envs/stage/main.tf && terraform -chdir=envs/stage validate"},
                    {"stdout": "Success! The configuration is valid.\n", "stderr": "", "exit_code": 0},
                )
            ),
            answers(
                "It was built from a prefix in envs/stage/main.tf:41. I removed the line; the configuration validates."
            ),
        ),
        failing=(),
        why="grep without a match exits with 1, and the last command succeeded",
    ),
    Story(
        "eighth_ops_terraform_apply_denied",
        "openllmetry",
        SHELL,
        (
            user("Apply the stage environment."),
            asks(
                call(
                    "bash",
                    {"command": "terraform -chdir=envs/stage plan -out=tf.plan"},
                    {"stdout": "Plan: 1 to add, 0 to change, 0 to destroy.\n", "stderr": "", "exit_code": 0},
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "terraform -chdir=envs/stage apply tf.plan"},
                    {
                        "stdout": "aws_s3_bucket.logs: Creating...\n",
                        "stderr": '╷\n│ Error: creating S3 Bucket (acme-stage-logs): operation error S3: CreateBucket, https response error StatusCode: 403, RequestID: 8M3K, api error AccessDenied: Access Denied\n│ \n│   with aws_s3_bucket.logs,\n│   on main.tf line 12, in resource "aws_s3_bucket" "logs":\n╵\n',
                        "exit_code": 1,
                    },
                )
            ),
            answers("The apply failed: the role may not create S3 buckets. Nothing was created."),
        ),
        failing=("tool_error",),
        why="the last command of the run, the apply itself, failed",
    ),
    Story(
        "eighth_ops_kql_same_query",
        "genai_events",
        SOC,
        (
            user("Did 10.4.7.19 talk to the C2 at 185.220.101.7 this week?"),
            *repeat_calls(
                6,
                call(
                    "run_kql",
                    {
                        "query": "CommonSecurityLog | where SourceIP == '10.4.7.19' and DestinationIP == '185.220.101.7' | take 10",
                        "timespan": "P7D",
                    },
                    {
                        "tables": [
                            {
                                "name": "PrimaryResult",
                                "columns": ["TimeGenerated", "SourceIP", "DestinationIP"],
                                "rows": [],
                            }
                        ]
                    },
                ),
            ),
            answers("There is no such traffic in the last seven days."),
        ),
        failing=("tool_efficiency",),
        why="one query six times in a row, always without a row",
    ),
    Story(
        "eighth_ops_hash_report_with_failures",
        "vercel_ai",
        SOC,
        (
            user("Is 44d88612fea8a8f36de82e1278abb02f44d88612fea8a8f36de82e1278abb02f bad?"),
            asks(
                call(
                    "get_file_report",
                    {"sha256": "44d88612fea8a8f36de82e1278abb02f44d88612fea8a8f36de82e1278abb02f"},
                    {
                        "data": {
                            "type": "file",
                            "attributes": {
                                "last_analysis_stats": {
                                    "malicious": 58,
                                    "suspicious": 0,
                                    "undetected": 9,
                                    "harmless": 0,
                                    "timeout": 2,
                                    "confirmed-timeout": 0,
                                    "failure": 1,
                                    "type-unsupported": 6,
                                },
                                "meaningful_name": "invoice_error.exe",
                                "reputation": -41,
                            },
                        }
                    },
                )
            ),
            answers("Yes. 58 engines call it malicious, none harmless. Isolate the host it was found on."),
        ),
        failing=(),
        why="the report was read; its failures and timeouts count scanners",
    ),
    Story(
        "eighth_ops_splunk_command_typo",
        "pydantic_ai",
        HUNT,
        (
            user("Top 3 users by failed logons in the last 24 hours?"),
            asks(
                call(
                    "search_oneshot",
                    {
                        "search": "search index=wineventlog EventCode=4625 | stat count by user | sort -count | head 3",
                        "earliest_time": "-24h",
                    },
                    {"messages": [{"type": "FATAL", "text": "Unknown search command 'stat'."}]},
                )
            ),
            asks(
                call(
                    "search_oneshot",
                    {
                        "search": "search index=wineventlog EventCode=4625 | stats count by user | sort -count | head 3",
                        "earliest_time": "-24h",
                    },
                    {
                        "preview": False,
                        "messages": [],
                        "results": [
                            {"user": "svc_backup", "count": "812"},
                            {"user": "j.meyer", "count": "17"},
                            {"user": "kiosk2", "count": "9"},
                        ],
                    },
                )
            ),
            answers(
                "svc_backup with 812 failed logons, j.meyer with 17, and kiosk2 with 9. svc_backup looks like an expired password or a spray."
            ),
        ),
        failing=(),
        why="the typo was corrected in the next search, and failed logons are its subject",
    ),
    Story(
        "eighth_ops_bigquery_column",
        "genai",
        ANALYST,
        (
            user("How many customers ordered more than once in Q3?"),
            asks(
                call(
                    "execute_sql",
                    {
                        "query": "SELECT COUNT(*) FROM (SELECT custmer_id FROM shop.orders WHERE created_at BETWEEN '2025-07-01' AND '2025-09-30' GROUP BY 1 HAVING COUNT(*) > 1)"
                    },
                    fault=Fault(
                        "google.api_core.exceptions.BadRequest",
                        "400 Unrecognized name: custmer_id; Did you mean customer_id? at [1:30]",
                    ),
                )
            ),
            asks(
                call(
                    "get_table_info",
                    {"table": "shop.orders"},
                    {
                        "columns": [
                            {"name": "order_id", "type": "STRING"},
                            {"name": "customer_id", "type": "STRING"},
                            {"name": "created_at", "type": "DATE"},
                            {"name": "payment_error", "type": "STRING"},
                        ]
                    },
                )
            ),
            asks(
                call(
                    "execute_sql",
                    {
                        "query": "SELECT COUNT(*) AS n FROM (SELECT customer_id FROM shop.orders WHERE created_at BETWEEN '2025-07-01' AND '2025-09-30' GROUP BY 1 HAVING COUNT(*) > 1)"
                    },
                    [{"n": 1842}],
                )
            ),
            answers("1,842 customers ordered more than once in the third quarter."),
        ),
        failing=(),
        why="the misspelled column was looked up and the query then worked",
    ),
    Story(
        "eighth_ops_dag_conflict",
        "vercel_ai",
        AIRFLOW,
        (
            user("Rerun daily_sales for October 1."),
            asks(
                call(
                    "trigger_dag_run",
                    {"dag_id": "daily_sales", "logical_date": "2025-10-01T00:00:00Z", "conf": {}},
                    {
                        "detail": "DAGRun with DAG ID: 'daily_sales' and DAGRun logical date: '2025-10-01 00:00:00+00:00' already exists",
                        "status": 409,
                        "title": "Conflict",
                        "type": "https://airflow.apache.org/docs/apache-airflow/stable/stable-rest-api-ref.html#section/Errors/AlreadyExists",
                    },
                )
            ),
            answers(
                "There already is a run for October 1, so I couldn't start another. Clear its tasks in the UI to run it again."
            ),
        ),
        failing=("tool_error",),
        why="the run was refused with 409 and nothing was started",
    ),
    Story(
        "eighth_ops_dbt_findings",
        "openllmetry",
        QUALITY,
        (
            user("Test the marts models."),
            asks(
                call(
                    "dbt_test",
                    {"select": "marts"},
                    "04:12:19  Finished running 24 data tests in 0 hours 0 minutes and 31.02 seconds (31.02s).\n04:12:19  Completed with 1 error, 0 partial successes, and 0 warnings:\n04:12:19  Failure in test unique_dim_customer_customer_id (models/marts/schema.yml)\n04:12:19    Got 3 results, configured to fail if != 0\n04:12:19  Done. PASS=23 WARN=0 ERROR=1 SKIP=0 NO-OP=0 TOTAL=24",
                )
            ),
            answers(
                "23 of 24 tests pass. dim_customer has three customer_ids that are not unique; somebody should look at the merge of October 3."
            ),
        ),
        failing=(),
        why="the test runner did its work and found duplicates",
    ),
    Story(
        "eighth_ops_sub_agent_cannot_acknowledge",
        "genai",
        COMMANDER,
        (
            user("Acknowledge the open incident of payments."),
            asks(
                call(
                    "ask_pager_agent",
                    {"task": "Acknowledge the triggered incident of the service payments"},
                    "There is one triggered incident, Q1R7XX, but PagerDuty did not let me acknowledge it.",
                    agent=PAGER,
                    steps=(
                        user("Acknowledge the triggered incident of the service payments"),
                        asks(
                            call(
                                "list_incidents",
                                {"service": "payments", "status": "triggered"},
                                {
                                    "incidents": [{"id": "Q1R7XX", "title": "p99 above 4s", "urgency": "high"}],
                                    "more": False,
                                },
                            )
                        ),
                        asks(
                            call(
                                "acknowledge_incident",
                                {"incident_id": "Q1R7XX"},
                                {
                                    "error": {
                                        "message": "Requester User Not Found",
                                        "code": 1008,
                                        "errors": ["The requester is not a user of this account"],
                                    }
                                },
                            )
                        ),
                        answers(
                            "There is one triggered incident, Q1R7XX, but PagerDuty did not let me acknowledge it."
                        ),
                    ),
                )
            ),
            answers(
                "Incident Q1R7XX is still unacknowledged: our integration user isn't known to PagerDuty. Please acknowledge it by hand."
            ),
        ),
        failing=("tool_error",),
        why="the sub-agent's acknowledgement was refused and never made good",
    ),
    Story(
        "eighth_ops_backfill_connection_lost",
        "openinference",
        AIRFLOW,
        (
            user("Start hourly_events and tell me when it is through."),
            asks(
                call(
                    "trigger_dag_run",
                    {"dag_id": "hourly_events", "conf": {"source": "s3"}},
                    {"dag_run_id": "manual__2025-10-22T10:01:12+00:00", "state": "queued", "note": None},
                )
            ),
            asks(
                call(
                    "get_dag_run",
                    {"dag_id": "hourly_events", "run_id": "manual__2025-10-22T10:01:12+00:00"},
                    {"state": "running", "end_date": None},
                )
            ),
            pause(30),
            asks(
                call(
                    "get_dag_run",
                    {"dag_id": "hourly_events", "run_id": "manual__2025-10-22T10:01:12+00:00"},
                    {"state": "running", "end_date": None},
                )
            ),
            crashes("openai.APIConnectionError", "Connection error."),
        ),
        failing=("run_completion",),
        why="the run ended in a lost connection before the user was told anything",
    ),
)
