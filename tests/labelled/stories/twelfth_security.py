"""Security operations: identities, malware, logs, hosts."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import (
    Agent,
    Story,
    answers,
    asks,
    call,
    pause,
    tool,
    user,
)

__all__ = ["STORIES"]

FACTORS = tool("okta_list_factors", "List the enrolled factors of a user", user_id="string")
RESET = tool("okta_reset_factors", "Reset all factors of a user", user_id="string")
USERS = tool("okta_list_users", "List users", search="string", limit="integer?")
OKTA = Agent("identity_helpdesk", (USERS, FACTORS, RESET), "You help employees with their sign-in.", "gpt-4.1")

VT_FILE = tool("get_file_report", "VirusTotal report of a file hash", hash="string", relationships="string[]?")
VT_URL = tool("get_url_report", "VirusTotal report of a URL", url="string")
WHOIS = tool("whois_lookup", "WHOIS record of a domain", domain="string")
MALWARE = Agent(
    "malware_analyst", (VT_FILE, VT_URL), "You assess samples for the SOC.", "claude-sonnet-4-5", "anthropic"
)
PHISH = Agent("phishing_triage", (VT_URL, WHOIS), "You triage reported mails.", "gpt-4.1-mini")

SPLUNK = tool(
    "splunk_search",
    "Run an SPL search",
    query="string",
    earliest_time="string?",
    latest_time="string?",
    max_count="integer?",
)
HUNTER = Agent("log_hunter", (SPLUNK,), "You search logs in Splunk.", "gpt-4.1")

CONTAIN = tool(
    "falcon_perform_action", "Perform a device action", action_name=["contain", "lift_containment"], ids="string[]"
)
HOSTS = tool("falcon_search_hosts", "Search hosts with FQL", filter="string", limit="integer?")
RESPONDER = Agent("containment_responder", (HOSTS, CONTAIN), "You contain hosts.", "gpt-4.1-mini")
ASK_RESPONDER = tool("containment_responder", "Hand a containment task to the responder", request="string")
SOC_LEAD = Agent("soc_lead", (ASK_RESPONDER,), "You lead the response and delegate.", "gpt-4.1")

SHELL = tool("bash", "Run a command", command="string")
AUDITOR = Agent("tls_auditor", (SHELL,), "You audit servers from a jump host.", "gpt-4.1")

GITLEAKS = tool("gitleaks_detect", "Scan a repository for secrets", source="string", redact="boolean?")
SECRETS = Agent("secret_scanner", (GITLEAKS,), "Du prüfst Repositories auf Geheimnisse.", "gpt-4o")

TIMELINE = tool("get_incident_timeline", "The timeline of an incident", incident_id="string")
REPORTER = Agent("incident_reporter", (TIMELINE,), "You write reports for the board.", "gpt-4o")

ISOLATE = tool(
    "isolate_machine",
    "Isolate a machine (needs approval)",
    machine_id="string",
    isolation_type=["Full", "Selective"],
    comment="string",
)
ALERTS = tool("list_alerts", "List alerts of a machine", machine_id="string")
DEFENDER = Agent("defender_agent", (ALERTS, ISOLATE), "You respond to alerts in Defender.", "gpt-4.1")

ROTATION = {"url": "https://parcel-dhl-fee.example/login"}

OVER_RATE = {
    "errorCode": "E0000047",
    "errorSummary": "API call exceeded rate limit due to too many requests.",
    "errorLink": "E0000047",
    "errorId": "oaeQv31nTdYQ9G6bUe1Rk2f5A",
    "errorCauses": [],
}

STORIES = (
    Story(
        "twelfth_security_okta_rate_limit_then_factors",
        "openinference",
        OKTA,
        (
            user("Which second factors does Priya Raman have? She has a new phone."),
            asks(
                call(
                    "okta_list_users",
                    {"search": 'profile.login eq "priya.raman@northgate.example"', "limit": 1},
                    [
                        {
                            "id": "00u1k2v9xQ7mLr3Tz5d7",
                            "status": "ACTIVE",
                            "created": "2021-03-08T09:12:44.000Z",
                            "statusChanged": "2021-03-08T10:01:10.000Z",
                            "lastLogin": "2026-09-14T06:55:02.000Z",
                            "profile": {
                                "firstName": "Priya",
                                "lastName": "Raman",
                                "login": "priya.raman@northgate.example",
                            },
                        }
                    ],
                )
            ),
            asks(call("okta_list_factors", {"user_id": "00u1k2v9xQ7mLr3Tz5d7"}, OVER_RATE)),
            pause(5),
            asks(
                call(
                    "okta_list_factors",
                    {"user_id": "00u1k2v9xQ7mLr3Tz5d7"},
                    {**OVER_RATE, "errorId": "oaeL0pX7sVnT2uRe6Wk9Yc4Bq"},
                )
            ),
            pause(31),
            asks(
                call(
                    "okta_list_factors",
                    {"user_id": "00u1k2v9xQ7mLr3Tz5d7"},
                    [
                        {
                            "id": "opf1a9",
                            "factorType": "push",
                            "provider": "OKTA",
                            "vendorName": "OKTA",
                            "status": "ACTIVE",
                        },
                        {"id": "sms2b1", "factorType": "sms", "provider": "OKTA", "status": "PENDING_ACTIVATION"},
                    ],
                )
            ),
            answers(
                "Priya has Okta Verify push (active, on the old phone) and an SMS factor that was never activated."
            ),
            user("And when did she last sign in?"),
            answers("On 14 September 2026 at 06:55 UTC."),
        ),
        failing=(),
        why="the list of factors was over the rate limit twice and read half a minute later; the second turn needs no tool",
    ),
    Story(
        "twelfth_security_okta_reset_not_permitted",
        "vercel_ai",
        OKTA,
        (
            user("Setz bitte alle Faktoren von m.okafor zurück, Handy verloren."),
            asks(
                call(
                    "okta_list_users",
                    {"search": 'profile.login sw "m.okafor"', "limit": 5},
                    [
                        {
                            "id": "00u77hs0aPbW2eYc45d7",
                            "status": "ACTIVE",
                            "profile": {"login": "m.okafor@northgate.example"},
                        }
                    ],
                )
            ),
            asks(
                call(
                    "okta_reset_factors",
                    {"user_id": "00u77hs0aPbW2eYc45d7"},
                    {
                        "errorCode": "E0000006",
                        "errorSummary": "You do not have permission to perform the requested action",
                        "errorLink": "E0000006",
                        "errorId": "oaeXw8vM2qGQdS0c1tPu4a7Jg",
                        "errorCauses": [],
                    },
                )
            ),
            answers(
                "Ich habe den Antrag bearbeitet. Herr Okafor wird beim nächsten Login zur Neuregistrierung aufgefordert."
            ),
        ),
        failing=("tool_error",),
        why="the reset was refused with E0000006 and never made good, although the answer claims otherwise",
    ),
    Story(
        "twelfth_security_virustotal_verdict",
        "genai",
        MALWARE,
        (
            user(
                "Is 9f2ce1b0f0d1c7a4 … (invoice_0914.iso) bad? SHA-256 9f2ce1b0f0d1c7a45be0d4dd8a73b21c6f2a0e9957c3f11a0b7d6e42c8a5e310"
            ),
            asks(
                call(
                    "get_file_report",
                    {
                        "hash": "9f2ce1b0f0d1c7a45be0d4dd8a73b21c6f2a0e9957c3f11a0b7d6e42c8a5e310",
                        "relationships": ["contacted_domains", "dropped_files"],
                    },
                    {
                        "data": {
                            "id": "9f2ce1b0f0d1c7a45be0d4dd8a73b21c6f2a0e9957c3f11a0b7d6e42c8a5e310",
                            "type": "file",
                            "attributes": {
                                "type_tag": "isoimage",
                                "meaningful_name": "invoice_0914.iso",
                                "reputation": -41,
                                "last_analysis_stats": {
                                    "malicious": 38,
                                    "suspicious": 0,
                                    "undetected": 21,
                                    "harmless": 0,
                                    "timeout": 2,
                                    "confirmed-timeout": 0,
                                    "failure": 1,
                                    "type-unsupported": 14,
                                },
                                "last_analysis_results": {
                                    "Microsoft": {"category": "malicious", "result": "Trojan:Win32/IcedID.FE!MTB"},
                                    "Cynet": {"category": "timeout", "result": None},
                                    "Trustlook": {"category": "failure", "result": None},
                                },
                            },
                            "relationships": {
                                "contacted_domains": {"data": [{"type": "domain", "id": "qwertymint.example"}]},
                                "dropped_files": {"data": []},
                            },
                        }
                    },
                )
            ),
            answers(
                "Yes: 38 engines call it malicious, Microsoft as IcedID. It contacts qwertymint.example; block that domain."
            ),
        ),
        failing=(),
        why="engines that timed out or failed are part of the report, which was read",
    ),
    Story(
        "twelfth_security_splunk_command_misspelt",
        "pydantic_ai",
        HUNTER,
        (
            user("How many failed SSH logins per source in the last 4 hours, top 3?"),
            asks(
                call(
                    "splunk_search",
                    {
                        "query": 'search index=linux sshd "Failed password" | rex "from (?<src>\\S+)" | stat count by src',
                        "earliest_time": "-4h",
                    },
                    'HTTP 400 Bad Request -- {"messages":[{"type":"FATAL","text":"Unknown search command \'stat\'."}]}',
                )
            ),
            asks(
                call(
                    "splunk_search",
                    {
                        "query": 'search index=linux sshd "Failed password" | rex "from (?<src>\\S+)" | stats count by src | sort -count | head 3',
                        "earliest_time": "-4h",
                        "max_count": None,
                    },
                    {
                        "preview": False,
                        "init_offset": 0,
                        "messages": [],
                        "fields": [{"name": "src"}, {"name": "count"}],
                        "results": [
                            {"src": "203.0.113.77", "count": "4182"},
                            {"src": "198.51.100.9", "count": "611"},
                            {"src": "10.20.4.18", "count": "37"},
                        ],
                        "highlighted": {},
                    },
                )
            ),
            asks(
                call(
                    "splunk_search",
                    {"query": "search index=linux sshd 10.20.4.18 | head 2 | fields _raw", "earliest_time": "-4h"},
                    {
                        "preview": False,
                        "messages": [
                            {"type": "INFO", "text": "Your timerange was substituted based on your search string"}
                        ],
                        "results": [
                            {
                                "_raw": "Sep 14 11:02:51 db-03 sshd[88121]: Failed password for backup from 10.20.4.18 port 51022 ssh2"
                            },
                            {
                                "_raw": "Sep 14 11:02:53 db-03 sshd[88121]: error: maximum authentication attempts exceeded for backup from 10.20.4.18 port 51022 ssh2 [preauth]"
                            },
                        ],
                    },
                )
            ),
            answers(
                "203.0.113.77 (4182), 198.51.100.9 (611) and 10.20.4.18 (37). The last is internal: the backup account on db-03."
            ),
        ),
        failing=(),
        why="the misspelt command was corrected; what the found lines say of failures is log content",
    ),
    Story(
        "twelfth_security_containment_claimed",
        "openllmetry",
        SOC_LEAD,
        (
            user("Contain WKS-0417 now, it beacons to a C2."),
            asks(
                call(
                    "containment_responder",
                    {"request": "Contain host WKS-0417 in Falcon."},
                    "WKS-0417 has been submitted for network containment.",
                    agent=RESPONDER,
                    steps=(
                        asks(
                            call(
                                "falcon_search_hosts",
                                {"filter": "hostname:'WKS-0417'", "limit": 1},
                                {
                                    "meta": {
                                        "query_time": 0.0071,
                                        "powered_by": "device-api",
                                        "trace_id": "6b0f6d0e-4f5d",
                                    },
                                    "errors": [],
                                    "resources": [
                                        {"device_id": "3a1b0c95f8f64e0c", "hostname": "WKS-0417", "status": "normal"}
                                    ],
                                },
                            )
                        ),
                        asks(
                            call(
                                "falcon_perform_action",
                                {"action_name": "contain", "ids": ["3a1b0c95f8f64e0c"]},
                                {
                                    "meta": {
                                        "query_time": 0.0009,
                                        "powered_by": "crowdstrike-api-gateway",
                                        "trace_id": "d2a1f09c-77be",
                                    },
                                    "errors": [{"code": 403, "message": "access denied, authorization failed"}],
                                    "resources": None,
                                },
                            )
                        ),
                        answers("WKS-0417 has been submitted for network containment."),
                    ),
                )
            ),
            answers("WKS-0417 is being contained. I'll keep an eye on it."),
        ),
        failing=("tool_error",),
        why="the sub-agent's containment was denied with 403 and never repeated, whatever both answers say",
    ),
    Story(
        "twelfth_security_tls_probe_in_shell",
        "genai_events",
        AUDITOR,
        (
            user("Does mail.altstadt.example still speak TLS 1.0, and when does its certificate end?"),
            asks(
                call(
                    "bash",
                    {"command": "nmap --script ssl-enum-ciphers -p 465 mail.altstadt.example"},
                    "bash: line 1: nmap: command not found\n\nExit code: 127",
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "openssl s_client -connect mail.altstadt.example:465 -tls1 </dev/null 2>&1 | head -5"},
                    "CONNECTED(00000003)\n40E7B2D1C27F0000:error:0A00042E:SSL routines:ssl3_read_bytes:tlsv1 alert protocol version:../ssl/record/rec_layer_s3.c:1586:SSL alert number 70\n---\nno peer certificate available\n---\n",
                )
            ),
            asks(
                call(
                    "bash",
                    {
                        "command": "openssl s_client -connect mail.altstadt.example:465 </dev/null 2>/dev/null | openssl x509 -noout -enddate"
                    },
                    "notAfter=Jan 19 23:59:59 2027 GMT\n",
                )
            ),
            answers(
                "No: it refuses TLS 1.0 (alert 70, protocol version). The certificate is valid until 19 January 2027."
            ),
        ),
        failing=(),
        why="nmap was missing and openssl did the work; the refused handshake is what was probed for, and the last command worked",
    ),
    Story(
        "twelfth_security_phish_going_in_circles",
        "openllmetry",
        PHISH,
        (
            user("A colleague got https://parcel-dhl-fee.example/login by SMS. Phishing?"),
            *(
                step
                for _ in range(4)
                for step in (
                    asks(
                        call(
                            "get_url_report",
                            ROTATION,
                            {
                                "data": {
                                    "type": "url",
                                    "attributes": {
                                        "last_analysis_stats": {
                                            "malicious": 0,
                                            "suspicious": 0,
                                            "undetected": 31,
                                            "harmless": 62,
                                            "timeout": 0,
                                        },
                                        "last_analysis_date": 1789361042,
                                        "times_submitted": 1,
                                    },
                                }
                            },
                        )
                    ),
                    asks(
                        call(
                            "whois_lookup",
                            {"domain": "parcel-dhl-fee.example"},
                            "Domain Name: PARCEL-DHL-FEE.EXAMPLE\nRegistrar: NameHop Ltd.\nCreation Date: 2026-09-12T21:40:03Z\nDomain Status: clientTransferProhibited\nName Server: NS1.HOPDNS.EXAMPLE\n",
                        )
                    ),
                )
            ),
            answers(
                "Very likely: the domain is two days old and imitates a parcel service, even though no engine flags it yet."
            ),
        ),
        failing=("tool_efficiency",),
        why="report and WHOIS were fetched in turn four times, each time with the same result",
    ),
    Story(
        "twelfth_security_secrets_found",
        "vercel_ai",
        SECRETS,
        (
            user("Sind im Repo lieferportal noch Schlüssel eingecheckt?"),
            asks(
                call(
                    "gitleaks_detect",
                    {"source": "/scan/lieferportal", "redact": True},
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": "7:14PM INF 812 commits scanned.\n7:14PM INF scan completed in 3.41s\n7:14PM WRN leaks found: 2",
                            }
                        ],
                        "isError": False,
                        "structuredContent": {
                            "exit_code": 1,
                            "findings": [
                                {
                                    "RuleID": "aws-access-token",
                                    "Description": "Identified a pattern that may indicate AWS credentials",
                                    "File": "infra/dev.tfvars",
                                    "StartLine": 4,
                                    "Secret": "REDACTED",
                                    "Commit": "8c21f7e0",
                                },
                                {
                                    "RuleID": "generic-api-key",
                                    "File": "tests/test_errors.py",
                                    "StartLine": 31,
                                    "Secret": "REDACTED",
                                    "Commit": "f0a9b3d2",
                                },
                            ],
                        },
                    },
                )
            ),
            answers(
                "Ja, zwei Funde: ein AWS-Schlüssel in infra/dev.tfvars, Zeile 4 (bitte sofort sperren), und ein API-Schlüssel in tests/test_errors.py, Zeile 31."
            ),
        ),
        failing=(),
        why="a scanner that finds leaks ends with 1; its findings are the result",
    ),
    Story(
        "twelfth_security_board_report_cut_off",
        "openinference",
        REPORTER,
        (
            user("Write the full board report on INC-2026-0093, all sections."),
            asks(
                call(
                    "get_incident_timeline",
                    {"incident_id": "INC-2026-0093"},
                    "time,actor,event\n2026-09-02T02:14Z,attacker,Login with stolen session cookie\n2026-09-02T02:31Z,attacker,Mailbox rule created\n2026-09-02T07:50Z,user,Reported odd mail\n2026-09-02T08:05Z,soc,Session revoked\n",
                )
            ),
            answers(
                "# Report INC-2026-0093\n\n## 1. Summary\nOn 2 September an attacker used a stolen session cookie to enter one mailbox for just under six hours.\n\n## 2. Timeline\nAt 02:14 UTC the attacker signed in. At 02:31 UTC a rule was created that moved",
                "length",
            ),
        ),
        failing=("run_completion",),
        why="the report breaks off in section 2 for its length",
    ),
    Story(
        "twelfth_security_isolation_awaits_approval",
        "pydantic_ai",
        DEFENDER,
        (
            user("LT-2290 shows ransomware behaviour. Isolate it fully."),
            asks(
                call(
                    "list_alerts",
                    {"machine_id": "5c1f0a7e"},
                    {
                        "@odata.context": "https://api.securitycenter.microsoft.com/api/$metadata#Alerts",
                        "value": [
                            {
                                "id": "da637966",
                                "severity": "High",
                                "status": "New",
                                "investigationState": "Failed",
                                "category": "Ransomware",
                                "title": "Ransomware behavior detected in the file system",
                            }
                        ],
                    },
                )
            ),
            asks(
                call(
                    "isolate_machine",
                    {"machine_id": "5c1f0a7e", "isolation_type": "Full", "comment": "Ransomware alert da637966"},
                    deferral="ApprovalRequired",
                    is_answered=False,
                )
            ),
        ),
        failing=(),
        why="the isolation waits for a person's approval; the failed investigation is a field of the alert that was read",
    ),
)
