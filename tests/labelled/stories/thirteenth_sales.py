"""CRM, shops, quotes, parcels and campaigns."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, tool, unanswered, user

__all__ = ["STORIES"]

HUBSPOT = Agent(
    "crm_assistant",
    (
        tool(
            "hubspot-batch-create-objects",
            "Create multiple CRM objects",
            objectType="string",
            inputs={"type": "array", "items": {"type": "object"}, "minItems": 1, "maxItems": 100},
        ),
        tool(
            "hubspot-search-objects",
            "Search CRM objects",
            objectType="string",
            query="string?",
            limit="integer?",
            after="string?",
            properties="string[]?",
        ),
        tool("hubspot-list-properties", "List the properties of an object type", objectType="string"),
    ),
    "You keep the CRM of a B2B vendor clean.",
    "gpt-4.1",
)

SALESFORCE = Agent(
    "lead_router",
    (
        tool("salesforce_query", "Run a SOQL query", query="string"),
        tool("salesforce_create_record", "Create a record", sobject="string", fields={"type": "object"}),
    ),
    "You turn web inquiries into leads.",
    "claude-sonnet-4-5",
    "anthropic",
)

SHOPIFY = Agent(
    "shop_operator",
    (
        tool("graphql_admin", "Run a query of the Shopify Admin API", query="string", variables={"type": "object"}),
        tool("search_products", "Search products of the shop", query="string", first="integer?"),
    ),
    "You operate a shop on Shopify.",
    "gpt-4o",
)

DHL = Agent(
    "sendungsauskunft",
    (tool("track_shipment", "Verfolgt eine DHL-Sendung", trackingNumber="string", language="string?"),),
    "Du gibst Auskunft zu Sendungen.",
    "gpt-4.1-mini",
)

MAIL = Agent(
    "campaign_agent",
    (
        tool("get_audience", "An audience of Mailchimp", list_id="string"),
        tool("create_campaign", "Create a regular campaign", list_id="string", subject="string", from_name="string"),
        tool("schedule_campaign", "Schedule a campaign", campaign_id="string", schedule_time="string"),
    ),
    "You prepare newsletters.",
    "gpt-4o",
)

QUOTE = Agent(
    "quote_desk",
    (
        tool("find_price", "List price of an article", sku="string"),
        tool(
            "create_quote",
            "Create a quote",
            customer_no="string",
            lines={
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"sku": {"type": "string"}, "quantity": {"type": "integer"}},
                    "required": ["sku", "quantity"],
                    "additionalProperties": False,
                },
            },
            discount_percent="number",
        ),
    ),
    "You write quotes for machine parts.",
    "mistral-large-latest",
    "mistral_ai",
)

RETURNS = Agent(
    "service_client",
    (
        tool("get_order", "Une commande", order_number="string"),
        tool("create_return", "Un retour", order_number="string"),
    ),
    "Vous répondez aux clients. Les articles sur mesure ne sont ni repris ni remboursés.",
    "gpt-4o-mini",
)


def _deals(first: int, after: str | None) -> dict[str, object]:
    page = {
        "total": 7,
        "results": [
            {
                "id": str(8800112200 + n),
                "properties": {
                    "dealname": f"Renewal {2020 + n}",
                    "dealstage": "closedlost",
                    "amount": str(4000 + 10 * n),
                },
                "archived": False,
            }
            for n in range(first, min(first + 3, 7))
        ],
    }
    return page | ({"paging": {"next": {"after": after, "link": f"?after={after}"}}} if after else {})


STORIES = (
    Story(
        "thirteenth_sales_contact_property_corrected",
        "pydantic_ai",
        HUBSPOT,
        (
            user("Add Rosa Lindqvist, rosa@fjordteknik.example, lifecycle stage lead, to HubSpot."),
            asks(
                call(
                    "hubspot-batch-create-objects",
                    {
                        "objectType": "contacts",
                        "inputs": [
                            {
                                "properties": {
                                    "email": "rosa@fjordteknik.example",
                                    "firstname": "Rosa",
                                    "lifecyclestage": "Leads",
                                }
                            }
                        ],
                    },
                    '{"status":"error","message":"Property values were not valid: [{\\"isValid\\":false,\\"message\\":\\"Leads was '
                    'not one of the allowed options: [label: \\\\\\"Lead\\\\\\" value: \\\\\\"lead\\\\\\"]\\",\\"error\\":'
                    '\\"INVALID_OPTION\\",\\"name\\":\\"lifecyclestage\\"}]","correlationId":"0be1f6c1-67d2-4f0a-9a61-2f2f6ad0c6e1",'
                    '"category":"VALIDATION_ERROR"}',
                )
            ),
            asks(
                call(
                    "hubspot-batch-create-objects",
                    {
                        "objectType": "contacts",
                        "inputs": [
                            {
                                "properties": {
                                    "email": "rosa@fjordteknik.example",
                                    "firstname": "Rosa",
                                    "lastname": "Lindqvist",
                                    "lifecyclestage": "lead",
                                }
                            }
                        ],
                    },
                    {
                        "status": "COMPLETE",
                        "results": [
                            {
                                "id": "151904822117",
                                "properties": {"email": "rosa@fjordteknik.example", "lifecyclestage": "lead"},
                                "archived": False,
                            }
                        ],
                        "startedAt": "2026-05-04T08:12:09.118Z",
                        "completedAt": "2026-05-04T08:12:09.377Z",
                    },
                )
            ),
            answers("Rosa Lindqvist is in HubSpot as a lead (contact 151904822117)."),
        ),
        failing=(),
        why="the invalid option was corrected and the same tool created the contact",
    ),
    Story(
        "thirteenth_sales_lead_duplicate_value",
        "openinference",
        SALESFORCE,
        (
            user("New inquiry: Tom Abara, tom.abara@kestrelpumps.example, Kestrel Pumps. Please create the lead."),
            asks(
                call(
                    "salesforce_create_record",
                    {
                        "sobject": "Lead",
                        "fields": {
                            "FirstName": "Tom",
                            "LastName": "Abara",
                            "Company": "Kestrel Pumps",
                            "Email_Unique__c": "tom.abara@kestrelpumps.example",
                        },
                    },
                    [
                        {
                            "message": "duplicate value found: Email_Unique__c duplicates value on record with id: 00QUW00000eiR46",
                            "errorCode": "DUPLICATE_VALUE",
                            "fields": [],
                        }
                    ],
                )
            ),
            answers("The lead for Tom Abara at Kestrel Pumps has been created."),
        ),
        failing=("tool_error",),
        why="Salesforce refused the record with an error code and the agent says that it was created",
    ),
    Story(
        "thirteenth_sales_variant_price_second_try",
        "genai_events",
        SHOPIFY,
        (
            user("Set the price of the walnut lamp to 89 euro."),
            asks(
                call(
                    "search_products",
                    {"query": "title:walnut lamp", "first": 5},
                    {
                        "products": [
                            {"id": "gid://shopify/Product/9031", "variants": ["gid://shopify/ProductVariant/4471"]}
                        ]
                    },
                )
            ),
            asks(
                call(
                    "graphql_admin",
                    {
                        "query": "mutation($id: ID!, $v: [ProductVariantsBulkInput!]!) { productVariantsBulkUpdate(productId: $id, variants: $v) { productVariants { id price } userErrors { field message } } }",
                        "variables": {
                            "id": "gid://shopify/Product/9031",
                            "v": [{"id": "gid://shopify/ProductVariant/447", "price": "89.00"}],
                        },
                    },
                    {
                        "data": {
                            "productVariantsBulkUpdate": {
                                "productVariants": None,
                                "userErrors": [
                                    {"field": ["variants", "0", "id"], "message": "Product variant does not exist"}
                                ],
                            }
                        }
                    },
                )
            ),
            asks(
                call(
                    "graphql_admin",
                    {
                        "query": "mutation($id: ID!, $v: [ProductVariantsBulkInput!]!) { productVariantsBulkUpdate(productId: $id, variants: $v) { productVariants { id price } userErrors { field message } } }",
                        "variables": {
                            "id": "gid://shopify/Product/9031",
                            "v": [{"id": "gid://shopify/ProductVariant/4471", "price": "89.00"}],
                        },
                    },
                    {
                        "data": {
                            "productVariantsBulkUpdate": {
                                "productVariants": [{"id": "gid://shopify/ProductVariant/4471", "price": "89.00"}],
                                "userErrors": [],
                            }
                        },
                        "extensions": {
                            "cost": {"requestedQueryCost": 10, "throttleStatus": {"currentlyAvailable": 1990}}
                        },
                    },
                )
            ),
            answers("The walnut lamp now costs €89.00."),
        ),
        failing=(),
        why="the wrong variant id was put right and the price was written",
    ),
    Story(
        "thirteenth_sales_products_named_after_errors",
        "openllmetry",
        SHOPIFY,
        (
            user("Which developer shirts do we have in stock?"),
            asks(
                call(
                    "search_products",
                    {"query": "tag:developer inventory_total:>0"},
                    {
                        "products": [
                            {"title": "404 Shirt Not Found", "status": "ACTIVE", "totalInventory": 41},
                            {
                                "title": "Segmentation fault (core dumped) – black",
                                "status": "ACTIVE",
                                "totalInventory": 7,
                            },
                            {"title": "Error: coffee is null", "status": "ACTIVE", "totalInventory": 112},
                        ],
                        "userErrors": [],
                        "pageInfo": {"hasNextPage": False},
                    },
                )
            ),
            answers(
                "Three: “404 Shirt Not Found” (41), “Segmentation fault” in black (7) and “Error: coffee is null” (112)."
            ),
        ),
        failing=(),
        why="the words are the names of products and the list of errors is empty",
    ),
    Story(
        "thirteenth_sales_parcel_delivery_unsuccessful",
        "vercel_ai",
        DHL,
        (
            user("Wo bleibt mein Paket 00340434161094042557?"),
            asks(
                call(
                    "track_shipment",
                    {"trackingNumber": "00340434161094042557", "language": "de"},
                    {
                        "shipments": [
                            {
                                "id": "00340434161094042557",
                                "service": "parcel-de",
                                "origin": {"address": {"countryCode": "DE"}},
                                "status": {
                                    "timestamp": "2026-04-16T12:43:00",
                                    "location": {"address": {"addressLocality": "Kassel"}},
                                    "statusCode": "failure",
                                    "status": "Zustellung nicht erfolgreich",
                                    "description": "Der Empfänger wurde nicht angetroffen. Die Sendung wird in die Filiale gebracht.",
                                },
                                "events": [
                                    {
                                        "timestamp": "2026-04-16T08:02:00",
                                        "statusCode": "transit",
                                        "status": "In Zustellung",
                                    },
                                    {
                                        "timestamp": "2026-04-15T17:20:00",
                                        "statusCode": "transit",
                                        "status": "Im Paketzentrum bearbeitet",
                                    },
                                ],
                            }
                        ]
                    },
                )
            ),
            answers(
                "Heute um 12:43 Uhr wurde in Kassel niemand angetroffen. Das Paket liegt in der Filiale, Sie können es dort abholen."
            ),
        ),
        failing=(),
        why="the lookup worked; that the delivery was unsuccessful is what it tells",
    ),
    Story(
        "thirteenth_sales_campaign_never_scheduled",
        "openinference",
        MAIL,
        (
            user("Plan the May newsletter “New in the garden” for 5 May, 9:00, list a6b5da1054."),
            asks(
                call(
                    "get_audience",
                    {"list_id": "a6b5da1054"},
                    {
                        "id": "a6b5da1054",
                        "name": "Garden friends",
                        "stats": {"member_count": 5312, "cleaned_count": 88},
                    },
                )
            ),
            asks(
                call(
                    "create_campaign",
                    {"list_id": "a6b5da1054", "subject": "New in the garden", "from_name": "Gärtnerei Lohse"},
                    {"id": "42694e9e57", "type": "regular", "status": "save", "emails_sent": 0},
                )
            ),
            asks(
                unanswered(
                    "schedule_campaign", {"campaign_id": "42694e9e57", "schedule_time": "2026-05-05T07:00:00+00:00"}
                ),
                text="I'll schedule it for 9:00 now.",
            ),
        ),
        failing=("run_completion",),
        why="the scheduling was asked for and never ran, and the user got no answer",
    ),
    Story(
        "thirteenth_sales_same_query_again_and_again",
        "genai",
        SALESFORCE,
        (
            user("Does Halvorsen Marine have an open opportunity?"),
            *(
                asks(
                    call(
                        "salesforce_query",
                        {
                            "query": "SELECT Id, Name, StageName FROM Opportunity WHERE Account.Name = 'Halvorsen Marine' AND IsClosed = false"
                        },
                        {"totalSize": 0, "done": True, "records": []},
                    )
                )
                for _ in range(4)
            ),
            answers("Halvorsen Marine has no open opportunity."),
        ),
        failing=("tool_efficiency",),
        why="the very same query ran four times in a row and gave the same empty result",
    ),
    Story(
        "thirteenth_sales_lost_deals_paged",
        "pydantic_ai",
        HUBSPOT,
        (
            user("List all renewals that we lost."),
            asks(
                call(
                    "hubspot-search-objects",
                    {
                        "objectType": "deals",
                        "query": "Renewal",
                        "limit": 3,
                        "properties": ["dealname", "dealstage", "amount"],
                    },
                    _deals(0, "3"),
                )
            ),
            asks(
                call(
                    "hubspot-search-objects",
                    {
                        "objectType": "deals",
                        "query": "Renewal",
                        "limit": 3,
                        "after": "3",
                        "properties": ["dealname", "dealstage", "amount"],
                    },
                    _deals(3, "6"),
                )
            ),
            asks(
                call(
                    "hubspot-search-objects",
                    {
                        "objectType": "deals",
                        "query": "Renewal",
                        "limit": 3,
                        "after": "6",
                        "properties": ["dealname", "dealstage", "amount"],
                    },
                    _deals(6, None),
                )
            ),
            answers("Seven renewals are closed lost, Renewal 2020 to Renewal 2026, each about 4,000."),
        ),
        failing=(),
        why="three pages of one search, each with other deals",
    ),
    Story(
        "thirteenth_sales_discount_in_words",
        "openllmetry",
        QUOTE,
        (
            user("Quote for customer 70412: twelve bearings 6204-2RS with the usual discount, ten percent."),
            asks(
                call(
                    "find_price",
                    {"sku": "6204-2RS"},
                    "6204-2RS | Deep groove ball bearing 20x47x14 | EUR 7.40 | stock 318",
                )
            ),
            asks(
                call(
                    "create_quote",
                    {
                        "customer_no": "70412",
                        "lines": [{"sku": "6204-2RS", "quantity": "a dozen"}],
                        "discount_percent": "ten",
                    },
                    "Quote AN-2026-00871 created for customer 70412 (1 line).",
                )
            ),
            answers("Quote AN-2026-00871 is ready: twelve bearings 6204-2RS with ten percent discount."),
        ),
        failing=("tool_call_validity",),
        why="quantity and discount are words where the schema asks for numbers",
    ),
    Story(
        "thirteenth_sales_custom_item_not_returned",
        "genai_events",
        RETURNS,
        (
            user(
                "Je veux rendre mes rideaux sur mesure, commande 55821, et être remboursé. La couleur ne me plaît plus."
            ),
            answers(
                "Je comprends votre déception. Malheureusement, les articles confectionnés sur mesure ne peuvent être ni repris "
                "ni remboursés. Je peux en revanche vous proposer dix pour cent sur une nouvelle commande. Cela vous conviendrait-il ?"
            ),
        ),
        failing=(),
        why="the request was declined by the rules of the shop, which is an answer",
    ),
)
