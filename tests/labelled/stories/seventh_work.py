"""Work: Jira, Confluence, mail, calendars, CRM, shops."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, tool, user

__all__ = ["STORIES"]

JIRA = Agent(
    "jira_assistant",
    (
        tool("jira_search", "Searches issues by JQL", jql="string", limit="integer?", start_at="integer?"),
        tool("jira_get_issue", "Reads an issue", issue_key="string", fields="string?"),
        tool("jira_get_transitions", "Transitions of an issue", issue_key="string"),
        tool("jira_transition_issue", "Moves an issue", issue_key="string", transition_id="string", comment="string?"),
        tool(
            "jira_create_issue",
            "Creates an issue",
            project_key="string",
            summary="string",
            issue_type="string",
            additional_fields="object?",
        ),
        tool("jira_add_watcher", "Adds a watcher", issue_key="string", user_identifier="string"),
    ),
    "You work in Jira for the user.",
)
ROVO = Agent(
    "release_notes",
    (
        tool("searchJiraIssuesUsingJql", "Searches issues", cloudId="string", jql="string"),
        tool("getJiraIssue", "Reads an issue", cloudId="string", issueIdOrKey="string"),
        tool("getJiraIssueRemoteIssueLinks", "Remote links of an issue", cloudId="string", issueIdOrKey="string"),
        tool("searchConfluenceUsingCql", "Searches pages", cloudId="string", cql="string"),
        tool("getConfluencePage", "Reads a page", cloudId="string", pageId="string"),
    ),
    "You write release notes from Jira and Confluence.",
    "claude-sonnet-4-5",
    "anthropic",
)
DONE = (
    ("APP-51", "Export keeps filters"),
    ("APP-52", "Dark theme in the editor"),
    ("APP-55", "Retry failed uploads"),
    ("APP-57", "Fix crash on empty file"),
    ("APP-58", "Login error on Safari 17"),
    ("APP-60", "Error texts in French"),
    ("APP-61", "Faster start"),
    ("APP-63", "Invalid dates are rejected"),
    ("APP-66", "Keyboard shortcuts for tabs"),
    ("APP-67", "Timeout of reports raised to 60 s"),
    ("APP-70", "New icon set"),
)
CLOUD = "8b1c6f0e-4f3e-4a55-9d1a-2b7c1a0f9d21"
GMAIL = Agent(
    "mail_assistant",
    (
        tool("search_emails", "Searches mails with Gmail's syntax", query="string", maxResults="integer?"),
        tool("read_email", "Reads a mail", messageId="string"),
        tool("send_email", "Sends a mail", to="string[]", subject="string", body="string"),
        tool("draft_email", "Drafts a mail", to="string[]", subject="string", body="string"),
    ),
    "You handle the user's mail.",
)
CALENDAR = Agent(
    "calendar_assistant",
    (
        tool("get-current-time", "The time", timeZone="string?"),
        tool("list-events", "Lists events", calendarId="string", timeMin="string", timeMax="string"),
        tool(
            "create-event",
            "Creates an event",
            calendarId="string",
            summary="string",
            start="string",
            end="string",
            attendees={"type": "array", "items": {"type": "object", "properties": {"email": {"type": "string"}}}},
        ),
        tool("get-freebusy", "Busy times", calendars="string[]", timeMin="string", timeMax="string"),
    ),
    "You plan the user's calendar.",
)
HUBSPOT = Agent(
    "marketing_agent",
    (
        tool("HUBSPOT_GET_MARKETING_EMAILS", "Marketing mails", limit="integer?", after="string?"),
        tool("HUBSPOT_GET_EMAIL_STATISTICS", "Statistics of a mail", emailId="string"),
    ),
    "You report on marketing mails.",
)
SALESFORCE = Agent(
    "crm_agent",
    (
        tool(
            "salesforce_query_records", "Queries records", objectName="string", fields="string[]", whereClause="string?"
        ),
        tool(
            "salesforce_dml_records",
            "Changes records",
            operation=["insert", "update", "delete", "upsert"],
            objectName="string",
            records={"type": "array", "items": {"type": "object"}},
        ),
    ),
    "You keep Salesforce up to date.",
)
SHOPIFY = Agent(
    "shop_agent",
    (
        tool("get-products", "Finds products", searchTitle="string", limit="integer?"),
        tool("update-product", "Changes a product", id="string", title="string?", status="string?", tags="string[]?"),
    ),
    "You manage a shop.",
)

STORIES = (
    Story(
        "seventh_work_jira_team_required",
        "genai",
        JIRA,
        (
            user("File a bug in PAY: 'Refund mail has the wrong amount'. It's for team Ledger."),
            asks(
                call(
                    "jira_create_issue",
                    {"project_key": "PAY", "summary": "Refund mail has the wrong amount", "issue_type": "Bug"},
                    fault=Fault(
                        "ToolError",
                        "Error calling tool 'create_issue': Error creating issue: {'errorMessages': [], 'errors': "
                        "{'customfield_10021': 'Team is required.'}}",
                    ),
                )
            ),
            asks(
                call(
                    "jira_create_issue",
                    {
                        "project_key": "PAY",
                        "summary": "Refund mail has the wrong amount",
                        "issue_type": "Bug",
                        "additional_fields": {"customfield_10021": {"value": "Ledger"}},
                    },
                    {
                        "message": "Issue created successfully",
                        "issue": {"key": "PAY-1187", "summary": "Refund mail has the wrong amount", "assignee": None},
                    },
                )
            ),
            answers("PAY-1187 is filed for team Ledger."),
        ),
        failing=(),
        why="the team was missing at first, and the issue was then created with it",
    ),
    Story(
        "seventh_work_jira_transition_denied",
        "openinference",
        JIRA,
        (
            user("SUP-902 を「完了」にしてください。"),
            asks(
                call(
                    "jira_get_transitions",
                    {"issue_key": "SUP-902"},
                    [{"id": "21", "name": "進行中"}, {"id": "31", "name": "完了"}],
                )
            ),
            asks(
                call(
                    "jira_transition_issue",
                    {"issue_key": "SUP-902", "transition_id": "31"},
                    {
                        "success": False,
                        "error": "Authentication/Permission Error: Authentication failed for Jira API (403). Token may "
                        "be expired or invalid. Please verify credentials.",
                        "issue_key": "SUP-902",
                    },
                )
            ),
            answers("申し訳ありません。権限がないため、SUP-902 を完了にできませんでした。"),
        ),
        failing=("tool_error",),
        why="the transition came back with success false and a 403, and was not made good",
    ),
    Story(
        "seventh_work_release_notes_links_lost",
        "openllmetry",
        ROVO,
        (
            user("Draft the release notes of 4.12 with links to the support tickets."),
            asks(
                call(
                    "searchJiraIssuesUsingJql",
                    {"cloudId": CLOUD, "jql": "fixVersion = 4.12"},
                    {"issues": [{"key": key} for key, _ in DONE], "isLast": True},
                ),
                call(
                    "searchConfluenceUsingCql",
                    {"cloudId": CLOUD, "cql": "title ~ 'Release notes'"},
                    {"results": [{"content": {"id": "98311", "title": "Release notes 4.11"}}], "totalSize": 1},
                ),
            ),
            *(
                asks(
                    call(
                        "getJiraIssue",
                        {"cloudId": CLOUD, "issueIdOrKey": key},
                        {"key": key, "fields": {"summary": summary, "status": {"name": "Done"}, "resolution": None}},
                    )
                )
                for key, summary in DONE
            ),
            asks(
                call(
                    "getConfluencePage",
                    {"cloudId": CLOUD, "pageId": "98311"},
                    {"id": "98311", "title": "Release notes 4.11", "body": "## New\n- ...\n## Fixed\n- ..."},
                )
            ),
            asks(
                call(
                    "getJiraIssueRemoteIssueLinks",
                    {"cloudId": CLOUD, "issueIdOrKey": "APP-57"},
                    'MCP error -32602: Invalid tools/call result: [\n  {\n    "expected": "record",\n    "code": '
                    '"invalid_type",\n    "path": [\n      "structuredContent"\n    ],\n    "message": "Invalid input: '
                    'expected record, received array"\n  }\n]',
                )
            ),
            answers(
                "## New\n- Export keeps filters (APP-51)\n- Dark theme (APP-52)\n- French texts (APP-60)\n- Shortcuts (APP-66)"
                "\n## Fixed\n- Crash on an empty file (APP-57)\n- Login on Safari 17 (APP-58)"
            ),
        ),
        failing=("tool_error",),
        why="the lookup of the support tickets failed and was not repeated; the notes have no links",
    ),
    Story(
        "seventh_work_mail_bounces_read",
        "vercel_ai",
        GMAIL,
        (
            user("Which of our invitations bounced last week, and why?"),
            asks(
                call(
                    "search_emails",
                    {"query": "from:mailer-daemon newer_than:7d", "maxResults": 10},
                    "ID: 195a1\nSubject: Delivery Status Notification (Failure)\nFrom: Mail Delivery Subsystem\nDate: "
                    "Mon, 23 Feb 2026\n\nID: 195a2\nSubject: Delivery Status Notification (Failure)\nFrom: Mail Delivery "
                    "Subsystem\nDate: Tue, 24 Feb 2026\n\nID: 195a3\nSubject: Delivery Status Notification (Delay)\n",
                )
            ),
            asks(
                call(
                    "read_email",
                    {"messageId": "195a1"},
                    "Subject: Delivery Status Notification (Failure)\n\nAddress not found. Your message wasn't delivered "
                    "to k.lind@nordvik.example because the address couldn't be found.\n\n550 5.1.1 The email account "
                    "that you tried to reach does not exist.",
                )
            ),
            asks(
                call(
                    "read_email",
                    {"messageId": "195a2"},
                    "Subject: Delivery Status Notification (Failure)\n\nMessage blocked. 554 5.7.1 Service unavailable; "
                    "Client host blocked using Spamhaus.",
                )
            ),
            asks(
                call(
                    "read_email",
                    {"messageId": "195a3"},
                    "Subject: Delivery Status Notification (Delay)\n\nDelivery incomplete. Gmail will retry for 45 more "
                    "hours. The response was: 421 4.4.2 Connection timed out.",
                )
            ),
            answers(
                "Two bounced: k.lind@nordvik.example does not exist, and one was blocked by Spamhaus. One is delayed."
            ),
        ),
        failing=(),
        why="the failures are the contents of mails that were asked for",
    ),
    Story(
        "seventh_work_mail_grant_expired",
        "genai_events",
        GMAIL,
        (
            user("Escribe a marta@talleres.example que llego media hora tarde."),
            asks(
                call(
                    "send_email",
                    {
                        "to": ["marta@talleres.example"],
                        "subject": "Llego tarde",
                        "body": "Hola Marta: llego media hora tarde. Perdona.",
                    },
                    {
                        "content": [{"type": "text", "text": "Error: Failed to send email: invalid_grant"}],
                        "isError": True,
                    },
                )
            ),
            answers("No he podido enviar el correo: la autorización de Gmail ha caducado."),
        ),
        failing=("tool_error",),
        why="the mail was not sent",
    ),
    Story(
        "seventh_work_calendar_conflict_told",
        "pydantic_ai",
        CALENDAR,
        (
            user("Metti una riunione con Paolo domani alle 15, anche se ho già qualcosa."),
            asks(
                call(
                    "get-current-time",
                    {"timeZone": "Europe/Rome"},
                    {"currentTime": "2026-03-02T09:14:00+01:00", "timeZone": "Europe/Rome"},
                )
            ),
            asks(
                call(
                    "create-event",
                    {
                        "calendarId": "primary",
                        "summary": "Riunione con Paolo",
                        "start": "2026-03-03T15:00:00",
                        "end": "2026-03-03T15:30:00",
                        "attendees": [{"email": "paolo@studio.example"}],
                    },
                    {
                        "event": {"id": "4k2d9", "status": "confirmed", "summary": "Riunione con Paolo"},
                        "conflicts": [
                            {"type": "overlap", "event": {"title": "Dentista"}, "overlap": {"duration": "30 minutes"}}
                        ],
                        "duplicates": [],
                        "warnings": ["Event conflicts with 1 existing event"],
                    },
                )
            ),
            answers("Fatto: domani 15:00-15:30 con Paolo. Attenzione, si sovrappone al dentista."),
        ),
        failing=(),
        why="the event was created; the conflict is a warning that the user had accepted",
    ),
    Story(
        "seventh_work_calendar_ids_as_list",
        "pydantic_ai",
        CALENDAR,
        (
            user("What do I have on Friday, in both calendars?"),
            asks(
                call(
                    "list-events",
                    {
                        "calendarId": ["primary", "family@group.calendar.google.com"],
                        "timeMin": "2026-03-06T00:00:00",
                        "timeMax": "2026-03-07T00:00:00",
                    },
                    fault=Fault(
                        "ToolRetryError",
                        'MCP error -32602: Invalid arguments for tool list-events: [\n  {\n    "code": '
                        '"invalid_type",\n    "expected": "string",\n    "received": "array",\n    "path": [\n      '
                        '"calendarId"\n    ],\n    "message": "Expected string, received array"\n  }\n]',
                    ),
                )
            ),
            asks(
                call(
                    "list-events",
                    {"calendarId": "primary", "timeMin": "2026-03-06T00:00:00", "timeMax": "2026-03-07T00:00:00"},
                    {"events": [{"id": "a1", "summary": "Review", "start": {"dateTime": "2026-03-06T10:00:00"}}]},
                ),
                call(
                    "list-events",
                    {
                        "calendarId": "family@group.calendar.google.com",
                        "timeMin": "2026-03-06T00:00:00",
                        "timeMax": "2026-03-07T00:00:00",
                    },
                    {"events": []},
                ),
            ),
            answers("On Friday you have the review at 10:00; the family calendar is empty."),
        ),
        failing=("tool_call_validity",),
        why="the first call gave a list where the tool takes one calendar; the others were right",
    ),
    Story(
        "seventh_work_hubspot_two_pages",
        "genai_events",
        HUBSPOT,
        (
            user("Which of our marketing mails had the best open rate?"),
            asks(
                call(
                    "HUBSPOT_GET_MARKETING_EMAILS",
                    {"limit": 2},
                    {
                        "successfull": True,
                        "successful": True,
                        "error": None,
                        "data": {
                            "results": [{"id": "71", "name": "Spring"}, {"id": "72", "name": "Webinar"}],
                            "paging": {"next": {"after": "2"}},
                        },
                    },
                )
            ),
            asks(
                call(
                    "HUBSPOT_GET_MARKETING_EMAILS",
                    {"limit": 2, "after": "2"},
                    {
                        "successfull": True,
                        "successful": True,
                        "error": None,
                        "data": {"results": [{"id": "73", "name": "Sorry for the error"}], "paging": None},
                    },
                )
            ),
            asks(
                call(
                    "HUBSPOT_GET_EMAIL_STATISTICS",
                    {"emailId": "71"},
                    {
                        "successful": True,
                        "error": None,
                        "data": {"sent": 900, "open": 260, "bounce": 4, "spamreport": 0},
                    },
                ),
                call(
                    "HUBSPOT_GET_EMAIL_STATISTICS",
                    {"emailId": "72"},
                    {
                        "successful": True,
                        "error": None,
                        "data": {"sent": 810, "open": 301, "bounce": 2, "spamreport": 1},
                    },
                ),
                call(
                    "HUBSPOT_GET_EMAIL_STATISTICS",
                    {"emailId": "73"},
                    {
                        "successful": True,
                        "error": None,
                        "data": {"sent": 905, "open": 611, "bounce": 3, "spamreport": 0},
                    },
                ),
            ),
            answers("'Sorry for the error', with 68 % (611 of 905)."),
        ),
        failing=(),
        why="the errors are null, the second call is another page, and a mail has 'error' in its name",
    ),
    Story(
        "seventh_work_salesforce_bulk_update",
        "vercel_ai",
        SALESFORCE,
        (
            user("Set all open opportunities of Nordvik to stage 'Negotiation'."),
            asks(
                call(
                    "salesforce_query_records",
                    {
                        "objectName": "Opportunity",
                        "fields": ["Id", "Name", "Status__c"],
                        "whereClause": "Account.Name = 'Nordvik' AND IsClosed = false",
                    },
                    "Error executing query: No such column 'Status__c' on entity 'Opportunity'. If you are attempting "
                    "to use a custom field, be sure to append the '__c' after the custom field name. (INVALID_FIELD)",
                )
            ),
            asks(
                call(
                    "salesforce_query_records",
                    {
                        "objectName": "Opportunity",
                        "fields": ["Id", "Name", "StageName"],
                        "whereClause": "Account.Name = 'Nordvik' AND IsClosed = false",
                    },
                    "Query returned 2 records:\n\nRecord 1:\n    Id: 0065g00000A1\n    Name: Nordvik rollout\n    "
                    "StageName: Proposal\n\nRecord 2:\n    Id: 0065g00000A2\n    Name: Nordvik training\n    StageName: "
                    "Qualification",
                )
            ),
            asks(
                call(
                    "salesforce_dml_records",
                    {
                        "operation": "update",
                        "objectName": "Opportunity",
                        "records": [
                            {"Id": "0065g00000A1", "StageName": "Negotiation"},
                            {"Id": "0065g00000A2", "StageName": "Negotiation"},
                        ],
                    },
                    [
                        {"id": "0065g00000A1", "success": True, "errors": []},
                        {"id": "0065g00000A2", "success": True, "errors": []},
                    ],
                )
            ),
            answers("Both open opportunities of Nordvik are in 'Negotiation' now."),
        ),
        failing=(),
        why="the query was put right, and both records were changed, with empty errors",
    ),
    Story(
        "seventh_work_shopify_user_errors",
        "openinference",
        SHOPIFY,
        (
            user("Archivia il prodotto 'Lampada Onda'."),
            asks(
                call(
                    "get-products",
                    {"searchTitle": "Lampada Onda", "limit": 5},
                    {"products": [{"id": "gid://shopify/Product/7012", "title": "Lampada Onda", "status": "ACTIVE"}]},
                )
            ),
            asks(
                call(
                    "update-product",
                    {"id": "gid://shopify/ProductVariant/7012", "status": "ARCHIVED"},
                    {
                        "data": {
                            "productUpdate": {
                                "product": None,
                                "userErrors": [{"field": ["id"], "message": "Product does not exist"}],
                            }
                        }
                    },
                )
            ),
            answers("Fatto, la Lampada Onda è archiviata."),
        ),
        failing=("tool_error",),
        why="the update has user errors and no product, so nothing was archived, whatever the answer says",
    ),
)
