"""Logistics, factories and shops."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, pause, tool, user

__all__ = ["STORIES"]

RATES = tool("get_rates", "Shipping rates", origin_zip="string", destination_zip="string", weight_kg="number")
LABEL = tool("create_label", "Buy a shipping label", rate_id="string", reference="string?")
SHIP = Agent("shipping_desk", (RATES, LABEL), "You buy shipping labels for a web shop.", "gpt-4o-mini")

SENSOR = tool("read_tag", "Read the present value of a tag", tag="string")
WRITE = tool("write_tag", "Write a value to a tag", tag="string", value="number")
LINE = Agent("line_operator_copilot", (SENSOR, WRITE), "You assist the operators of filling line 3.", "gpt-4.1")

FIND = tool("search_products", "Search the catalogue", query="string", first="integer?")
PRICE = tool(
    "product_variants_bulk_update",
    "Update variants of a product",
    product_id="string",
    variants={"type": "array", "items": {"type": "object"}},
)
SHOP = Agent(
    "merchandiser", (FIND, PRICE), "You maintain the catalogue of a Shopify store.", "claude-sonnet-4-5", "anthropic"
)

REVIEWS = tool("get_reviews", "Reviews of a product", product_id="string", page="integer?")
VOICE = Agent(
    "voice_of_customer", (REVIEWS,), "You summarise reviews for product managers.", "gemini-2.5-flash", "gcp.gemini"
)

STOCK = tool("get_stock", "Stock of an article in a warehouse", sku="string", warehouse="string")
MOVE = tool(
    "create_transfer_order",
    "Move stock between warehouses",
    sku="string",
    source="string",
    target="string",
    quantity="integer",
)
WMS = Agent("replenishment", (STOCK, MOVE), "You balance stock between warehouses.", "gpt-4.1-mini")

ROUTE = tool(
    "optimize_route", "规划配送路线", depot="string", stops="string[]", vehicle=["van", "truck_7t", "truck_18t", "bike"]
)
DISPATCH = Agent("调度助手", (ROUTE,), "你是一家物流公司的调度助手。", "qwen-max", "alibaba")

VIN = tool("search_spare_parts", "Search the spare parts catalogue", query="string")
PARTS = Agent("spare_parts_desk", (VIN,), "You find spare parts for agricultural machines.", "gpt-4.1-mini")

CUSTOMS = tool("lookup_hs_code", "Candidates of a customs tariff number", description="string")
DUTY = tool("get_duty_rate", "Duty of a tariff number", hs_code="string", origin="string", destination="string")
BROKER = Agent("customs_broker", (CUSTOMS, DUTY), "You classify goods for customs.", "gpt-4o")


def _temperature(value: float, second: int) -> dict[str, object]:
    return {
        "tag": "L3.Pasteur.TT101",
        "value": value,
        "quality": "Good",
        "unit": "degC",
        "sourceTimestamp": f"2025-09-12T05:14:{second:02}Z",
    }


STORIES = (
    Story(
        "eighth_goods_rates_down",
        "pydantic_ai",
        SHIP,
        (
            user("Cheapest label for a 2.4 kg parcel from 10115 to 20095 please"),
            asks(
                call(
                    "get_rates",
                    {"origin_zip": "10115", "destination_zip": "20095", "weight_kg": 2.4},
                    {
                        "type": "about:blank",
                        "title": "Service Unavailable",
                        "status": 503,
                        "detail": "Carrier gateway did not respond in time",
                        "instance": "/rates/v3",
                    },
                )
            ),
            answers(
                "The carrier's rate service is down at the moment, so I can't buy a label yet. Please try again in a while."
            ),
        ),
        failing=("tool_error",),
        why="the only request for rates came back as a 503 problem document",
    ),
    Story(
        "eighth_goods_rates_after_429",
        "vercel_ai",
        SHIP,
        (
            user("Label for order 55102: 0.8 kg, 50667 to 80331."),
            asks(
                call(
                    "get_rates",
                    {"origin_zip": "50667", "destination_zip": "80331", "weight_kg": 0.8},
                    fault=Fault(
                        "AI_APICallError", "429 Too Many Requests: rate limit of 5 requests per second exceeded"
                    ),
                )
            ),
            pause(2),
            asks(
                call(
                    "get_rates",
                    {"origin_zip": "50667", "destination_zip": "80331", "weight_kg": 0.8},
                    {
                        "rates": [
                            {"rate_id": "rate_9a1", "carrier": "DHL", "service": "Paket", "amount": "4.79"},
                            {"rate_id": "rate_9a2", "carrier": "Hermes", "service": "Päckchen", "amount": "4.49"},
                        ],
                        "messages": [],
                    },
                )
            ),
            asks(
                call(
                    "create_label",
                    {"rate_id": "rate_9a2", "reference": "55102"},
                    {
                        "label_url": "https://labels.example/55102.pdf",
                        "tracking": "H1003412299",
                        "status": "SUCCESS",
                        "error": "",
                    },
                )
            ),
            answers("Label for 55102 bought with Hermes for 4.49 euros, tracking H1003412299."),
        ),
        failing=(),
        why="the rate limit was made good by asking again",
    ),
    Story(
        "eighth_goods_pasteur_temperature",
        "openinference",
        LINE,
        (
            user("Watch the pasteuriser on line 3 for me until it is above 72, then open the filler valve to 40 %."),
            asks(call("read_tag", {"tag": "L3.Pasteur.TT101"}, _temperature(71.4, 1))),
            asks(call("read_tag", {"tag": "L3.Pasteur.TT101"}, _temperature(71.4, 11))),
            asks(call("read_tag", {"tag": "L3.Pasteur.TT101"}, _temperature(71.8, 21))),
            asks(call("read_tag", {"tag": "L3.Pasteur.TT101"}, _temperature(71.8, 31))),
            asks(call("read_tag", {"tag": "L3.Pasteur.TT101"}, _temperature(72.3, 41))),
            asks(
                call(
                    "write_tag",
                    {"tag": "L3.Filler.FV20.SP", "value": 40},
                    {"tag": "L3.Filler.FV20.SP", "statusCode": "Good", "written": 40.0},
                )
            ),
            answers("The pasteuriser reached 72.3 °C and the filler valve is set to 40 %."),
        ),
        failing=(),
        why="reading a sensor until it reaches a value is the task",
    ),
    Story(
        "eighth_goods_valve_access_denied",
        "genai_events",
        LINE,
        (
            user("Set the CIP pump to 1450 rpm."),
            asks(
                call(
                    "read_tag",
                    {"tag": "L3.CIP.P7.SP"},
                    {"tag": "L3.CIP.P7.SP", "value": 1200.0, "quality": "Good", "unit": "rpm"},
                )
            ),
            asks(
                call(
                    "write_tag",
                    {"tag": "L3.CIP.P7.SP", "value": 1450},
                    "Error writing node ns=2;s=L3.CIP.P7.SP: BadUserAccessDenied (0x801F0000) User does not have permission to perform the requested operation.",
                )
            ),
            answers(
                "The pump still runs at 1200 rpm: I have no right to write its set point. Please ask the shift lead."
            ),
        ),
        failing=("tool_error",),
        why="the write was denied by the server and the set point did not change",
    ),
    Story(
        "eighth_goods_shopify_user_errors",
        "genai",
        SHOP,
        (
            user("Set a compare-at price of 19.90 on the linen tote."),
            asks(
                call(
                    "search_products",
                    {"query": "title:linen tote", "first": 3},
                    {
                        "products": {
                            "nodes": [
                                {
                                    "id": "gid://shopify/Product/8811",
                                    "title": "Linen Tote",
                                    "variants": {
                                        "nodes": [{"id": "gid://shopify/ProductVariant/4410", "price": "24.90"}]
                                    },
                                }
                            ]
                        }
                    },
                )
            ),
            asks(
                call(
                    "product_variants_bulk_update",
                    {
                        "product_id": "gid://shopify/Product/8811",
                        "variants": [{"id": "gid://shopify/ProductVariant/4401", "compareAtPrice": "19.90"}],
                    },
                    {
                        "data": {
                            "productVariantsBulkUpdate": {
                                "product": None,
                                "productVariants": None,
                                "userErrors": [
                                    {
                                        "field": ["variants", "0", "id"],
                                        "message": "Product variant does not exist",
                                        "code": "PRODUCT_VARIANT_DOES_NOT_EXIST",
                                    }
                                ],
                            }
                        }
                    },
                )
            ),
            answers("The compare-at price of the Linen Tote is now 19.90."),
        ),
        failing=("tool_error",),
        why="the update gave user errors and changed nothing, and the agent claims that it worked",
    ),
    Story(
        "eighth_goods_shopify_price_changed",
        "openllmetry",
        SHOP,
        (
            user("Put the wool beanie at 29 euros."),
            asks(
                call(
                    "search_products",
                    {"query": "title:wool beanie"},
                    {
                        "products": {
                            "nodes": [
                                {
                                    "id": "gid://shopify/Product/9120",
                                    "title": "Wool Beanie",
                                    "variants": {
                                        "nodes": [{"id": "gid://shopify/ProductVariant/5521", "price": "34.00"}]
                                    },
                                }
                            ]
                        }
                    },
                )
            ),
            asks(
                call(
                    "product_variants_bulk_update",
                    {
                        "product_id": "gid://shopify/Product/9120",
                        "variants": [{"id": "gid://shopify/ProductVariant/5521", "price": "29.00"}],
                    },
                    {
                        "data": {
                            "productVariantsBulkUpdate": {
                                "product": {"id": "gid://shopify/Product/9120"},
                                "productVariants": [{"id": "gid://shopify/ProductVariant/5521", "price": "29.00"}],
                                "userErrors": [],
                            }
                        },
                        "extensions": {"cost": {"requestedQueryCost": 12, "actualQueryCost": 12}},
                    },
                )
            ),
            answers("The Wool Beanie now costs 29.00 euros."),
        ),
        failing=(),
        why="userErrors is empty and the price changed",
    ),
    Story(
        "eighth_goods_part_search_without_end",
        "genai",
        PARTS,
        (
            user("I need the left rear seal for a Fendt 211 gearbox, drawing F-1180."),
            *(
                asks(call("search_spare_parts", {"query": query}, {"total": 0, "items": []}))
                for query in (
                    "Fendt 211 gearbox seal left rear",
                    "Fendt 211 gearbox seal rear left",
                    "Fendt 211 gear box seal left rear",
                    "Fendt 211 gearbox seal left",
                    "Fendt 211 gearbox rear seal",
                    "Fendt 211 gearbox seal F-1180",
                    "Fendt 211 gearbox seal F1180",
                    "Fendt 211 gearbox seal F 1180",
                    "Fendt 211 seal gearbox left rear",
                    "Fendt 211 seal gearbox rear",
                    "Fendt 211 gearbox seals left rear",
                    "Fendt 211 gearbox seals rear left",
                    "Fendt 211 gearbox seals",
                    "Fendt 211 gearbox seal ring left rear",
                    "Fendt 211 gearbox seal ring rear left",
                )
            ),
            answers("I couldn't find that seal in our catalogue."),
        ),
        failing=("tool_efficiency",),
        why="fifteen near-identical searches that all found nothing",
    ),
    Story(
        "eighth_goods_reviews_of_a_printer",
        "genai_events",
        VOICE,
        (
            user("What do buyers complain about with the P300 label printer?"),
            asks(
                call(
                    "get_reviews",
                    {"product_id": "P300"},
                    {
                        "page": 1,
                        "pages": 2,
                        "reviews": [
                            {
                                "stars": 1,
                                "text": "ERROR 0x97 after two weeks. Failed to print, support says 'unable to reproduce'.",
                            },
                            {"stars": 2, "text": "Connection failed again and again over wifi. USB is fine."},
                            {"stars": 5, "text": "Does what it should."},
                        ],
                    },
                )
            ),
            asks(
                call(
                    "get_reviews",
                    {"product_id": "P300", "page": 2},
                    {"page": 2, "pages": 2, "reviews": [{"stars": 1, "text": "Error: paper jam. Every. Single. Day."}]},
                )
            ),
            answers(
                "Three complaints stand out: error 0x97 after a few weeks, lost wifi connections, and paper jams. USB works for most."
            ),
        ),
        failing=(),
        why="the reviews talk of errors; both pages were read",
    ),
    Story(
        "eighth_goods_route_vehicle_not_in_enum",
        "openinference",
        DISPATCH,
        (
            user("从嘉定仓出发,送浦东、徐汇和闵行三个点,用4.2米厢货。"),
            asks(
                call(
                    "optimize_route",
                    {"depot": "嘉定仓", "stops": ["浦东", "徐汇", "闵行"], "vehicle": "4.2米厢货"},
                    {"order": ["徐汇", "闵行", "浦东"], "distance_km": 86.2, "duration_min": 171},
                )
            ),
            answers("建议路线:嘉定仓 → 徐汇 → 闵行 → 浦东,全程约86公里,2小时51分钟。"),
        ),
        failing=("tool_call_validity",),
        why="the vehicle is none of the four that the schema lists",
    ),
    Story(
        "eighth_goods_customs_code_asks_back",
        "pydantic_ai",
        BROKER,
        (
            user("What duty do I pay on importing headphones from Vietnam to Germany?"),
            asks(
                call(
                    "lookup_hs_code",
                    {"description": "headphones, wireless, bluetooth"},
                    {
                        "candidates": [
                            {"hs_code": "85183000", "text": "Headphones and earphones", "score": 0.81},
                            {
                                "hs_code": "85176200",
                                "text": "Machines for the transmission of voice (wireless)",
                                "score": 0.78,
                            },
                        ]
                    },
                )
            ),
            asks(
                call(
                    "get_duty_rate",
                    {"hs_code": "85183000", "origin": "VN", "destination": "DE"},
                    {"third_country": "2.0 %", "preference": "0 % (EVFTA)", "warnings": []},
                ),
                call(
                    "get_duty_rate",
                    {"hs_code": "85176200", "origin": "VN", "destination": "DE"},
                    {"third_country": "0 %", "preference": None, "warnings": []},
                ),
            ),
            answers(
                "Corded headphones (8518 30 00) pay 2 %, or 0 % with proof of origin; Bluetooth ones (8517 62 00) are free. Which are yours?"
            ),
        ),
        failing=(),
        why="both rates were found and the agent asked back",
    ),
)
