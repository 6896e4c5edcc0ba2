"""Help desks, shops and parcels."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, refused, tool, user

__all__ = ["STORIES"]

ZENDESK = Agent(
    "zendesk_triage",
    (
        tool("search_tickets", "Search tickets", query="string", page="integer?"),
        tool("get_ticket", "A ticket with its comments", ticket_id="integer"),
        tool(
            "update_ticket",
            "Update a ticket",
            ticket_id="integer",
            status=["open", "pending", "solved"],
            comment="string?",
            priority="string?",
        ),
    ),
    "You triage tickets of a software maker.",
    "gpt-4o",
)
PARCEL = Agent(
    "sendungsauskunft",
    (
        tool("track_shipment", "Sendungsverfolgung", trackingNumber="string", language="string?"),
        tool("book_redelivery", "Bucht einen neuen Zustelltermin", trackingNumber="string", date="string"),
    ),
    "Du gibst Auskunft über Sendungen.",
    "gpt-4.1-mini",
)
HUBSPOT = Agent(
    "crm_helper",
    (
        tool("hubspot-search-objects", "Search CRM objects", objectType="string", query="string", limit="integer?"),
        tool("hubspot-create-note", "Add a note to a record", objectType="string", objectId="string", body="string"),
    ),
    "You help sales people with the CRM.",
    "claude-sonnet-4-5",
    "anthropic",
)
SHOP = Agent(
    "shop_service",
    (
        tool("get_order", "An order by its name", name="string"),
        tool(
            "order_cancel", "Cancels an order", orderId="string", reason="string", restock="boolean", refund="boolean"
        ),
        tool("create_refund", "Refunds part of an order", order_id="string", amount="number", note="string?"),
    ),
    "You serve customers of a shop for outdoor gear.",
    "gpt-4.1",
)
INTERCOM = Agent(
    "help_center_bot",
    (tool("search_articles", "Search the help center", phrase="string", state="string?"),),
    "You answer from the help center only.",
    "gpt-4o-mini",
)
TELCO = Agent(
    "opérateur_mobile",
    (
        tool("get_subscription", "Un abonnement", msisdn="string"),
        tool("transfer_to_human", "Passe à un conseiller", queue="string", summary="string"),
    ),
    "Vous assistez les clients d'un opérateur mobile.",
    "mistral-large-latest",
    "mistral_ai",
)
NO_ARTICLES = {"type": "list", "total_count": 0, "data": {"articles": [], "highlights": []}, "pages": None}

STORIES = (
    Story(
        "sixteenth_support_error_tickets_triaged",
        "genai",
        ZENDESK,
        (
            user(
                "Are there new tickets on error 0x80070005? Put the oldest one to pending and ask for the build number."
            ),
            asks(
                call(
                    "search_tickets",
                    {"query": "type:ticket status:new 0x80070005", "page": None},
                    {
                        "results": [
                            {
                                "id": 35436,
                                "subject": "Update failed with error 0x80070005",
                                "status": "new",
                                "priority": None,
                                "created_at": "2026-05-04T07:12:44Z",
                                "via": {"channel": "email"},
                            },
                            {
                                "id": 35491,
                                "subject": "ERROR: access denied (0x80070005)",
                                "status": "new",
                                "priority": "high",
                                "created_at": "2026-05-05T16:01:09Z",
                                "via": {"channel": "web"},
                            },
                        ],
                        "facets": None,
                        "next_page": None,
                        "previous_page": None,
                        "count": 2,
                    },
                )
            ),
            asks(
                call(
                    "update_ticket",
                    {
                        "ticket_id": 35436,
                        "status": "pending",
                        "comment": "Which build do you run? You find it under Help > About.",
                    },
                    {
                        "ticket": {
                            "id": 35436,
                            "subject": "Update failed with error 0x80070005",
                            "status": "pending",
                            "updated_at": "2026-05-06T08:00:17Z",
                        },
                        "audit": {
                            "events": [
                                {"type": "Comment", "public": True},
                                {"type": "Change", "field_name": "status", "value": "pending", "previous_value": "new"},
                            ]
                        },
                    },
                )
            ),
            answers(
                "Two: 35436 and 35491. I asked for the build number in 35436, the older one, and set it to pending."
            ),
        ),
        failing=(),
        why="the errors are subjects of tickets; null for the optional page; both calls worked",
    ),
    Story(
        "sixteenth_support_zustellung_gescheitert",
        "genai_events",
        PARCEL,
        (
            user("Wo ist mein Paket 00340434161094042557?"),
            asks(
                call(
                    "track_shipment",
                    {"trackingNumber": "00340434161094042557", "language": "de"},
                    {
                        "shipments": [
                            {
                                "id": "00340434161094042557",
                                "service": "parcel-de",
                                "status": {
                                    "timestamp": "2026-03-11T13:42:00",
                                    "statusCode": "failure",
                                    "status": "Zustellung nicht möglich",
                                    "description": "Der Empfänger wurde nicht angetroffen. Die Sendung wird in die Filiale gebracht.",
                                    "remark": None,
                                },
                                "events": [
                                    {
                                        "timestamp": "2026-03-11T07:55:00",
                                        "statusCode": "transit",
                                        "description": "Die Sendung wurde in das Zustellfahrzeug geladen.",
                                    }
                                ],
                            }
                        ]
                    },
                )
            ),
            answers(
                "Der Bote hat Sie heute um 13:42 Uhr nicht angetroffen. Ihr Paket kommt in die Filiale, die Karte liegt im Briefkasten."
            ),
        ),
        failing=(),
        why="the lookup worked; what failed is the delivery, and that was the question",
    ),
    Story(
        "sixteenth_support_crm_scope_missing",
        "openinference",
        HUBSPOT,
        (
            user("Note on the company Brightwater: they want a call in week 32."),
            asks(
                call(
                    "hubspot-search-objects",
                    {"objectType": "companies", "query": "Brightwater", "limit": 3},
                    {
                        "total": 1,
                        "results": [
                            {
                                "id": "9183304412",
                                "properties": {"name": "Brightwater Ltd", "domain": "brightwater.example"},
                                "archived": False,
                            }
                        ],
                    },
                )
            ),
            asks(
                call(
                    "hubspot-create-note",
                    {"objectType": "companies", "objectId": "9183304412", "body": "Wants a call in week 32."},
                    {
                        "status": "error",
                        "message": "This app hasn't been granted all required scopes to make this call. Read more about required scopes here: https://developers.hubspot.com/scopes.",
                        "correlationId": "5f1c0c4a-3c1e-4a0d-9d61-6f7b2f3ad1f2",
                        "errors": [
                            {
                                "message": "One or more of the following scopes are required.",
                                "context": {"requiredGranularScopes": ["crm.objects.notes.write"]},
                            }
                        ],
                        "category": "MISSING_SCOPES",
                    },
                )
            ),
            answers(
                "I found Brightwater Ltd but may not write notes: the app lacks the scope crm.objects.notes.write. Please ask your admin to grant it."
            ),
        ),
        failing=("tool_error",),
        why="the note was refused for a missing scope and never written",
    ),
    Story(
        "sixteenth_support_ticket_api_throttled_once",
        "vercel_ai",
        ZENDESK,
        (
            user("Close 40112, the customer wrote that it works again."),
            asks(
                call(
                    "get_ticket",
                    {"ticket_id": 40112},
                    fault=Fault(
                        "AI_APICallError",
                        "Request failed with status code 429",
                        "Request failed with status code 429: Number of allowed API requests per minute exceeded. Retry-After: 12",
                    ),
                )
            ),
            asks(
                call(
                    "get_ticket",
                    {"ticket_id": 40112},
                    {
                        "ticket": {"id": 40112, "status": "open", "subject": "No sync since Monday"},
                        "comments": [{"author_id": 771, "plain_body": "Works again since this morning, thank you!"}],
                    },
                )
            ),
            asks(
                call(
                    "update_ticket",
                    {"ticket_id": 40112, "status": "solved", "comment": "Glad to hear that. We close this ticket."},
                    {"ticket": {"id": 40112, "status": "solved"}},
                )
            ),
            answers("Ticket 40112 is solved."),
        ),
        failing=(),
        why="the read was over the rate once and worked at the second try",
    ),
    Story(
        "sixteenth_support_nothing_said_after_order",
        "openllmetry",
        SHOP,
        (
            user("#D-20417: has my tent been shipped? And can I still change the address?"),
            asks(
                call(
                    "get_order",
                    {"name": "#D-20417"},
                    {
                        "data": {
                            "orders": {
                                "nodes": [
                                    {
                                        "id": "gid://shopify/Order/6120441938",
                                        "name": "#D-20417",
                                        "displayFulfillmentStatus": "UNFULFILLED",
                                        "cancelledAt": None,
                                    }
                                ]
                            }
                        },
                        "extensions": {"cost": {"actualQueryCost": 4}},
                    },
                )
            ),
            answers(None),
        ),
        failing=("run_completion",),
        why="the order was read, and then the model said nothing",
    ),
    Story(
        "sixteenth_support_conseiller_demande",
        "pydantic_ai",
        TELCO,
        (
            user("Je veux résilier et parler à quelqu'un, mon numéro est le 06 44 60 12 12."),
            asks(
                call(
                    "get_subscription",
                    {"msisdn": "+33644601212"},
                    {
                        "msisdn": "+33644601212",
                        "offre": "Forfait 80 Go",
                        "engagement_fin": "2026-09-30",
                        "impayes": 0,
                        "motif_suspension": None,
                    },
                )
            ),
            asks(
                call(
                    "transfer_to_human",
                    {"queue": "resiliation", "summary": "Client souhaite résilier, engagement jusqu'au 30/09/2026"},
                    {"status": "queued", "position": 4, "estimated_wait_seconds": 300, "agent": None},
                )
            ),
            answers("Je vous passe un conseiller du service résiliation, il y a environ cinq minutes d'attente."),
        ),
        failing=(),
        why="the customer was handed to a person, as he wished",
    ),
    Story(
        "sixteenth_support_help_center_searched_to_death",
        "genai",
        INTERCOM,
        (
            user("How do I set up SCIM with Keycloak?"),
            *(
                asks(call("search_articles", {"phrase": phrase, "state": "published"}, NO_ARTICLES))
                for phrase in (
                    "SCIM Keycloak",
                    "SCIM with Keycloak",
                    "Keycloak SCIM",
                    "set up SCIM Keycloak",
                    "SCIM Keycloak setup",
                    "SCIM Keycloak set up",
                    "Keycloak SCIM setup",
                    "how to set up SCIM Keycloak",
                    "SCIM setup with Keycloak",
                    "configure SCIM Keycloak",
                    "SCIM Keycloak configuration",
                    "Keycloak SCIM configuration",
                    "configure SCIM with Keycloak",
                    "SCIM configuration Keycloak",
                )
            ),
            answers("Our help center has no article on SCIM with Keycloak."),
        ),
        failing=("tool_efficiency",),
        why="fourteen searches in nearly the same words, all of them without a result",
    ),
    Story(
        "sixteenth_support_refund_amount_in_words",
        "vercel_ai",
        SHOP,
        (
            user("The stove of order #D-19980 came scratched. Give the customer twenty-five euros back."),
            asks(
                call(
                    "get_order",
                    {"name": "#D-19980"},
                    {
                        "data": {
                            "orders": {
                                "nodes": [
                                    {
                                        "id": "gid://shopify/Order/6119002174",
                                        "name": "#D-19980",
                                        "totalPrice": "89.00",
                                        "currency": "EUR",
                                    }
                                ]
                            }
                        }
                    },
                )
            ),
            asks(
                refused(
                    "create_refund",
                    {"order_id": "gid://shopify/Order/6119002174", "amount": "twenty-five euros"},
                    'Invalid input for tool create_refund: Type validation failed: Value: {"order_id":"gid://shopify/Order/6119002174","amount":"twenty-five euros"}.\nError message: [{"code":"invalid_type","expected":"number","received":"string","path":["amount"],"message":"Expected number, received string"}]',
                )
            ),
            asks(
                call(
                    "create_refund",
                    {"order_id": "gid://shopify/Order/6119002174", "amount": 25, "note": "scratched stove"},
                    {
                        "data": {
                            "refundCreate": {
                                "refund": {
                                    "id": "gid://shopify/Refund/929361462",
                                    "totalRefundedSet": {"presentmentMoney": {"amount": "25.00"}},
                                },
                                "userErrors": [],
                            }
                        }
                    },
                )
            ),
            answers("25.00 euros are refunded on order #D-19980."),
        ),
        failing=("tool_call_validity",),
        why="the amount was first written in words where the schema wants a number; the second call was right and worked",
    ),
    Story(
        "sixteenth_support_order_number_asked_for",
        "openinference",
        SHOP,
        (
            user("Where's my order??"),
            answers("I'm happy to look. Could you give me the order number? It starts with #D-."),
            user("#D-20771"),
            asks(
                call(
                    "get_order",
                    {"name": "#D-20771"},
                    {"data": {"orders": {"nodes": []}}, "extensions": {"cost": {"requestedQueryCost": 6}}},
                )
            ),
            answers("I can't find #D-20771. Could you check the number in the confirmation mail?"),
            user("sorry, #D-20717"),
            asks(
                call(
                    "get_order",
                    {"name": "#D-20717"},
                    {
                        "data": {
                            "orders": {
                                "nodes": [
                                    {
                                        "id": "gid://shopify/Order/6120777101",
                                        "name": "#D-20717",
                                        "displayFulfillmentStatus": "FULFILLED",
                                        "fulfillments": [
                                            {"trackingInfo": [{"company": "PostNord", "number": "SE7780112"}]}
                                        ],
                                    }
                                ]
                            }
                        }
                    },
                )
            ),
            answers("It was handed to PostNord, tracking number SE7780112."),
        ),
        failing=(),
        why="it asked back twice, the wrong number found nothing, the right one was found",
    ),
    Story(
        "sixteenth_support_cancel_without_scope",
        "genai_events",
        SHOP,
        (
            user("Please cancel #D-20533, I ordered the wrong size."),
            asks(
                call(
                    "get_order",
                    {"name": "#D-20533"},
                    {
                        "data": {
                            "orders": {
                                "nodes": [
                                    {
                                        "id": "gid://shopify/Order/6120600417",
                                        "name": "#D-20533",
                                        "displayFulfillmentStatus": "UNFULFILLED",
                                    }
                                ]
                            }
                        }
                    },
                )
            ),
            asks(
                call(
                    "order_cancel",
                    {
                        "orderId": "gid://shopify/Order/6120600417",
                        "reason": "CUSTOMER",
                        "restock": True,
                        "refund": True,
                    },
                    {
                        "errors": [
                            {
                                "message": "Access denied for orderCancel field. Required access: `write_orders` access scope.",
                                "locations": [{"line": 1, "column": 12}],
                                "path": ["orderCancel"],
                                "extensions": {"code": "ACCESS_DENIED"},
                            }
                        ],
                        "data": {"orderCancel": None},
                    },
                )
            ),
            answers(
                "I'm afraid I can't cancel the order from here. Please write to orders@dalgear.example before it ships."
            ),
        ),
        failing=("tool_error",),
        why="the cancellation came back with GraphQL errors and the order still stands",
    ),
)
