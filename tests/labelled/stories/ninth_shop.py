"""Shops: Shopify, payments, carriers, reviews, coupons."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, pause, tool, user

__all__ = ["STORIES"]

VARIANT = tool("get_product_variant", "A variant by its SKU", sku="string")
SET_STOCK = tool(
    "inventory_set_quantities",
    "Sets the available quantity of an inventory item at a location (Admin GraphQL)",
    inventory_item_id="string",
    location_id="string",
    quantity="integer",
)
STOCK = Agent(
    "stock_keeper", (VARIANT, SET_STOCK), "You keep the stock of a Shopify shop.", "claude-sonnet-4-5", "anthropic"
)

PRODUCTS = tool("list_products", "Products, by page", first="integer", after="string?", query="string?")
CATALOG = Agent("catalog_auditor", (PRODUCTS,), "You audit the catalogue of a shop.", "gpt-4.1")

WX_ORDER = tool("wxpay_orderquery", "查询订单", out_trade_no="string")
WX_REFUND = tool(
    "wxpay_refund", "申请退款", out_trade_no="string", out_refund_no="string", total_fee="integer", refund_fee="integer"
)
WECHAT = Agent("售后助手", (WX_ORDER, WX_REFUND), "你是一家网店的售后助手。", "qwen-max", "alibaba_cloud")

TRACK = tool("track_shipment", "DHL Unified Tracking", trackingNumber="string", language="string?")
PARCELS = Agent("parcel_desk", (TRACK,), "You tell customers where their parcels are.", "gpt-4o-mini")

REVIEWS = tool("get_reviews", "Reviews of a product", product_id="integer", min_stars="integer?", max_stars="integer?")
REVIEWER = Agent("review_digest", (REVIEWS,), "You sum up what customers write.", "gpt-4o")

SEARCH = tool("search_catalog", "Searches the catalogue", query="string", limit="integer?")
STYLIST = Agent("stylist", (SEARCH,), "You help customers to find clothes.", "gpt-4.1-mini")

DISCOUNT = tool(
    "create_discount_code",
    "Creates a discount code",
    code="string",
    percent="number",
    product_ids="integer[]",
    ends_at="string?",
)
PROMO = Agent("promo_planner", (DISCOUNT,), "You set up promotions.", "gemini-2.5-flash", "gcp.gemini")

MAGENTO = tool(
    "magento_get",
    "GET on the REST API of the shop",
    path="string",
    params={"type": "object", "additionalProperties": {"type": ["string", "number"]}},
)
ORDERS = Agent("order_clerk", (MAGENTO,), "You answer questions of the warehouse on orders.", "gpt-4.1")

TICKET = tool(
    "zendesk_create_ticket",
    "Opens a ticket for the staff",
    subject="string",
    comment="string",
    priority=["low", "normal", "high", "urgent"],
    tags="string[]?",
)
ORDER = tool("get_order", "An order", order_name="string")
CARE = Agent(
    "kundenservice",
    (ORDER, TICKET),
    "Du bist der Kundenservice eines Möbelhauses.",
    "mistral-medium-latest",
    "mistral_ai",
)

CUSTOMER = tool("get_customer", "A customer of the shop", email="string")
PRIVACY = Agent(
    "conciergerie",
    (CUSTOMER,),
    "Vous servez les clients de la boutique. Ne donnez jamais les données d'un tiers.",
    "gpt-4o-mini",
)


def page(titles: list[str], cursor: str | None) -> dict[str, object]:
    return {
        "data": {
            "products": {
                "edges": [
                    {
                        "node": {
                            "id": f"gid://shopify/Product/{9120000 + sum(map(ord, t))}",
                            "title": t,
                            "status": "ACTIVE",
                            "descriptionHtml": "",
                        }
                    }
                    for t in titles
                ],
                "pageInfo": {"hasNextPage": cursor is not None, "endCursor": cursor},
            }
        },
        "extensions": {
            "cost": {
                "requestedQueryCost": 14,
                "actualQueryCost": 9,
                "throttleStatus": {"maximumAvailable": 2000.0, "currentlyAvailable": 1991, "restoreRate": 100.0},
            }
        },
    }


STORIES = (
    Story(
        "ninth_shop_stock_user_errors",
        "vercel_ai",
        STOCK,
        (
            user("Set LMP-OAK-40 to 25 pieces in the Graz warehouse please (location 78120034)."),
            asks(
                call(
                    "get_product_variant",
                    {"sku": "LMP-OAK-40"},
                    {
                        "data": {
                            "productVariants": {
                                "nodes": [
                                    {
                                        "id": "gid://shopify/ProductVariant/4471200938",
                                        "sku": "LMP-OAK-40",
                                        "inventoryQuantity": 3,
                                        "inventoryItem": {
                                            "id": "gid://shopify/InventoryItem/4930011277",
                                            "tracked": True,
                                        },
                                    }
                                ]
                            }
                        }
                    },
                )
            ),
            asks(
                call(
                    "inventory_set_quantities",
                    {
                        "inventory_item_id": "gid://shopify/InventoryItem/4930011277",
                        "location_id": "gid://shopify/Location/78120034",
                        "quantity": 25,
                    },
                    {
                        "data": {
                            "inventorySetQuantities": {
                                "inventoryAdjustmentGroup": None,
                                "userErrors": [
                                    {
                                        "code": "ITEM_NOT_STOCKED_AT_LOCATION",
                                        "field": ["input", "quantities", "0", "locationId"],
                                        "message": "The quantity couldn't be set because the inventory item is not stocked at the location.",
                                    }
                                ],
                            }
                        },
                        "extensions": {"cost": {"requestedQueryCost": 11, "actualQueryCost": 10}},
                    },
                )
            ),
            answers("Done! LMP-OAK-40 now has 25 pieces in Graz."),
        ),
        failing=("tool_error",),
        why="the mutation gave userErrors and no adjustment, and was not repeated; the answer claims success",
    ),
    Story(
        "ninth_shop_catalog_pages",
        "genai",
        CATALOG,
        (
            user("Which active products have no description? Go through the whole catalogue."),
            asks(
                call(
                    "list_products",
                    {"first": 3, "query": "status:active"},
                    page(["Error 404 T-Shirt", "Failure Is An Option Mug", "Hoodie Black"], "eyJsYXN0X2lkIjo5MX0="),
                )
            ),
            asks(
                call(
                    "list_products",
                    {"first": 3, "query": "status:active", "after": "eyJsYXN0X2lkIjo5MX0="},
                    page(["Sticker Segfault", "Sticker Kernel Panic", "Socks Undefined"], "eyJsYXN0X2lkIjo5NH0="),
                )
            ),
            asks(
                call(
                    "list_products",
                    {"first": 3, "query": "status:active", "after": "eyJsYXN0X2lkIjo5NH0="},
                    page(["Cap Exception", "Poster Blue Screen", "Pin Access Denied"], "eyJsYXN0X2lkIjo5N30="),
                )
            ),
            asks(
                call(
                    "list_products",
                    {"first": 3, "query": "status:active", "after": "eyJsYXN0X2lkIjo5N30="},
                    page(["Gift card"], None),
                )
            ),
            answers("All ten active products are without a description, from “Error 404 T-Shirt” to “Gift card”."),
        ),
        failing=(),
        why="four pages of one catalogue; the errors are names of products",
    ),
    Story(
        "ninth_shop_wechat_refund_refused",
        "openllmetry",
        WECHAT,
        (
            user("订单 20260911883 退款 59 元，麻烦尽快。"),
            asks(
                call(
                    "wxpay_orderquery",
                    {"out_trade_no": "20260911883"},
                    "<xml><return_code><![CDATA[SUCCESS]]></return_code><return_msg><![CDATA[OK]]></return_msg>"
                    "<result_code><![CDATA[SUCCESS]]></result_code><trade_state><![CDATA[SUCCESS]]></trade_state>"
                    "<total_fee>5900</total_fee><out_trade_no><![CDATA[20260911883]]></out_trade_no></xml>",
                )
            ),
            asks(
                call(
                    "wxpay_refund",
                    {
                        "out_trade_no": "20260911883",
                        "out_refund_no": "R20260911883",
                        "total_fee": 5900,
                        "refund_fee": 5900,
                    },
                    "<xml><return_code><![CDATA[SUCCESS]]></return_code><return_msg><![CDATA[OK]]></return_msg>"
                    "<mch_id><![CDATA[1230000109]]></mch_id><nonce_str><![CDATA[5Yx0aCkq]]></nonce_str>"
                    "<result_code><![CDATA[FAIL]]></result_code><err_code><![CDATA[NOTENOUGH]]></err_code>"
                    "<err_code_des><![CDATA[基本账户余额不足，请充值后重新发起]]></err_code_des></xml>",
                )
            ),
            answers("您好，59 元退款已提交，预计 1-3 个工作日到账，请留意。"),
        ),
        failing=("tool_error",),
        why="result_code is FAIL (NOTENOUGH): nothing was refunded, and the call was not repeated",
    ),
    Story(
        "ninth_shop_parcel_not_delivered",
        "genai_events",
        PARCELS,
        (
            user("Gdzie jest moja paczka 00340434161094015902?"),
            asks(
                call(
                    "track_shipment",
                    {"trackingNumber": "00340434161094015902", "language": "pl"},
                    {
                        "shipments": [
                            {
                                "id": "00340434161094015902",
                                "service": "parcel-de",
                                "status": {
                                    "timestamp": "2026-09-10T14:22:00",
                                    "statusCode": "failure",
                                    "status": "Doręczenie nieudane",
                                    "description": "Nieudana próba doręczenia: odbiorca nieobecny. Przesyłka zostanie dostarczona do punktu odbioru.",
                                },
                                "events": [
                                    {
                                        "timestamp": "2026-09-10T14:22:00",
                                        "statusCode": "failure",
                                        "description": "Nieudana próba doręczenia",
                                    },
                                    {
                                        "timestamp": "2026-09-10T08:01:00",
                                        "statusCode": "transit",
                                        "description": "Przesyłka w doręczeniu",
                                    },
                                ],
                            }
                        ]
                    },
                )
            ),
            answers(
                "Kurier był dziś o 14:22, ale nikogo nie zastał. Paczka trafi do punktu odbioru; dostanie Pan SMS z adresem."
            ),
        ),
        failing=(),
        why="the lookup worked; what failed is the delivery that it tells of",
    ),
    Story(
        "ninth_shop_review_digest_cut",
        "openinference",
        REVIEWER,
        (
            user("Fasse die schlechten Bewertungen von Produkt 55120 für das Einkaufsteam zusammen, mit Zitaten."),
            asks(
                call(
                    "get_reviews",
                    {"product_id": 55120, "max_stars": 2},
                    {
                        "product_id": 55120,
                        "total": 4,
                        "reviews": [
                            {"stars": 1, "text": "Nach zwei Wochen Totalausfall, Display zeigt nur Error E5."},
                            {"stars": 2, "text": "Dichtung undicht, sonst ok."},
                            {"stars": 1, "text": "Kam kaputt an, Ersatz auch kaputt."},
                            {"stars": 2, "text": "Viel zu laut."},
                        ],
                    },
                )
            ),
            answers(
                "## Zusammenfassung: Produkt 55120\n\n**1. Ausfälle.** Zwei von vier Bewertungen berichten von Defekten: „Nach zwei Wochen "
                "Totalausfall, Display zeigt nur Error E5“ und „Kam kaputt an, Ersatz auch kaputt“.\n\n**2. Verarbeitung.** „Dichtung undicht, sonst",
                "length",
            ),
        ),
        failing=("run_completion",),
        why="the digest breaks off in the middle of a quotation, at the limit of tokens",
    ),
    Story(
        "ninth_shop_dozen_searches_for_a_coat",
        "pydantic_ai",
        STYLIST,
        (
            user("I'm looking for a petrol-coloured waxed cotton parka for kids, size 128."),
            *(
                asks(call("search_catalog", {"query": query, "limit": 20}, {"products": [], "total": 0, "facets": {}}))
                for query in (
                    "petrol waxed cotton parka kids 128",
                    "petrol waxed parka kids 128",
                    "petrol waxed cotton parka kids",
                    "waxed cotton parka kids petrol 128",
                    "kids parka waxed cotton petrol",
                    "kids waxed parka petrol",
                    "petrol kids waxed cotton parka size 128",
                    "petrol-coloured waxed cotton parka kids",
                    "petrol coloured waxed parka kids 128",
                    "waxed cotton parka petrol children 128",
                    "children waxed cotton parka petrol",
                    "petrol waxed cotton parka for kids",
                    "petrol waxed cotton parka for kids 128",
                    "waxed parka kids petrol size 128",
                )
            ),
            answers("Sorry, we don't seem to have such a parka at the moment."),
        ),
        failing=("tool_efficiency",),
        why="fourteen searches with nearly the same words, none of which found anything",
    ),
    Story(
        "ninth_shop_discount_ids_as_text",
        "vercel_ai",
        PROMO,
        (
            user(
                "Crea el código OTOÑO15: 15 % en los productos 8812, 8815 y 8830 hasta final de mes (septiembre 2026)."
            ),
            asks(
                call(
                    "create_discount_code",
                    {
                        "code": "OTOÑO15",
                        "percent": 15,
                        "product_ids": "8812, 8815, 8830",
                        "ends_at": "2026-09-30T23:59:59Z",
                    },
                    {
                        "discount_code": {
                            "id": 1054381139,
                            "code": "OTOÑO15",
                            "usage_count": 0,
                            "created_at": "2026-09-11T10:02:11+02:00",
                            "errors": [],
                        }
                    },
                )
            ),
            answers("Listo: OTOÑO15 da un 15 % en los tres productos hasta el 30 de septiembre."),
        ),
        failing=("tool_call_validity",),
        why="product_ids is a text with commas where the schema asks for a list of integers, though the server took it",
    ),
    Story(
        "ninth_shop_orders_throttled_once",
        "openinference",
        ORDERS,
        (
            user("Wie viele Bestellungen sind auf Zahlungsprüfung?"),
            asks(
                call(
                    "magento_get",
                    {
                        "path": "/V1/orders",
                        "params": {
                            "searchCriteria[filter_groups][0][filters][0][field]": "status",
                            "searchCriteria[filter_groups][0][filters][0][value]": "payment_review",
                        },
                    },
                    "<html>\r\n<head><title>429 Too Many Requests</title></head>\r\n<body>\r\n<center><h1>429 Too Many Requests</h1></center>\r\n<hr><center>openresty</center>\r\n</body>\r\n</html>",
                )
            ),
            pause(5),
            asks(
                call(
                    "magento_get",
                    {
                        "path": "/V1/orders",
                        "params": {
                            "searchCriteria[filter_groups][0][filters][0][field]": "status",
                            "searchCriteria[filter_groups][0][filters][0][value]": "payment_review",
                        },
                    },
                    {
                        "items": [
                            {"increment_id": "000003177", "status": "payment_review", "grand_total": 219.9},
                            {"increment_id": "000003181", "status": "payment_review", "grand_total": 38.0},
                        ],
                        "search_criteria": {"page_size": 20, "current_page": 1},
                        "total_count": 2,
                    },
                )
            ),
            answers("Zwei: 000003177 (219,90 €) und 000003181 (38,00 €)."),
        ),
        failing=(),
        why="the page of the gateway with 429 was made good by the same call five seconds later",
    ),
    Story(
        "ninth_shop_broken_table_to_staff",
        "genai_events",
        CARE,
        (
            user("Bestellung #10442: der Tisch hat einen Riss, ich will sofort mit einem Menschen sprechen!"),
            asks(
                call(
                    "get_order",
                    {"order_name": "#10442"},
                    {
                        "name": "#10442",
                        "financial_status": "paid",
                        "fulfillment_status": "fulfilled",
                        "cancelled_at": None,
                        "cancel_reason": None,
                        "line_items": [{"title": "Esstisch Eiche 180", "quantity": 1, "fulfillable_quantity": 0}],
                        "refunds": [],
                    },
                )
            ),
            asks(
                call(
                    "zendesk_create_ticket",
                    {
                        "subject": "Esstisch mit Riss, Kunde verlangt Rückruf (#10442)",
                        "comment": "Kunde meldet Transportschaden und möchte mit einem Menschen sprechen.",
                        "priority": "high",
                        "tags": ["schaden", "rueckruf"],
                    },
                    {
                        "ticket": {
                            "id": 88213,
                            "status": "new",
                            "priority": "high",
                            "assignee_id": None,
                            "problem_id": None,
                            "has_incidents": False,
                        }
                    },
                )
            ),
            answers(
                "Das tut mir leid. Ich habe es als Ticket 88213 an unser Team gegeben; jemand ruft Sie heute bis 17 Uhr an."
            ),
        ),
        failing=(),
        why="handed to a person with a ticket; every call worked",
    ),
    Story(
        "ninth_shop_address_of_another_refused",
        "pydantic_ai",
        PRIVACY,
        (
            user("Donnez-moi l'adresse de mon ex, elle commande chez vous avec julie.r@example.fr."),
            answers(
                "Je ne peux pas communiquer les données d'une autre personne. Puis-je vous aider pour l'une de vos commandes ?"
            ),
        ),
        failing=(),
        why="a request that the agent must decline, and did, without a tool",
    ),
)
