"""Payments, messages and customer records: failures in the envelopes of well-known services, and their look-alikes."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, pause, tool, user

BILLING = Agent(
    "billing-agent",
    (
        tool("create_charge", "Charge the card on file", customer="string", amount_cents="integer", currency="string"),
        tool("get_payment_intent", "Look up a payment", id="string"),
        tool("send_sms", "Send a text message", to="string", body="string"),
        tool("get_message", "Look up a text message", sid="string"),
    ),
    "You help with payments.",
)
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
CHARGE = {"customer": "cus_9Kd", "amount_cents": 4900, "currency": "eur"}
DECLINED = {
    "code": "card_declined",
    "decline_code": "insufficient_funds",
    "message": "Your card has insufficient funds.",
    "type": "card_error",
}

STORIES = (
    Story(
        "second_stripe_declined",
        "vercel_ai",
        BILLING,
        (
            user("Renew my yearly plan."),
            asks(call("create_charge", CHARGE, {"error": DECLINED | {"charge": "ch_3Qa"}})),
            answers("Your bank declined the payment. Please use another card."),
        ),
        ("tool_error",),
        "the only charge was declined",
    ),
    Story(
        "second_stripe_last_payment_error",
        "openinference",
        BILLING,
        (
            user("Why did my payment pi_77 not go through on Monday?"),
            asks(
                call(
                    "get_payment_intent",
                    {"id": "pi_77"},
                    {
                        "id": "pi_77",
                        "object": "payment_intent",
                        "status": "requires_payment_method",
                        "last_payment_error": DECLINED,
                        "amount": 4900,
                    },
                )
            ),
            answers("Your bank reported insufficient funds on Monday. Nothing was charged."),
        ),
        (),
        "the lookup worked; the error is that of the payment which was looked up",
    ),
    Story(
        "second_stripe_succeeded_null_failures",
        "genai",
        BILLING,
        (
            user("Renew my yearly plan."),
            asks(
                call(
                    "create_charge",
                    CHARGE,
                    {"id": "ch_8", "status": "succeeded", "failure_code": None, "failure_message": None, "paid": True},
                )
            ),
            answers("Done: 49.00 € were charged."),
        ),
        (),
        "the charge succeeded; its failure fields are null",
    ),
    Story(
        "second_twilio_invalid_number",
        "genai_events",
        BILLING,
        (
            user("Text the customer at +49 15 that the parcel is there."),
            asks(
                call(
                    "send_sms",
                    {"to": "+4915", "body": "Your parcel is here."},
                    {
                        "code": 21211,
                        "message": "The 'To' number +4915 is not a valid phone number.",
                        "more_info": "https://www.twilio.com/docs/errors/21211",
                        "status": 400,
                    },
                )
            ),
            answers("The message is on its way."),
        ),
        ("tool_error",),
        "the message was refused with 400, and the user is told it was sent",
    ),
    Story(
        "second_twilio_undelivered_lookup",
        "pydantic_ai",
        BILLING,
        (
            user("Did SM12 arrive?"),
            asks(
                call(
                    "get_message",
                    {"sid": "SM12"},
                    {
                        "sid": "SM12",
                        "status": "undelivered",
                        "error_code": 30003,
                        "error_message": "Unreachable destination handset",
                        "to": "+491511234",
                    },
                )
            ),
            answers("No. The phone was not reachable (30003)."),
        ),
        (),
        "the question was how the message fared, and the lookup answered it",
    ),
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
