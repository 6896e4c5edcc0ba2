"""Shops, parcels and customers."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, hosted, model_fails, pause, tool, user

__all__ = ["STORIES"]

ORDER = tool("get_order", "Get an order by its name", name="string")
REFUND = tool("refund_create", "Refund line items of an order", order_id="string", amount="string", note="string?")
SHOPIFY = Agent("shop_support", (ORDER, REFUND), "You support the customers of a shop that runs on Shopify.", "gpt-4o")

CATALOG = tool("search_catalog", "Full text search of products", query="string", limit="integer?")
FINDER = Agent("product_finder", (CATALOG,), "You find products for customers.", "gpt-4o-mini")

TRACK = tool("track_shipment", "Tracking of a parcel", tracking_number="string")
PARCEL = Agent("paket_hilfe", (TRACK,), "Du hilfst Kunden bei Fragen zu ihrer Sendung.", "gpt-4.1-mini")

PRODUCT = tool("get_product", "A product", sku="string")
COPY = Agent("copy_writer", (PRODUCT,), "You write product texts.", "claude-sonnet-4-5", "anthropic")

PRICES = tool("get_price", "Price of an SKU", sku="string")
SET_PRICE = tool("set_price", "Change the price of an SKU", sku="string", price="number")
PRICING = Agent("pricing_agent", (PRICES, SET_PRICE), "You maintain prices. Changes need the approval of a person.")

RETURN = tool(
    "create_return",
    "Open a return",
    order_id="string",
    reason=["damaged", "wrong_item", "not_as_described", "changed_mind"],
    quantity="integer",
)
RETURNS = Agent("devoluciones", (RETURN,), "Gestionas devoluciones de una tienda de ropa.", "gpt-4.1-mini")

STOCK = tool("wc_update_product", "Update a product", id="integer", stock_quantity="integer")
WOO = Agent("woo_stock", (STOCK,), "You keep the stock of a WooCommerce shop.", "gpt-4.1-mini")

REVIEWS = tool("list_reviews", "Reviews of a product", sku="string", page="integer?")
VOICE = Agent("review_digest", (REVIEWS,), "You sum up reviews.", "claude-haiku-4-5", "anthropic")

COMPARE = Agent("price_watch", (PRICES,), "You compare our prices with the market.", "gpt-5-mini")

STORIES = (
    Story(
        "fifteenth_store_order_on_its_way",
        "genai",
        SHOPIFY,
        (
            user("where's my order #1043?"),
            asks(
                call(
                    "get_order",
                    {"name": "#1043"},
                    {
                        "data": {
                            "orders": {
                                "nodes": [
                                    {
                                        "id": "gid://shopify/Order/5571190",
                                        "name": "#1043",
                                        "displayFinancialStatus": "PAID",
                                        "displayFulfillmentStatus": "FULFILLED",
                                        "cancelReason": None,
                                        "fulfillments": [
                                            {"status": "SUCCESS", "trackingInfo": [{"number": "1Z999AA10123456784"}]}
                                        ],
                                    }
                                ]
                            }
                        },
                        "extensions": {"cost": {"requestedQueryCost": 6, "actualQueryCost": 5}},
                    },
                )
            ),
            answers("Order #1043 has shipped with UPS, tracking number 1Z999AA10123456784."),
        ),
        failing=(),
        why="the order was read and the question answered",
    ),
    Story(
        "fifteenth_store_refund_user_errors",
        "genai_events",
        SHOPIFY,
        (
            user("Refund 89 euros on #1066, the lamp arrived broken."),
            asks(
                call(
                    "get_order",
                    {"name": "#1066"},
                    {
                        "data": {
                            "orders": {
                                "nodes": [
                                    {
                                        "id": "gid://shopify/Order/5571377",
                                        "name": "#1066",
                                        "totalPriceSet": {"shopMoney": {"amount": "89.00"}},
                                    }
                                ]
                            }
                        }
                    },
                )
            ),
            asks(
                call(
                    "refund_create",
                    {"order_id": "gid://shopify/Order/5571377", "amount": "89.00", "note": "broken lamp"},
                    {
                        "data": {
                            "refundCreate": {
                                "refund": None,
                                "userErrors": [
                                    {
                                        "field": ["transactions"],
                                        "message": "Refund amount cannot be greater than the refundable amount",
                                    }
                                ],
                            }
                        }
                    },
                )
            ),
            answers(
                "I could not refund the 89 euros: Shopify says that the amount exceeds what is refundable on #1066."
            ),
        ),
        failing=("tool_error",),
        why="the refund is null, the mutation came back with userErrors, and no other refund was made",
    ),
    Story(
        "fifteenth_store_fourteen_spellings",
        "openinference",
        FINDER,
        (
            user("Do you have a replacement carafe for the Brewmaster 300?"),
            *(
                asks(
                    call(
                        "search_catalog",
                        {"query": query},
                        {"hits": [], "nbHits": 0, "page": 0, "nbPages": 0, "query": query},
                    )
                )
                for query in (
                    "Brewmaster 300 carafe",
                    "carafe Brewmaster 300",
                    "Brewmaster 300 replacement carafe",
                    "replacement carafe Brewmaster 300",
                    "Brewmaster 300 carafes",
                    "Brewmaster-300 carafe",
                    "Brewmaster300 carafe",
                    "carafe for Brewmaster 300",
                    "carafe for the Brewmaster 300",
                    "Brewmaster 300 carafe replacement",
                    "brewmaster 300 carafe",
                    "BREWMASTER 300 CARAFE",
                    "Brewmaster 300 spare carafe",
                    "spare carafe Brewmaster 300",
                )
            ),
            answers("I found no carafe for the Brewmaster 300 in our catalog."),
        ),
        failing=("tool_efficiency",),
        why="fourteen nearly equal searches, all without a hit",
    ),
    Story(
        "fifteenth_store_zustellung_erfolglos",
        "openllmetry",
        PARCEL,
        (
            user("Wo bleibt mein Paket 00340434161094042557?"),
            asks(
                call(
                    "track_shipment",
                    {"tracking_number": "00340434161094042557"},
                    {
                        "shipments": [
                            {
                                "id": "00340434161094042557",
                                "service": "parcel-de",
                                "status": {
                                    "timestamp": "2026-03-04T13:12:00",
                                    "statusCode": "failure",
                                    "status": "Zustellung nicht erfolgreich",
                                    "description": "Der Empfänger wurde nicht angetroffen. Die Sendung wird in die Filiale gebracht.",
                                },
                                "details": {"product": {"productName": "DHL PAKET"}},
                            }
                        ]
                    },
                )
            ),
            answers(
                "Gestern um 13:12 Uhr hat der Bote Sie nicht angetroffen. Das Paket liegt ab morgen in Ihrer Filiale."
            ),
        ),
        failing=(),
        why="the tracking worked; what failed is the delivery that it reports",
    ),
    Story(
        "fifteenth_store_product_text_cut_off",
        "vercel_ai",
        COPY,
        (
            user("Write the long product text for SKU TENT-4P, 400 words."),
            asks(
                call(
                    "get_product",
                    {"sku": "TENT-4P"},
                    {"sku": "TENT-4P", "title": "Fjordhaven 4", "persons": 4, "weight_g": 5400, "waterColumn_mm": 4000},
                )
            ),
            answers(
                "The Fjordhaven 4 is the tent for families who do not want to choose between room and weight. Its two bedrooms are separated by a living area that is high enough to stand in, and its outer tent, tested to a water column of",
                "length",
            ),
        ),
        failing=("run_completion",),
        why="the text ends in the middle of a sentence at the limit of tokens",
    ),
    Story(
        "fifteenth_store_price_change_waits",
        "pydantic_ai",
        PRICING,
        (
            user("Put MUG-BLU down to 7.90 please"),
            asks(call("get_price", {"sku": "MUG-BLU"}, {"sku": "MUG-BLU", "price": 9.9, "currency": "EUR"})),
            asks(call("set_price", {"sku": "MUG-BLU", "price": 7.9}, is_answered=False, deferral="ApprovalRequired")),
        ),
        failing=(),
        why="the change waits for the approval of a person",
    ),
    Story(
        "fifteenth_store_motivo_fuera_de_lista",
        "genai",
        RETURNS,
        (
            user("Quiero devolver la chaqueta del pedido 88213, me queda pequeña."),
            asks(
                call(
                    "create_return",
                    {"order_id": "88213", "reason": "too_small", "quantity": 1},
                    'Error: Invalid arguments for tool create_return: [\n  {\n    "code": "invalid_enum_value",\n    "options": ["damaged", "wrong_item", "not_as_described", "changed_mind"],\n    "path": ["reason"],\n    "message": "Invalid enum value"\n  }\n]',
                )
            ),
            asks(
                call(
                    "create_return",
                    {"order_id": "88213", "reason": "changed_mind", "quantity": 1},
                    {"return_id": "RMA-5520", "status": "OPEN", "label_url": "https://etiquetas.example/RMA-5520.pdf"},
                )
            ),
            answers(
                "He abierto la devolución RMA-5520. Aquí tiene la etiqueta: https://etiquetas.example/RMA-5520.pdf"
            ),
        ),
        failing=("tool_call_validity",),
        why="the first reason is not one that the schema allows; the second call made the return",
    ),
    Story(
        "fifteenth_store_woo_stock_after_timeout",
        "openinference",
        WOO,
        (
            user("Set the stock of product 794 to 12."),
            asks(
                call(
                    "wc_update_product",
                    {"id": 794, "stock_quantity": 12},
                    fault=Fault(
                        "requests.exceptions.ReadTimeout",
                        "HTTPSConnectionPool(host='shop.example', port=443): Read timed out. (read timeout=5)",
                    ),
                    ms=5004,
                )
            ),
            asks(
                call(
                    "wc_update_product",
                    {"id": 794, "stock_quantity": 12},
                    {
                        "id": 794,
                        "name": "Wool socks",
                        "status": "publish",
                        "stock_quantity": 12,
                        "stock_status": "instock",
                        "backorders": "no",
                        "date_on_sale_from": None,
                    },
                )
            ),
            answers("Product 794 (Wool socks) now has a stock of 12."),
        ),
        failing=(),
        why="the update timed out once and worked when it was repeated",
    ),
    Story(
        "fifteenth_store_review_digest_overloaded",
        "vercel_ai",
        VOICE,
        (
            user("What do people dislike about KETTLE-2?"),
            asks(
                call(
                    "list_reviews",
                    {"sku": "KETTLE-2", "page": 1},
                    {
                        "reviews": [
                            {"stars": 1, "text": "Stopped working after a week, error light E4 blinks"},
                            {"stars": 2, "text": "The lid fails to close"},
                        ],
                        "page": 1,
                        "pages": 2,
                    },
                )
            ),
            model_fails("AI_APICallError", "Overloaded"),
            pause(2),
            model_fails("AI_APICallError", "Overloaded"),
            pause(4),
            asks(
                call(
                    "list_reviews",
                    {"sku": "KETTLE-2", "page": 2},
                    {"reviews": [{"stars": 2, "text": "Loud, and the lid again"}], "page": 2, "pages": 2},
                )
            ),
            answers(
                "Mostly the lid, which does not close well. One kettle broke within a week with error light E4, and one customer finds it loud."
            ),
        ),
        failing=(),
        why="the model was overloaded twice and then answered; the errors stand in reviews",
    ),
    Story(
        "fifteenth_store_market_price_searched",
        "pydantic_ai",
        COMPARE,
        (
            user("Is our price for the Aeropress Go still competitive?"),
            asks(call("get_price", {"sku": "AERO-GO"}, {"sku": "AERO-GO", "price": 39.9, "currency": "EUR"})),
            answers(
                "Our 39.90 is in the middle: the two offers that I found are 37.95 and 42.00.",
                hosted=(
                    hosted(
                        "web_search",
                        {"query": "Aeropress Go price EUR"},
                        [
                            {
                                "type": "web_search_result",
                                "title": "Aeropress Go 37,95 €",
                                "url": "https://kaffee.example/go",
                                "page_age": None,
                            },
                            {
                                "type": "web_search_result",
                                "title": "Aeropress Go – 42,00 €",
                                "url": "https://rost.example/aeropress",
                                "page_age": "3 days ago",
                            },
                        ],
                    ),
                ),
            ),
        ),
        failing=(),
        why="the provider ran the web search, which need not be offered as a function",
    ),
)
