"""Customer records: failures in the envelopes of Salesforce, HubSpot, SAP, Notion, Airtable, Jira and Slack."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, pause, tool, user

CRM = Agent(
    "crm-assistant",
    (
        tool("salesforce_query", "Run SOQL", soql="string"),
        tool("create_contacts", "Create contacts in HubSpot", contacts={"type": "array", "items": {"type": "object"}}),
        tool("post_sales_order", "Create a sales order in SAP", customer="string", material="string", qty="integer"),
        tool("update_page", "Change a page in Notion", page_id="string", properties={"type": "object"}),
        tool("list_records", "Records of an Airtable table", table="string"),
        tool("create_issue", "Create a Jira issue", project="string", type="string", summary="string"),
        tool("post_message", "Write to a Slack channel", channel="string", text="string"),
    ),
    "You keep the customer records.",
    model="claude-sonnet-4-5",
    provider="anthropic",
)


STORIES = (
    Story(
        "second_salesforce_invalid_field",
        "openllmetry",
        CRM,
        (
            user("Which accounts have no owner?"),
            asks(
                call(
                    "salesforce_query",
                    {"soql": "SELECT Id FROM Account WHERE Owner__c = null"},
                    [
                        {
                            "message": "No such column 'Owner__c' on entity 'Account'.",
                            "errorCode": "INVALID_FIELD",
                        }
                    ],
                )
            ),
            answers("I could not query the accounts."),
        ),
        ("tool_error",),
        "the only query was refused with a list of errors",
    ),
    Story(
        "second_salesforce_query_corrected",
        "genai",
        CRM,
        (
            user("Which accounts have no owner?"),
            asks(
                call(
                    "salesforce_query",
                    {"soql": "SELECT Id FROM Account WHERE Owner__c = null"},
                    [{"message": "No such column 'Owner__c' on entity 'Account'.", "errorCode": "INVALID_FIELD"}],
                )
            ),
            asks(
                call(
                    "salesforce_query",
                    {"soql": "SELECT Id FROM Account WHERE OwnerId = null"},
                    {"totalSize": 1, "done": True, "records": [{"Id": "001A"}]},
                )
            ),
            answers("One: 001A."),
        ),
        (),
        "the second query, with the right column, worked",
    ),
    Story(
        "second_hubspot_batch_partial",
        "vercel_ai",
        CRM,
        (
            user("Create these three contacts: a@x.de, b@x.de, nonsense"),
            asks(
                call(
                    "create_contacts",
                    {"contacts": [{"email": "a@x.de"}, {"email": "b@x.de"}, {"email": "nonsense"}]},
                    {
                        "status": "COMPLETE",
                        "results": [{"id": "51"}, {"id": "52"}],
                        "numErrors": 1,
                        "errors": [
                            {
                                "status": "error",
                                "category": "VALIDATION_ERROR",
                                "message": "Email address nonsense is invalid",
                            }
                        ],
                    },
                )
            ),
            answers("All three contacts are created."),
        ),
        ("tool_error",),
        "one of three contacts was refused, and the user is told that all exist",
    ),
    Story(
        "second_sap_odata_locked",
        "openinference",
        CRM,
        (
            user("Bestelle 4 Stück M-200 für Kunde 1000."),
            asks(
                call(
                    "post_sales_order",
                    {"customer": "1000", "material": "M-200", "qty": 4},
                    {
                        "error": {
                            "code": "V4/117",
                            "message": {"lang": "de", "value": "Debitor 1000 ist für Aufträge gesperrt"},
                            "innererror": {"transactionid": "6A1F"},
                        }
                    },
                )
            ),
            answers("Der Kunde ist gesperrt, ich konnte nichts bestellen."),
        ),
        ("tool_error",),
        "the order was refused",
    ),
    Story(
        "second_notion_validation_error",
        "pydantic_ai",
        CRM,
        (
            user("Set the status of page 9f to Done."),
            asks(
                call(
                    "update_page",
                    {"page_id": "9f", "properties": {"Status": "Done"}},
                    {
                        "object": "error",
                        "status": 400,
                        "code": "validation_error",
                        "message": "Status is expected to be status.",
                    },
                )
            ),
            answers("I set it to Done."),
        ),
        ("tool_error",),
        "the update was refused and never made good",
    ),
    Story(
        "second_airtable_error_word",
        "openllmetry",
        CRM,
        (
            user("How many leads do we have?"),
            asks(call("list_records", {"table": "Leads"}, {"error": "NOT_FOUND"})),
            answers("I cannot reach the table of leads."),
        ),
        ("tool_error",),
        "the table could not be read",
    ),
    Story(
        "second_jira_field_errors",
        "genai",
        CRM,
        (
            user("Open an epic for the relaunch."),
            asks(
                call(
                    "create_issue",
                    {"project": "WEB", "type": "Epic", "summary": "Relaunch"},
                    {"errorMessages": [], "errors": {"customfield_10011": "Epic Name is required."}},
                )
            ),
            answers("The epic is open."),
        ),
        ("tool_error",),
        "the issue was not created: a field is missing",
    ),
    Story(
        "second_slack_channel_retry",
        "genai_events",
        CRM,
        (
            user("Tell the sales channel that we won ACME."),
            asks(
                call(
                    "post_message",
                    {"channel": "sale", "text": "We won ACME!"},
                    {"ok": False, "error": "channel_not_found"},
                )
            ),
            asks(
                call(
                    "post_message",
                    {"channel": "sales", "text": "We won ACME!"},
                    {"ok": True, "ts": "17.3", "warning": "missing_charset"},
                )
            ),
            answers("Posted in #sales."),
        ),
        (),
        "the second channel was the right one; a warning is no failure",
    ),
    Story(
        "second_slack_rate_limited_back_off",
        "vercel_ai",
        CRM,
        (
            user("Tell #ops that the import is done."),
            *(
                step
                for seconds in (1, 4)
                for step in (
                    asks(
                        call(
                            "post_message",
                            {"channel": "ops", "text": "Import done."},
                            {"ok": False, "error": "ratelimited"},
                        )
                    ),
                    pause(seconds),
                )
            ),
            asks(call("post_message", {"channel": "ops", "text": "Import done."}, {"ok": True, "ts": "18.1"})),
            answers("Done."),
        ),
        (),
        "tried again after a pause, until it worked",
    ),
)
