"""Help desks: tickets, macros, help centres, voice lines, refunds."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Ask, Story, Tool, answers, asks, call, hands_off, pause, tool, user

__all__ = ["STORIES"]

GET_TICKET = tool("zendesk_get_ticket", "Get a ticket by its id", ticket_id="integer")
UPDATE_TICKET_PARAMETERS = {
    "type": "object",
    "properties": {
        "ticket_id": {"type": "integer"},
        "status": {"type": "string", "enum": ["open", "pending", "hold", "solved"]},
        "comment": {"type": "string"},
        "public": {"type": "boolean"},
        "custom_fields": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"id": {"type": "integer"}, "value": {"type": "string"}},
                "required": ["id", "value"],
            },
        },
    },
    "required": ["ticket_id"],
    "additionalProperties": False,
}
UPDATE = Tool("zendesk_update_ticket", "Update a ticket", UPDATE_TICKET_PARAMETERS)
DESK = Agent("ticket_desk", (GET_TICKET, UPDATE), "You work on tickets in Zendesk.", "gpt-4.1")

HELP = tool("search_help_center", "Search articles", query="string", locale="string?", per_page="integer?")
HELPER = Agent("help_center_bot", (HELP,), "You answer from the help center only.", "gpt-4o-mini")

CONVERSATION = tool("get_conversation", "An Intercom conversation", conversation_id="string")
BILLING_TOOLS = (
    tool("list_invoices", "Invoices of a customer", customer_id="string", limit="integer?"),
    tool("request_human", "Ask a person to take over", team=["billing", "legal", "tech"], summary="string"),
)
FRONT = Agent("front_desk", (CONVERSATION,), "You greet customers and hand them to the right desk.", "gpt-4o")
BILLING = Agent("billing_desk", BILLING_TOOLS, "You answer questions on invoices.", "gpt-4o")

BULK = Agent(
    "bulk_tagger",
    (
        tool("tickets_update_many", "Update up to 100 tickets", ids="integer[]", additional_tags="string[]"),
        tool("show_job_status", "Status of a background job", job_id="string"),
    ),
    "You run bulk changes on tickets.",
    "gpt-4.1-mini",
)

VOICE = Agent(
    "voice_line",
    (
        tool("lookup_caller", "Find a customer by phone", phone="string"),
        tool("lookup_by_order", "Find a customer by order number", order_number="string"),
    ),
    "Je bent de telefonische assistent. Antwoord in korte zinnen.",
    "gpt-4o-realtime-preview",
)

MACROS = Agent(
    "macro_finder",
    (tool("search_macros", "Search macros by text", query="string"),),
    "You find the right macro for an agent.",
    "gpt-4.1-nano",
)

PRIORITY = Agent(
    "escalation_bot",
    (
        GET_TICKET,
        tool(
            "set_priority",
            "Set the priority of a ticket",
            ticket_id="integer",
            priority=["low", "normal", "high", "urgent"],
        ),
    ),
    "You escalate tickets.",
    "claude-sonnet-4-5",
    "anthropic",
)

REPLY = Agent(
    "reply_drafter",
    (CONVERSATION, tool("get_contact", "An Intercom contact", contact_id="string")),
    "You draft replies in the language of the customer.",
    "gpt-4.1-mini",
)

REFUNDS = Agent(
    "refund_desk",
    (
        GET_TICKET,
        tool("get_charge", "A Stripe charge", charge_id="string"),
        tool("create_refund", "Refund a charge", charge="string", amount="integer?", reason="string?"),
    ),
    "You refund charges when the ticket asks for it and the charge allows it.",
    "gpt-4.1",
)


def nothing(query: str) -> Ask:
    return asks(
        call(
            "search_macros",
            {"query": query},
            {"macros": [], "next_page": None, "previous_page": None, "count": 0},
        )
    )


STORIES = (
    Story(
        "tenth_support_comment_on_closed_ticket",
        "vercel_ai",
        DESK,
        (
            user("Add to ticket 48213 that the replacement left our warehouse today."),
            asks(
                call(
                    "zendesk_get_ticket",
                    {"ticket_id": 48213},
                    {
                        "ticket": {
                            "id": 48213,
                            "subject": "Kettle leaks",
                            "status": "closed",
                            "priority": "normal",
                            "tags": ["kettle", "warranty"],
                            "satisfaction_rating": None,
                            "updated_at": "2026-05-02T07:11:09Z",
                        }
                    },
                )
            ),
            asks(
                call(
                    "zendesk_update_ticket",
                    {"ticket_id": 48213, "comment": "The replacement left our warehouse today.", "public": True},
                    {
                        "error": "RecordInvalid",
                        "description": "Record validation errors",
                        "details": {"status": [{"description": "Status: closed prevents ticket update"}]},
                    },
                )
            ),
            answers(
                "Ticket 48213 is closed and Zendesk no longer takes comments on it. You could open a follow-up ticket instead."
            ),
        ),
        failing=("tool_error",),
        why="the only update was refused with RecordInvalid",
    ),
    Story(
        "tenth_support_field_required_when_solving",
        "genai",
        DESK,
        (
            user("Por favor, resolva o ticket 90177, o cliente confirmou que funciona."),
            asks(
                call(
                    "zendesk_update_ticket",
                    {"ticket_id": 90177, "status": "solved", "comment": "Resolvido, obrigado!"},
                    {
                        "error": "RecordInvalid",
                        "description": "Record validation errors",
                        "details": {
                            "base": [
                                {
                                    "description": "Motivo do contato: é necessário(a) para resolver um ticket",
                                    "error": None,
                                    "ticket_field_id": 360008591391,
                                    "ticket_field_type": "FieldTagger",
                                }
                            ]
                        },
                    },
                )
            ),
            asks(
                call(
                    "zendesk_update_ticket",
                    {
                        "ticket_id": 90177,
                        "status": "solved",
                        "comment": "Resolvido, obrigado!",
                        "custom_fields": [{"id": 360008591391, "value": "falha_de_login"}],
                    },
                    {
                        "ticket": {
                            "id": 90177,
                            "status": "solved",
                            "subject": "Erro ao entrar: falha 500",
                            "custom_fields": [{"id": 360008591391, "value": "falha_de_login"}],
                        },
                        "audit": {"id": 2127301143, "ticket_id": 90177, "events": [{"type": "Comment"}]},
                    },
                )
            ),
            answers("Pronto: o ticket 90177 está resolvido, com o motivo “falha de login”."),
        ),
        failing=(),
        why="the required field was added and the same update went through",
    ),
    Story(
        "tenth_support_help_center_on_outages",
        "openinference",
        HELPER,
        (
            user("The app says “Error 503: service unavailable”. Is it me or you?"),
            asks(
                call(
                    "search_help_center",
                    {"query": "error 503 service unavailable", "locale": "en-us", "per_page": 3},
                    {
                        "count": 2,
                        "next_page": None,
                        "page": 1,
                        "page_count": 1,
                        "per_page": 3,
                        "results": [
                            {
                                "id": 8817301,
                                "title": "Error 503: service unavailable",
                                "body": '<h2>What it means</h2><p>Our servers could not process your request. The request failed and was not retried.</p><pre>HTTP/1.1 503 Service Unavailable\n{"error": "upstream connect error or disconnect/reset before headers"}</pre><p>Force-close the app and check status.example.com.</p>',
                                "result_type": "article",
                                "draft": False,
                            },
                            {
                                "id": 8817355,
                                "title": "Post-mortem of the outage on March 3",
                                "body": "<p>From 09:12 to 10:40 UTC all logins failed with an internal error.</p>",
                                "result_type": "article",
                                "draft": False,
                            },
                        ],
                    },
                )
            ),
            answers(
                "It's most likely on our side: a 503 means that our servers could not process the request. Close the app fully, open it again, and have a look at status.example.com."
            ),
        ),
        failing=(),
        why="the articles are about errors; the search itself worked",
    ),
    Story(
        "tenth_support_hand_over_to_person",
        "openllmetry",
        FRONT,
        (
            user(
                "Ich will sofort einen Menschen sprechen, eure Rechnung ist schon wieder falsch! (Gespräch 2154903311)"
            ),
            asks(
                call(
                    "get_conversation",
                    {"conversation_id": "2154903311"},
                    {
                        "type": "conversation",
                        "id": "2154903311",
                        "state": "open",
                        "open": True,
                        "priority": "not_priority",
                        "source": {"type": "conversation", "body": "<p>Rechnung falsch, dritter Versuch!!</p>"},
                        "contacts": {"type": "contact.list", "contacts": [{"type": "contact", "id": "66fa12"}]},
                        "statistics": {"count_reopens": 2, "time_to_assignment": None},
                    },
                )
            ),
            hands_off(BILLING),
            asks(
                call(
                    "list_invoices",
                    {"customer_id": "66fa12", "limit": 3},
                    [{"number": "RE-2026-0811", "total": "148,75 EUR", "status": "open", "dunning_level": 1}],
                )
            ),
            asks(
                call(
                    "request_human",
                    {
                        "team": "billing",
                        "summary": "Kunde bestreitet RE-2026-0811 zum dritten Mal und möchte einen Menschen sprechen.",
                    },
                    {"queued": True, "position": 4, "estimated_wait_seconds": 540, "assignee": None},
                )
            ),
            answers(
                "Das tut mir leid. Eine Kollegin aus der Rechnungsabteilung übernimmt; Sie sind an vierter Stelle, das dauert etwa neun Minuten."
            ),
        ),
        failing=(),
        why="handed to another agent and then to a person, as the customer wished",
    ),
    Story(
        "tenth_support_bulk_job_polled",
        "pydantic_ai",
        BULK,
        (
            user("Tag 31120, 31125 and 31133 with “recall-2026”."),
            asks(
                call(
                    "tickets_update_many",
                    {"ids": [31120, 31125, 31133], "additional_tags": ["recall-2026"]},
                    {
                        "job_status": {
                            "id": "V3-8b726e606741012ffc2d782bcb7848fe",
                            "status": "queued",
                            "total": None,
                            "progress": None,
                            "message": None,
                            "results": None,
                        }
                    },
                )
            ),
            *(
                step
                for _ in range(3)
                for step in (
                    asks(
                        call(
                            "show_job_status",
                            {"job_id": "V3-8b726e606741012ffc2d782bcb7848fe"},
                            {
                                "job_status": {
                                    "id": "V3-8b726e606741012ffc2d782bcb7848fe",
                                    "status": "working",
                                    "total": 3,
                                    "progress": 0,
                                    "message": None,
                                    "results": None,
                                }
                            },
                        )
                    ),
                    pause(5),
                )
            ),
            asks(
                call(
                    "show_job_status",
                    {"job_id": "V3-8b726e606741012ffc2d782bcb7848fe"},
                    {
                        "job_status": {
                            "id": "V3-8b726e606741012ffc2d782bcb7848fe",
                            "status": "completed",
                            "total": 3,
                            "progress": 3,
                            "message": "Completed at 2026-06-10 09:14:02 +0000",
                            "results": [
                                {"id": 31120, "action": "update", "status": "Updated", "success": True},
                                {"id": 31125, "action": "update", "status": "Updated", "success": True},
                                {"id": 31133, "action": "update", "status": "Updated", "success": True},
                            ],
                        }
                    },
                )
            ),
            answers("All three tickets carry “recall-2026” now."),
        ),
        failing=(),
        why="polling of a background job that completed with three updates",
    ),
    Story(
        "tenth_support_voice_caller_unknown",
        "genai_events",
        VOICE,
        (
            user("ja hallo eh met Van Dijk, mijn wasmachine geeft fout E18"),
            asks(
                call(
                    "lookup_caller",
                    {"phone": "+31612345087"},
                    {"match": None, "candidates": [], "message": "No customer found for +31612345087"},
                )
            ),
            answers("Goedemiddag meneer Van Dijk. Ik vind u niet onder dit nummer. Heeft u een bestelnummer voor mij?"),
            user("eh ja wacht... vier vier nul nul zeven een twee"),
            asks(
                call(
                    "lookup_by_order",
                    {"order_number": "4400712"},
                    {
                        "match": {"customer_id": "K-88120", "name": "J. van Dijk"},
                        "order": {"product": "Wasmachine WA-7", "warranty_until": "2027-01-31", "open_errors": ["E18"]},
                    },
                )
            ),
            answers(
                "Dank u, ik heb u gevonden. E18 betekent dat de afvoer verstopt is. Wilt u het filter rechtsonder leegmaken en mij zeggen of de fout weg is?"
            ),
        ),
        failing=(),
        why="an unknown number is nothing found; the agent asked back and found the order; E18 is the machine's fault",
    ),
    Story(
        "tenth_support_macro_searched_in_vain",
        "vercel_ai",
        MACROS,
        (
            user("Which macro do we have for parcels that were delivered to a neighbour who denies it?"),
            nothing("parcel delivered neighbour"),
            nothing("parcel delivered to neighbour"),
            nothing("package delivered neighbour"),
            nothing("package delivered to neighbor"),
            nothing("parcel neighbour denies"),
            nothing("delivered to neighbour denies"),
            nothing("parcel delivered neighbour denied"),
            nothing("parcel delivered to neighbour denied"),
            nothing("delivered neighbour parcel"),
            nothing("neighbour parcel delivered"),
            nothing("neighbor package delivered"),
            nothing("parcel neighbour"),
            nothing("package neighbor"),
            nothing("parcel with neighbour"),
            answers("I found no macro for that."),
        ),
        failing=("tool_efficiency",),
        why="fourteen searches with nearly the same words, all without a result",
    ),
    Story(
        "tenth_support_priority_critical",
        "genai",
        PRIORITY,
        (
            user("Ticket 5512 is a data loss, make it critical."),
            asks(
                call(
                    "set_priority",
                    {"ticket_id": 5512, "priority": "critical"},
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": 'MCP error -32602: Invalid arguments for tool set_priority: [\n  {\n    "received": "critical",\n    "code": "invalid_enum_value",\n    "options": ["low", "normal", "high", "urgent"],\n    "path": ["priority"],\n    "message": "Invalid enum value. Expected \'low\' | \'normal\' | \'high\' | \'urgent\', received \'critical\'"\n  }\n]',
                            }
                        ],
                        "isError": True,
                    },
                )
            ),
            asks(
                call(
                    "set_priority",
                    {"ticket_id": 5512, "priority": "urgent"},
                    {"content": [{"type": "text", "text": "Ticket 5512 updated: priority=urgent"}], "isError": False},
                )
            ),
            answers("Zendesk has no “critical”; I set ticket 5512 to urgent, the highest there is."),
        ),
        failing=("tool_call_validity",),
        why="“critical” is not among the priorities of the schema; the second try was right and worked",
    ),
    Story(
        "tenth_support_reply_is_empty",
        "openllmetry",
        REPLY,
        (
            user("Rédige une réponse pour la conversation 215490."),
            asks(
                call(
                    "get_conversation",
                    {"conversation_id": "215490"},
                    {
                        "type": "conversation",
                        "id": "215490",
                        "state": "open",
                        "source": {"body": "<p>Bonjour, où en est mon remboursement ? Merci</p>"},
                        "contacts": {"contacts": [{"id": "5ba682d2"}]},
                    },
                )
            ),
            asks(
                call(
                    "get_contact",
                    {"contact_id": "5ba682d2"},
                    {"type": "contact", "id": "5ba682d2", "name": "Inès Marchand", "has_hard_bounced": False},
                )
            ),
            answers(""),
        ),
        failing=("run_completion",),
        why="the answer is an empty text",
    ),
    Story(
        "tenth_support_refund_of_failed_order",
        "openinference",
        REFUNDS,
        (
            user("Please handle ticket 7731."),
            asks(
                call(
                    "zendesk_get_ticket",
                    {"ticket_id": 7731},
                    {
                        "ticket": {
                            "id": 7731,
                            "subject": "ERROR!!! payment failed but you took my money",
                            "description": "I got 'Error: transaction failed (code 402)' and still 59.00 is gone. ch_3Qx1",
                            "status": "open",
                        }
                    },
                )
            ),
            asks(
                call(
                    "get_charge",
                    {"charge_id": "ch_3Qx1"},
                    {
                        "id": "ch_3Qx1",
                        "object": "charge",
                        "amount": 5900,
                        "amount_refunded": 0,
                        "captured": True,
                        "dispute": None,
                        "failure_balance_transaction": None,
                        "failure_code": None,
                        "failure_message": None,
                        "paid": True,
                        "refunded": False,
                        "status": "succeeded",
                        "outcome": {"network_status": "approved_by_network", "reason": None, "risk_level": "normal"},
                    },
                )
            ),
            asks(
                call(
                    "create_refund",
                    {"charge": "ch_3Qx1", "reason": "requested_by_customer"},
                    {
                        "id": "re_1Qx9",
                        "object": "refund",
                        "amount": 5900,
                        "charge": "ch_3Qx1",
                        "failure_reason": None,
                        "status": "pending",
                        "reason": "requested_by_customer",
                    },
                )
            ),
            answers("I refunded the 59.00 of ch_3Qx1 (re_1Qx9); it is pending at the bank and takes up to ten days."),
        ),
        failing=(),
        why="only the customer speaks of an error; the failure fields are null and the refund was accepted",
    ),
)
