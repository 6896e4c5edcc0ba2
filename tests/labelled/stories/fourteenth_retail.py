"""Shops, carriers, feeds and payments."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, hosted, refused, tool, user

__all__ = ["STORIES"]

LOOKUP_VARIANT = tool("find_variant", "Find a product variant by SKU", sku="string")
ADJUST = tool(
    "inventory_adjust_quantities",
    "Adjust inventory by a delta",
    inventory_item_id="string",
    location_id="string",
    delta="integer",
    reason=["correction", "damaged", "received", "shrinkage"],
)
SHOPIFY = Agent("stock_keeper", (LOOKUP_VARIANT, ADJUST), "You keep the stock of a Shopify store.", "gpt-4.1")

CART = tool("get_cart", "The current cart", cart_id="string")
ADDRESS = tool(
    "set_shipping_address", "Set the shipping address", cart_id="string", city="string", postal_code="string"
)
NOTE = tool("set_gift_note", "Set the note that is printed on the gift card", cart_id="string", text="string")
CHECKOUT = Agent("checkout_helper", (CART, ADDRESS, NOTE), "You help people through the checkout.", "gpt-4.1-mini")

CATALOG = tool("search_products", "Full text search in the catalogue", query="string", hitsPerPage="integer?")
SHOES = Agent("schoenen_adviseur", (CATALOG,), "Je adviseert klanten van een schoenenwinkel.", "gpt-4o-mini")

BUY_LABELS = tool("buy_shipping_labels", "Buys postage for shipments", shipment_ids="string[]", carrier="string?")
RETURNS = Agent("returns_desk", (BUY_LABELS,), "You buy return labels.", "gpt-4.1")

TIERS = tool("get_tier_rules", "Rules of the loyalty programme", programme="string")
LOYALTY = Agent("loyalty_analyst", (TIERS,), "You explain loyalty points.", "claude-sonnet-4-5", "anthropic")

HOURS = tool("get_store_hours", "Opening hours of a store", store="string")
ORDER = tool("find_order", "Find an order by its number", number="string")
VOICE = Agent(
    "winkel_telefoon", (HOURS, ORDER), "Je beantwoordt de telefoon van een winkelketen. Houd het kort.", "gpt-4o"
)

FETCH_FEED = tool("download_feed", "Downloads a product feed", url="string")
CHECK_FEED = tool(
    "validate_merchant_feed",
    "Validates a feed against the Merchant Center specification",
    feed_id="string",
    country="string",
)
FEEDS = Agent("feed_watch", (FETCH_FEED, CHECK_FEED), "Du prüfst Produktdaten.", "gpt-4.1-mini")

EXPORT = tool("get_refunds", "Refunds of a month", month="string")
BOOKS = Agent("refund_reporter", (EXPORT,), "You write reports for the finance team.", "gpt-4.1-nano")

RESERVE = tool(
    "reserve_stock",
    "Reserves pieces of an article",
    sku="string",
    qty="integer",
    store_id="string?",
    hold_hours="number?",
)
CLICK = Agent(
    "click_and_collect", (RESERVE,), "Tu réserves des articles en magasin.", "mistral-large-latest", "mistral_ai"
)

CHARGES = tool(
    "list_charges", "List charges", created_gte="string", status=["succeeded", "pending", "failed"], limit="integer?"
)
PAYMENTS = Agent("payments_analyst", (CHARGES,), "You look into payments.", "gpt-4.1")

BASKET = {
    "cart": {
        "id": "cart_01K8ZT4",
        "currency_code": "eur",
        "items": [{"id": "cali_01K8ZT6", "title": "Teapot, cast iron", "quantity": 1, "unit_price": 5900}],
        "promotions": [],
        "total": 6390,
        "completed_at": None,
    }
}


def nothing(query: str) -> dict[str, object]:
    return {
        "hits": [],
        "nbHits": 0,
        "page": 0,
        "nbPages": 0,
        "hitsPerPage": 20,
        "exhaustiveNbHits": True,
        "query": query,
        "params": "hitsPerPage=20",
        "processingTimeMS": 1,
    }


STORIES = (
    Story(
        "fourteenth_retail_adjustment_only_looks_done",
        "genai",
        SHOPIFY,
        (
            user("Two MUG-BLUE-03 broke in the Leith shop, please take them out of the stock."),
            asks(
                call(
                    "find_variant",
                    {"sku": "MUG-BLUE-03"},
                    {
                        "data": {
                            "productVariants": {
                                "nodes": [
                                    {
                                        "id": "gid://shopify/ProductVariant/44120937718",
                                        "sku": "MUG-BLUE-03",
                                        "inventoryItem": {"id": "gid://shopify/InventoryItem/46220133"},
                                        "inventoryQuantity": 19,
                                    }
                                ]
                            }
                        }
                    },
                )
            ),
            asks(
                call(
                    "inventory_adjust_quantities",
                    {
                        "inventory_item_id": "gid://shopify/InventoryItem/46220133",
                        "location_id": "gid://shopify/Location/leith",
                        "delta": -2,
                        "reason": "damaged",
                    },
                    {
                        "data": {
                            "inventoryAdjustQuantities": {
                                "inventoryAdjustmentGroup": None,
                                "userErrors": [
                                    {
                                        "field": ["input", "changes", "0", "locationId"],
                                        "message": "The specified location could not be found.",
                                        "code": "INVALID_LOCATION",
                                    }
                                ],
                            }
                        },
                        "extensions": {"cost": {"requestedQueryCost": 11, "actualQueryCost": 10}},
                    },
                )
            ),
            answers("Done. I've taken two MUG-BLUE-03 out of the Leith shop, which leaves 17."),
        ),
        failing=("tool_error",),
        why="the adjustment came back with a user error and nothing was adjusted, whatever the answer says",
    ),
    Story(
        "fourteenth_retail_cart_looked_at_after_each_change",
        "vercel_ai",
        CHECKOUT,
        (
            user("Ship it to 4051 Basel and put 'Alles Gute, Oma!' on the card. Does the total stay the same?"),
            asks(call("get_cart", {"cart_id": "cart_01K8ZT4"}, BASKET)),
            asks(
                call(
                    "set_shipping_address",
                    {"cart_id": "cart_01K8ZT4", "city": "Basel", "postal_code": "4051"},
                    {"id": "cart_01K8ZT4", "updated": True},
                )
            ),
            asks(call("get_cart", {"cart_id": "cart_01K8ZT4"}, BASKET)),
            asks(
                call(
                    "set_gift_note",
                    {"cart_id": "cart_01K8ZT4", "text": "Alles Gute, Oma!"},
                    {"id": "cart_01K8ZT4", "updated": True},
                )
            ),
            asks(call("get_cart", {"cart_id": "cart_01K8ZT4"}, BASKET)),
            answers("Yes, the total stays at 63.90 euros. The teapot goes to 4051 Basel with your note on the card."),
        ),
        failing=(),
        why="the cart was read again after each of two changes, to see whether the total stays",
    ),
    Story(
        "fourteenth_retail_shoe_never_found",
        "genai_events",
        SHOES,
        (
            user("Hebben jullie waterdichte wandelschoenen in maat 52?"),
            *(
                asks(call("search_products", {"query": query}, nothing(query)))
                for query in (
                    "waterdichte wandelschoenen maat 52",
                    "waterdichte wandelschoen maat 52",
                    "wandelschoenen waterdicht maat 52",
                    "wandelschoen waterdicht 52",
                    "waterdichte wandelschoenen 52",
                    "waterdichte wandelschoenen mt 52",
                    "waterdichte wandelschoenen mt. 52",
                    "wandelschoenen waterdicht mt 52",
                    "waterdichte wandelschoenen size 52",
                    "wandelschoenen maat 52 waterdicht",
                    "wandelschoen maat 52 waterdicht",
                    "waterdichte wandelschoenen heren maat 52",
                    "wandelschoenen heren waterdicht maat 52",
                    "waterdichte wandelschoenen heren 52",
                )
            ),
            answers("Helaas, wandelschoenen in maat 52 heb ik niet gevonden. Zal ik naar maat 50 kijken?"),
        ),
        failing=("tool_efficiency",),
        why="fourteen searches with nearly the same words, all without a hit",
    ),
    Story(
        "fourteenth_retail_third_label_bought_later",
        "openinference",
        RETURNS,
        (
            user("Buy the return labels for shp_a71, shp_b02 and shp_c88 with UPS."),
            asks(
                call(
                    "buy_shipping_labels",
                    {"shipment_ids": ["shp_a71", "shp_b02", "shp_c88"], "carrier": "UPS"},
                    {
                        "id": "batch_6f2b",
                        "object": "Batch",
                        "state": "purchase_failed",
                        "num_shipments": 3,
                        "status": {"postage_purchased": 2, "postage_purchase_failed": 1},
                        "shipments": [
                            {"id": "shp_a71", "batch_status": "postage_purchased", "batch_message": None},
                            {"id": "shp_b02", "batch_status": "postage_purchased", "batch_message": None},
                            {
                                "id": "shp_c88",
                                "batch_status": "postage_purchase_failed",
                                "batch_message": "Unable to buy: carrier rate limit exceeded, please retry",
                            },
                        ],
                    },
                )
            ),
            asks(
                call(
                    "buy_shipping_labels",
                    {"shipment_ids": ["shp_c88"], "carrier": "UPS"},
                    {
                        "id": "batch_6f2c",
                        "object": "Batch",
                        "state": "purchased",
                        "num_shipments": 1,
                        "status": {"postage_purchased": 1, "postage_purchase_failed": 0},
                        "shipments": [{"id": "shp_c88", "batch_status": "postage_purchased", "batch_message": None}],
                    },
                )
            ),
            answers("All three labels are bought: two at once, and shp_c88 at the second try."),
        ),
        failing=(),
        why="the shipment that failed in the batch was bought by a second call of the same tool",
    ),
    Story(
        "fourteenth_retail_points_computed_by_provider",
        "genai",
        LOYALTY,
        (
            user("I spent 412.90, 18.20 and 1,077 this year. How many points until Gold?"),
            asks(
                call(
                    "get_tier_rules",
                    {"programme": "circle"},
                    "tier,points_needed,points_per_eur\nSilver,500,1\nGold,2000,1\nPlatinum,6000,1.5\n",
                )
            ),
            answers(
                "You have 1,507 points (full euros of each purchase), so 493 are missing for Gold.",
                hosted=(
                    hosted(
                        "code_execution",
                        {
                            "code": "import math\np = sum(math.floor(x) for x in (412.90, 18.20, 1077))\nprint(p, 2000 - p)"
                        },
                        {
                            "type": "code_execution_result",
                            "stdout": "1507 493\n",
                            "stderr": "",
                            "return_code": 0,
                            "content": [],
                        },
                    ),
                ),
            ),
        ),
        failing=(),
        why="the rules were read and the provider's interpreter computed the rest",
    ),
    Story(
        "fourteenth_retail_caller_cannot_be_connected",
        "pydantic_ai",
        VOICE,
        (
            user("Kunt u me doorverbinden met de winkel in Breda?"),
            asks(
                refused(
                    "transfer_call_to_store",
                    {"store": "Breda"},
                    "Unknown tool name: 'transfer_call_to_store'. Available tools: 'get_store_hours', 'find_order'",
                )
            ),
            answers("Doorverbinden lukt me helaas niet. Kan ik u met iets anders helpen?"),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="the model called a tool that does not exist, and was told so",
    ),
    Story(
        "fourteenth_retail_feed_has_findings",
        "openllmetry",
        FEEDS,
        (
            user("Prüf bitte unseren Feed für Österreich, https://shop.example/feeds/at.xml"),
            asks(
                call(
                    "download_feed",
                    {"url": "https://shop.example/feeds/at.xml"},
                    '{"feed_id":"fd_2209","bytes":1840233,"items":1204}',
                )
            ),
            asks(
                call(
                    "validate_merchant_feed",
                    {"feed_id": "fd_2209", "country": "AT"},
                    '<?xml version="1.0" encoding="UTF-8"?>\n<feedReport feed="fd_2209" country="AT" valid="false">\n'
                    '  <summary items="1204" errors="3" warnings="18"/>\n'
                    '  <error line="88" code="validation/missing_required" attribute="g:gtin">Missing required attribute</error>\n'
                    '  <error line="412" code="validation/invalid_price" attribute="g:price">Invalid value "12,90 EUR"</error>\n'
                    '  <error line="977" code="image/fetch_failed" attribute="g:image_link">HTTP 404</error>\n</feedReport>',
                )
            ),
            answers(
                "Drei Fehler: Zeile 88 ohne GTIN, Zeile 412 mit Komma im Preis (12,90 EUR), Zeile 977 mit totem Bildlink. Dazu 18 Warnungen."
            ),
        ),
        failing=(),
        why="the validator worked; that the feed is invalid is what it found",
    ),
    Story(
        "fourteenth_retail_refund_report_stops",
        "genai_events",
        BOOKS,
        (
            user("Write up all refunds above 200 euros in September, one paragraph each."),
            asks(
                call(
                    "get_refunds",
                    {"month": "2026-09"},
                    "order;date;amount;reason\n10233;2026-09-02;249.00;defective\n10377;2026-09-11;312.50;late\n10402;2026-09-15;799.00;wrong item\n",
                )
            ),
            answers(
                "Order 10233 (2 September, 249.00 euros). The customer reported a defect on arrival and sent the device back. "
                "We refunded the full price.\n\nOrder 10377 (11 September, 312.50 euros). The parcel arrived nine days after the "
                "promised date, and the customer",
                "length",
            ),
        ),
        failing=("run_completion",),
        why="the report is cut off by the limit of tokens in its second of three paragraphs",
    ),
    Story(
        "fourteenth_retail_quantity_as_text",
        "openllmetry",
        CLICK,
        (
            user("Mettez-moi trois lampes LMP-204 de côté à Lyon Part-Dieu, s'il vous plaît."),
            asks(
                call(
                    "reserve_stock",
                    {"sku": "LMP-204", "qty": "3", "store_id": "LYS-02", "hold_hours": None},
                    {
                        "success": True,
                        "reservation": {
                            "id": "RSV-77120",
                            "sku": "LMP-204",
                            "qty": 3,
                            "store": "LYS-02",
                            "expires_at": "2026-10-09T19:00:00+02:00",
                        },
                        "error": None,
                        "warnings": [],
                    },
                )
            ),
            answers(
                "C'est fait : trois lampes LMP-204 vous attendent à Lyon Part-Dieu jusqu'à demain 19 h (RSV-77120)."
            ),
        ),
        failing=(),
        why='"3" converts to the integer without loss, null stands for an optional property, and the pieces were reserved',
    ),
    Story(
        "fourteenth_retail_failed_charges_are_asked_for",
        "openinference",
        PAYMENTS,
        (
            user("Which card payments failed since yesterday noon, and why?"),
            asks(
                call(
                    "list_charges",
                    {"created_gte": "2026-10-07T12:00:00Z", "status": "failed", "limit": 10},
                    {
                        "object": "list",
                        "url": "/v1/charges",
                        "has_more": False,
                        "data": [
                            {
                                "id": "ch_3SFa1",
                                "amount": 4590,
                                "status": "failed",
                                "failure_code": "card_declined",
                                "failure_message": "Your card has insufficient funds.",
                                "outcome": {"network_status": "declined_by_network", "type": "issuer_declined"},
                            },
                            {
                                "id": "ch_3SFb8",
                                "amount": 12900,
                                "status": "failed",
                                "failure_code": "expired_card",
                                "failure_message": "Your card has expired.",
                                "outcome": {"network_status": "declined_by_network", "type": "issuer_declined"},
                            },
                        ],
                    },
                )
            ),
            answers("Two: ch_3SFa1 over 45.90 (insufficient funds) and ch_3SFb8 over 129.00 (card expired)."),
        ),
        failing=(),
        why="the user asked for failed charges, and the list of them came back",
    ),
)
