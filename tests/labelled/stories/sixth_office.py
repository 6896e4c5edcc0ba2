"""Documents, chats, repositories, calendars and payments."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Ask, Fault, Story, Tool, answers, asks, call, tool, user

__all__ = ["STORIES"]

OBJECT = {"type": "object"}
NOTION_SEARCH = tool("API-post-search", "Search by title", query="string")
NOTION_POST = tool("API-post-page", "Create a page", parent=OBJECT, properties=OBJECT)
NOTION = Agent("notion", (NOTION_SEARCH, NOTION_POST), "You keep notes in Notion.", "claude-sonnet-4-5", "anthropic")
NOTION_FETCH = tool("notion-fetch", "Retrieve a page by its id", id="string")
NOTION_UPDATE = tool("notion-update-page", "Update a page", data=OBJECT)
NOTION_HOSTED = Agent("notion_hosted", (NOTION_FETCH, NOTION_UPDATE), "You keep a wiki.", "gpt-4.1")

CHANNELS = tool("channels_list", "Get list of channels", channel_types="string", limit="number?", cursor="string?")
HISTORY = tool("conversations_history", "Get messages from the channel", channel_id="string", limit="string?")
MESSAGES = tool("conversations_search_messages", "Search messages", search_query="string", limit="number?")
SLACK = Agent("slack", (CHANNELS, HISTORY, MESSAGES), "You answer questions about a Slack workspace.")

CONTENTS = tool("get_file_contents", "Contents of a file", owner="string", repo="string", path="string", ref="string?")
LIST = tool(
    "list_issues",
    "List issues",
    owner="string",
    repo="string",
    state=["OPEN", "CLOSED"],
    page="integer",
    perPage="integer?",
)
ISSUE = tool("get_issue", "Details of an issue", owner="string", repo="string", issue_number="integer")
LABEL = tool(
    "add_labels", "Add labels to an issue", owner="string", repo="string", issue_number="integer", labels="string[]"
)
COMMENT = tool(
    "add_issue_comment", "Comment on an issue", owner="string", repo="string", issue_number="integer", body="string"
)
GITHUB = Agent("github", (CONTENTS, LIST, ISSUE, LABEL, COMMENT), "You help with GitHub repositories.", "gpt-4.1")
WIDGET = {"owner": "acme", "repo": "widget"}

FREE = tool("calendar_getFreeBusy", "Busy times of calendars", emails="string[]", timeMin="string", timeMax="string")
EVENT = tool(
    "calendar_createEvent", "Create an event", summary="string", start="string", end="string", attendees="string[]"
)
CALENDAR = Agent("calendar", (FREE, EVENT), "Du verwaltest einen Kalender.", "gemini-2.5-pro", "gcp.gemini")

MAIL_SEARCH = tool("search_gmail_messages", "Search messages", query="string", page_size="integer?")
MAIL_GET = tool("get_gmail_message_content", "Content of a message", message_id="string")
MAIL = Agent("mail", (MAIL_SEARCH, MAIL_GET), "You read mail.")

JIRA_CREATE = Tool(
    "jira_create_issue",
    "Create a Jira issue",
    {
        "type": "object",
        "properties": {
            "project_key": {"type": "string"},
            "summary": {"type": "string"},
            "issue_type": {"type": "string"},
            "description": {"type": "string"},
            "additional_fields": {"type": "object"},
        },
        "required": ["project_key", "summary", "issue_type"],
    },
)
JIRA_TYPES = tool("jira_search_fields", "Search Jira fields", keyword="string")
JIRA = Agent("jira", (JIRA_CREATE, JIRA_TYPES), "You file tickets.")

CUSTOMER = tool("list_customers", "List customers", email="string?", limit="integer?")
CHARGES = tool("list_payment_intents", "List payment intents", customer="string", limit="integer?")
STRIPE = Agent("billing", (CUSTOMER, CHARGES), "You answer questions about payments.", "gpt-4.1")


def issue(number: int, title: str) -> dict[str, object]:
    return {"number": number, "title": title, "state": "OPEN", "labels": []}


def labelled(number: int, *labels: str) -> Ask:
    return asks(
        call(
            "add_labels",
            {**WIDGET, "issue_number": number, "labels": list(labels)},
            [{"name": label} for label in labels],
        )
    )


STORIES = (
    Story(
        "sixth_office_page_parent_as_text",
        "vercel_ai",
        NOTION,
        (
            user("Create a page “Test Page” under “Team notes”."),
            asks(
                call(
                    "API-post-search",
                    {"query": "Team notes"},
                    {
                        "object": "list",
                        "results": [{"object": "page", "id": "2f7e9155-4622-8021-b83f-d802a05fe2f3"}],
                        "has_more": False,
                    },
                )
            ),
            asks(
                call(
                    "API-post-page",
                    {
                        "parent": '{"page_id": "2f7e9155-4622-8021-b83f-d802a05fe2f3"}',
                        "properties": {"title": [{"text": {"content": "Test Page"}}]},
                    },
                    {
                        "status": 400,
                        "object": "error",
                        "code": "validation_error",
                        "message": "body failed validation: body.parent should be an object or `undefined`, instead was "
                        '`"{\\"page_id\\": \\"2f7e9155-4622-8021-b83f-d802a05fe2f3\\"}"`',
                    },
                )
            ),
            asks(
                call(
                    "API-post-page",
                    {
                        "parent": {"page_id": "2f7e9155-4622-8021-b83f-d802a05fe2f3"},
                        "properties": {"title": [{"text": {"content": "Test Page"}}]},
                    },
                    {
                        "object": "page",
                        "id": "308e9155-4622-81aa-9d3f-c1f2a0",
                        "url": "https://www.notion.so/Test-Page-308e",
                    },
                )
            ),
            answers("“Test Page” is created under “Team notes”: https://www.notion.so/Test-Page-308e"),
        ),
        failing=("tool_call_validity",),
        why="the parent was first a text where the schema asks for an object; the page was created at the second try",
    ),
    Story(
        "sixth_office_page_update_always_rejected",
        "openinference",
        NOTION_HOSTED,
        (
            user("Replace the text of the onboarding page with “See the new handbook.”"),
            asks(
                call(
                    "notion-fetch",
                    {"id": "1c9f2b"},
                    '<page url="https://www.notion.so/1c9f2b">\n# Onboarding\nOld text.\n</page>',
                )
            ),
            asks(
                call(
                    "notion-update-page",
                    {"data": {"page_id": "1c9f2b", "command": "replace_content", "new_str": "See the new handbook."}},
                    "body failed validation: body.update_page.data should be defined, instead was `undefined`.",
                )
            ),
            asks(
                call(
                    "notion-update-page",
                    {
                        "data": {
                            "page_id": "1c9f2b",
                            "command": "replace_content_range",
                            "selection_with_ellipsis": "Old te...text.",
                            "new_str": "See the new handbook.",
                        }
                    },
                    "body failed validation: body.update_page.data should be defined, instead was `undefined`.",
                )
            ),
            answers("Notion rejects both ways of changing the page, so it still has the old text."),
        ),
        failing=("tool_error",),
        why="both updates were rejected by the server and the page is unchanged",
    ),
    Story(
        "sixth_office_bot_not_in_channel",
        "pydantic_ai",
        SLACK,
        (
            user("Summarise today's messages in #incident-4711."),
            asks(
                call(
                    "channels_list",
                    {"channel_types": "public_channel", "limit": 100},
                    "ID,Name,Topic,Purpose,MemberCount,Cursor\nC0966V616DC,#incident-4711,db failover,,12,\n",
                )
            ),
            asks(
                call(
                    "conversations_history",
                    {"channel_id": "C0966V616DC", "limit": "1d"},
                    {"ok": False, "error": "not_in_channel"},
                )
            ),
            answers("I'm not a member of #incident-4711, so I can't read it. Could you invite me with /invite?"),
        ),
        failing=("tool_error",),
        why="reading the channel failed with ok false and was not made good",
    ),
    Story(
        "sixth_office_channel_lists_empty",
        "genai",
        SLACK,
        (
            user("Where was the office move discussed?"),
            *(
                asks(
                    call(
                        "channels_list",
                        {"channel_types": kind, "limit": 100},
                        "ID,Name,Topic,Purpose,MemberCount,Cursor\n",
                    )
                )
                for kind in ("public_channel", "private_channel", "mpim")
            ),
            asks(
                call(
                    "conversations_search_messages",
                    {"search_query": "office move", "limit": 20},
                    "MsgID,UserID,UserName,RealName,Channel,ThreadTs,Text,Time,Cursor\n1718.22,U01,bea,Bea "
                    "Lang,#general,,Office move is on July 3,2026-06-12T08:00:00Z,\n",
                )
            ),
            answers("In #general: on 12 June Bea Lang wrote that the office move is on July 3."),
        ),
        failing=(),
        why="three lists of different kinds were empty, which is nothing found; the search found it",
    ),
    Story(
        "sixth_office_file_under_other_path",
        "openllmetry",
        GITHUB,
        (
            user("acme/widget のリトライ回数の既定値を教えてください。"),
            asks(
                call(
                    "get_file_contents",
                    {"owner": "acme", "repo": "widget", "path": "src/config.py"},
                    fault=Fault(
                        "McpError",
                        "MCP error -32603: failed to get file contents: GET "
                        "https://api.github.com/repos/acme/widget/contents/src/config.py: 404 Not Found []",
                    ),
                )
            ),
            asks(
                call(
                    "get_file_contents",
                    {"owner": "acme", "repo": "widget", "path": "src/"},
                    [{"type": "dir", "name": "widget", "path": "src/widget"}],
                )
            ),
            asks(
                call(
                    "get_file_contents",
                    {"owner": "acme", "repo": "widget", "path": "src/widget/config.py"},
                    'DEFAULT_RETRIES = 3\nclass ConfigError(Exception):\n    """Raised when the file is invalid."""\n',
                )
            ),
            answers("既定のリトライ回数は 3 回です（src/widget/config.py の DEFAULT_RETRIES）。"),
        ),
        failing=(),
        why="the wrong path was made good by listing the folder and reading the right file",
    ),
    Story(
        "sixth_office_meeting_with_declines",
        "genai_events",
        CALENDAR,
        (
            user("Trag Mittwoch 14 Uhr eine Stunde „Budget“ mit Kai und Lea ein, wenn beide frei sind."),
            asks(
                call(
                    "calendar_getFreeBusy",
                    {
                        "emails": ["kai@firma.de", "lea@firma.de"],
                        "timeMin": "2026-06-17T14:00:00+02:00",
                        "timeMax": "2026-06-17T15:00:00+02:00",
                    },
                    {
                        "kind": "calendar#freeBusy",
                        "calendars": {
                            "kai@firma.de": {"busy": [], "errors": []},
                            "lea@firma.de": {"busy": [], "errors": []},
                        },
                    },
                )
            ),
            asks(
                call(
                    "calendar_createEvent",
                    {
                        "summary": "Budget",
                        "start": "2026-06-17T14:00:00+02:00",
                        "end": "2026-06-17T15:00:00+02:00",
                        "attendees": ["kai@firma.de", "lea@firma.de"],
                    },
                    {
                        "kind": "calendar#event",
                        "id": "4f1q",
                        "status": "confirmed",
                        "attendees": [
                            {"email": "kai@firma.de", "responseStatus": "needsAction"},
                            {
                                "email": "lea@firma.de",
                                "responseStatus": "declined",
                                "comment": "Auto-decline: Zahnarzt",
                            },
                        ],
                    },
                )
            ),
            answers("Eingetragen: Mittwoch 14–15 Uhr „Budget“. Lea hat automatisch abgesagt (Zahnarzt)."),
        ),
        failing=(),
        why="the lists of errors are empty and the event is confirmed; that someone declines is no failure",
    ),
    Story(
        "sixth_office_bounce_mail_read",
        "genai",
        MAIL,
        (
            user("Did my offer to Nordhaus arrive?"),
            asks(
                call(
                    "search_gmail_messages",
                    {"query": "nordhaus newer_than:7d", "page_size": 5},
                    "Found 1 messages matching 'nordhaus newer_than:7d':\n\n📧 MESSAGES:\n  1. Message ID: 19f3a2\n     "
                    "Thread ID: 19f399",
                )
            ),
            asks(
                call(
                    "get_gmail_message_content",
                    {"message_id": "19f3a2"},
                    "Subject: Mail delivery failed: returning message to sender\nFrom: Mail Delivery System "
                    "<Mailer-Daemon@mx.example.com>\n\n--- BODY ---\nThis message was created automatically by mail "
                    "delivery software.\n\nA message that you sent could not be delivered to one or more of its "
                    "recipients. This is a permanent error.\n\n  einkauf@nordhaus.example\n    550 5.1.1 User unknown\n",
                )
            ),
            answers("No. It bounced: einkauf@nordhaus.example does not exist (550 User unknown). Check the address."),
        ),
        failing=(),
        why="the error is the content of the mail that was looked for",
    ),
    Story(
        "sixth_office_ticket_without_field",
        "pydantic_ai",
        JIRA,
        (
            user("Zgłoś błąd w projekcie TOOL: „Eksport PDF ucina nagłówki”, sprint 12."),
            asks(
                call(
                    "jira_create_issue",
                    {
                        "project_key": "TOOL",
                        "summary": "Eksport PDF ucina nagłówki",
                        "issue_type": "Bug",
                        "additional_fields": {"customfield_10010": "12"},
                    },
                    "Error calling tool 'create_issue': Field 'customfield_10010' cannot be set. It is not on the "
                    "appropriate screen, or unknown.",
                )
            ),
            asks(
                call(
                    "jira_search_fields",
                    {"keyword": "sprint"},
                    [{"id": "customfield_10020", "name": "Sprint", "schema": {"type": "array"}}],
                )
            ),
            asks(
                call(
                    "jira_create_issue",
                    {
                        "project_key": "TOOL",
                        "summary": "Eksport PDF ucina nagłówki",
                        "issue_type": "Bug",
                        "additional_fields": {"customfield_10020": 12},
                    },
                    {
                        "message": "Issue created successfully",
                        "issue": {"key": "TOOL-881", "status": {"name": "To Do"}},
                    },
                )
            ),
            answers("Zgłoszone jako TOOL-881, w sprincie 12."),
        ),
        failing=(),
        why="the wrong field was looked up and the ticket was created",
    ),
    Story(
        "sixth_office_answer_filtered",
        "vercel_ai",
        STRIPE,
        (
            user("Which payments of leo@example.com failed and what did he write?"),
            asks(call("list_customers", {"email": "leo@example.com", "limit": 1}, [{"id": "cus_PD6LSQ"}])),
            asks(
                call(
                    "list_payment_intents",
                    {"customer": "cus_PD6LSQ", "limit": 10},
                    [
                        {
                            "id": "pi_3Oa",
                            "amount": 4200,
                            "status": "requires_payment_method",
                            "last_payment_error": {"code": "card_declined"},
                        }
                    ],
                )
            ),
            answers(None, "content_filter"),
        ),
        failing=("run_completion",),
        why="the answer was withheld by the content filter and the user got none",
    ),
    Story(
        "sixth_office_issue_triage_long",
        "openinference",
        GITHUB,
        (
            user(
                "Triage the open issues of acme/widget: label each as bug, question or feature, comment where a version is "
                "missing."
            ),
            asks(
                call(
                    "list_issues",
                    {**WIDGET, "state": "OPEN", "page": 1, "perPage": 4},
                    [
                        issue(71, "Crash: NullPointerException on start"),
                        issue(72, "How do I set a proxy?"),
                        issue(73, "[BUG] 404 not found on /mcp path"),
                        issue(74, "Dark mode"),
                    ],
                )
            ),
            asks(
                call(
                    "list_issues",
                    {**WIDGET, "state": "OPEN", "page": 2, "perPage": 4},
                    [
                        issue(75, 'Error calling tool "get_issue"'),
                        issue(76, "Support arm64"),
                        issue(77, "failed to build on Windows"),
                    ],
                )
            ),
            asks(call("list_issues", {**WIDGET, "state": "OPEN", "page": 3, "perPage": 4}, [])),
            asks(
                call(
                    "get_issue",
                    {**WIDGET, "issue_number": 71},
                    {
                        "number": 71,
                        "body": "java.lang.NullPointerException at Widget.start(Widget.java:14)\nVersion 2.1",
                    },
                )
            ),
            asks(call("get_issue", {**WIDGET, "issue_number": 73}, {"number": 73, "body": "you got this error!"})),
            asks(call("get_issue", {**WIDGET, "issue_number": 75}, {"number": 75, "body": "Using Cline. v2.0"})),
            asks(
                call("get_issue", {**WIDGET, "issue_number": 77}, {"number": 77, "body": "error LNK2019: unresolved"})
            ),
            labelled(71, "bug"),
            labelled(72, "question"),
            labelled(73, "bug"),
            labelled(74, "feature"),
            labelled(75, "bug"),
            labelled(76, "feature"),
            labelled(77, "bug"),
            asks(
                call(
                    "add_issue_comment",
                    {**WIDGET, "issue_number": 73, "body": "Which version are you using?"},
                    {"id": 3107, "url": "https://github.com/acme/widget/issues/73#issuecomment-3107"},
                )
            ),
            asks(
                call(
                    "add_issue_comment",
                    {**WIDGET, "issue_number": 77, "body": "Which version are you using?"},
                    {"id": 3108, "url": "https://github.com/acme/widget/issues/77#issuecomment-3108"},
                )
            ),
            answers(
                "All seven are labelled: 71, 73, 75 and 77 bug, 72 question, 74 and 76 feature. I asked for the version "
                "on 73 and 77."
            ),
        ),
        failing=(),
        why="pages, reads, labels and comments, each once; the issues speak of errors and the calls worked",
    ),
)
