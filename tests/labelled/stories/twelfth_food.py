"""Groceries, kitchens and deliveries."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, pause, refused, tool, user

__all__ = ["STORIES"]

BARCODE = tool("get_product_by_barcode", "Product of Open Food Facts", code="string", fields="string[]?")
SCANNER = Agent("pantry_scanner", (BARCODE,), "Tu identifies des produits par leur code-barres.", "gpt-4.1-mini")

ORDER_GET = tool("square_retrieve_order", "Retrieve an order", order_id="string")
ORDER_SET = tool("square_update_order", "Update an order", order_id="string", version="integer", note="string")
SQUARE = Agent("counter_assistant", (ORDER_GET, ORDER_SET), "You help at the counter.", "gpt-4.1")

DD_QUOTE = tool(
    "doordash_create_quote",
    "Quote a delivery",
    external_delivery_id="string",
    pickup_address="string",
    dropoff_address="string",
    dropoff_phone_number="string",
    order_value="integer",
)
DASH = Agent("delivery_desk", (DD_QUOTE,), "You arrange deliveries.", "gpt-4o-mini")

TOAST = tool(
    "toast_orders_bulk",
    "Orders of a business day, by page",
    business_date="string",
    page="integer",
    page_size="integer?",
)
TOAST_AGENT = Agent("toast_reporter", (TOAST,), "You report on a restaurant's day.", "gpt-4.1")

STORE = tool("get_store", "A store on Uber Eats", store_id="string")
HOURS = tool("set_holiday_hours", "Set special hours", store_id="string", date="string", closed="boolean")
UBER = Agent("uber_eats_manager", (STORE, HOURS), "You manage stores on Uber Eats.", "gpt-4o")

BULK = tool(
    "update_items_bulk",
    "Set the availability of menu items",
    store_id="string",
    items={
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"id": {"type": "string"}, "suspended": {"type": "boolean"}},
            "required": ["id", "suspended"],
        },
    },
)
MENU = Agent("menu_manager", (BULK,), "You keep menus up to date.", "claude-sonnet-4-5", "anthropic")

SCALE = tool(
    "scale_recipe", "Scale a recipe", recipe_id="string", servings="integer", pan_cm="integer?", metric="boolean?"
)
RECIPES = Agent("recipe_helper", (SCALE,), "Pomagasz w gotowaniu.", "gpt-4o-mini")

INGREDIENTS = tool("get_ingredients", "Ingredients of a dish", dish="string")
ALLERGENS = tool("get_allergens", "Allergens of an ingredient", ingredient="string")
ALLERGY = Agent("allergen_checker", (INGREDIENTS, ALLERGENS), "You check dishes for allergens.", "gpt-4.1-mini")

CLOCK = tool("get_time", "The time of day in the kitchen")
OVEN = tool("get_oven_temperature", "Temperature of the oven")
COOK = Agent("oven_watch", (CLOCK, OVEN), "You watch an oven.", "gpt-4.1-nano")

NAVIGATE = tool("browser_navigate", "Navigate to a URL", url="string")
BROWSER = Agent("lunch_browser", (NAVIGATE,), "You order lunch with a browser.", "gpt-4.1")


def page_of_orders(page: int, count: int) -> list[dict[str, object]]:
    return [
        {
            "guid": f"{page:02d}{number}c-ord",
            "displayNumber": str((page - 1) * 3 + number),
            "approvalStatus": "APPROVED",
            "voided": page == 5 and number == 2,
            "checks": [{"totalAmount": 14.5 + page + number, "paymentStatus": "CLOSED"}],
        }
        for number in range(1, count + 1)
    ]


def snapshot(path: str, title: str, line: str) -> str:
    return (
        f"### Ran Playwright code\n```js\nawait page.goto('https://lunch.example{path}');\n```\n\n### Page\n- Page URL: https://lunch.example{path}\n"
        f'- Page Title: {title}\n- Console: 1 errors, 0 warnings\n\n### Snapshot\n```yaml\n- main [ref=e2]:\n  - heading "{title}" [level=1] [ref=e3]\n  - text: {line}\n```\n'
    )


STORIES = (
    Story(
        "twelfth_food_barcode_not_in_database",
        "openinference",
        SCANNER,
        (
            user("C'est quoi, 3770012345671 ? Je l'ai trouvé au fond du placard."),
            asks(
                call(
                    "get_product_by_barcode",
                    {"code": "3770012345671", "fields": ["product_name", "brands", "allergens_tags"]},
                    {"code": "3770012345671", "status": 0, "status_verbose": "product not found"},
                )
            ),
            answers(
                "Ce code n'est pas dans Open Food Facts. Le préfixe 377 indique une petite marque française ; que dit l'étiquette ?"
            ),
            user("Et 3017620422003 ?"),
            asks(
                call(
                    "get_product_by_barcode",
                    {"code": "3017620422003", "fields": None},
                    {
                        "code": "3017620422003",
                        "status": 1,
                        "status_verbose": "product found",
                        "product": {
                            "product_name": "Nutella",
                            "allergens_tags": ["en:milk", "en:nuts", "en:soybeans"],
                            "data_quality_errors_tags": [],
                        },
                    },
                )
            ),
            answers("Du Nutella : lait, fruits à coque et soja."),
        ),
        failing=(),
        why="the first product is not in the database, which is nothing found; the second was found",
    ),
    Story(
        "twelfth_food_order_version_mismatch",
        "genai_events",
        SQUARE,
        (
            user("Add the note 'no onions' to order CAISEM82RcpmcFBM0TfOyiHV3es."),
            asks(
                call(
                    "square_retrieve_order",
                    {"order_id": "CAISEM82RcpmcFBM0TfOyiHV3es"},
                    {
                        "order": {
                            "id": "CAISEM82RcpmcFBM0TfOyiHV3es",
                            "state": "OPEN",
                            "version": 3,
                            "net_amount_due_money": {"amount": 1890, "currency": "USD"},
                        }
                    },
                )
            ),
            asks(
                call(
                    "square_update_order",
                    {"order_id": "CAISEM82RcpmcFBM0TfOyiHV3es", "version": 3, "note": "no onions"},
                    {
                        "errors": [
                            {
                                "category": "INVALID_REQUEST_ERROR",
                                "code": "VERSION_MISMATCH",
                                "detail": "Object version does not match latest database version.",
                                "field": "version",
                            }
                        ]
                    },
                )
            ),
            asks(
                call(
                    "square_retrieve_order",
                    {"order_id": "CAISEM82RcpmcFBM0TfOyiHV3es"},
                    {
                        "order": {
                            "id": "CAISEM82RcpmcFBM0TfOyiHV3es",
                            "state": "OPEN",
                            "version": 4,
                            "net_amount_due_money": {"amount": 1890, "currency": "USD"},
                        }
                    },
                )
            ),
            asks(
                call(
                    "square_update_order",
                    {"order_id": "CAISEM82RcpmcFBM0TfOyiHV3es", "version": 4, "note": "no onions"},
                    {
                        "order": {
                            "id": "CAISEM82RcpmcFBM0TfOyiHV3es",
                            "state": "OPEN",
                            "version": 5,
                            "note": "no onions",
                        }
                    },
                )
            ),
            answers("Noted: no onions."),
        ),
        failing=(),
        why="the order had changed meanwhile; it was read again and updated",
    ),
    Story(
        "twelfth_food_doordash_phone_invalid",
        "vercel_ai",
        DASH,
        (
            user(
                "Quote a DoorDash run for D-55120: from 901 Market St to 44 Tehama St, both SF, phone 555-0100, order is $38.20."
            ),
            asks(
                call(
                    "doordash_create_quote",
                    {
                        "external_delivery_id": "D-55120",
                        "pickup_address": "901 Market Street, San Francisco, CA 94103",
                        "dropoff_address": "44 Tehama Street, San Francisco, CA 94105",
                        "dropoff_phone_number": "555-0100",
                        "order_value": 3820,
                    },
                    {
                        "field_errors": [
                            {
                                "field": "dropoff_phone_number",
                                "error": "The phone number is not in the E.164 format or not supported",
                            }
                        ],
                        "message": "One or more request values couldn't be validated",
                        "code": "validation_error",
                        "reference": None,
                    },
                )
            ),
            answers(
                "A courier would take about 25 minutes and the fee is usually between $7 and $10. Shall I book it?"
            ),
        ),
        failing=("tool_error",),
        why="the quote was refused with validation_error and not asked for again",
    ),
    Story(
        "twelfth_food_toast_fourteen_pages",
        "openllmetry",
        TOAST_AGENT,
        (
            user("How many orders did we have on September 12, and were any voided?"),
            *(
                asks(
                    call(
                        "toast_orders_bulk",
                        {"business_date": "20260912", "page": number, "page_size": 3},
                        page_of_orders(number, 3),
                    )
                )
                for number in range(1, 14)
            ),
            asks(
                call(
                    "toast_orders_bulk",
                    {"business_date": "20260912", "page": 14, "page_size": 3},
                    page_of_orders(14, 1),
                )
            ),
            answers("40 orders, of which one (number 14) was voided."),
        ),
        failing=(),
        why="fourteen pages of a list, each with orders of its own",
    ),
    Story(
        "twelfth_food_pause_not_offered",
        "pydantic_ai",
        UBER,
        (
            user("Pause the Bay Street store for two hours, fryer is broken."),
            asks(
                call(
                    "get_store",
                    {"store_id": "bay-street"},
                    {"store_id": "bay-street", "status": "ONLINE", "is_order_manager_pending": False},
                )
            ),
            asks(
                refused(
                    "pause_store",
                    {"store_id": "bay-street", "minutes": 120},
                    "Unknown tool name: 'pause_store'. Available tools: 'get_store', 'set_holiday_hours'\n\nFix the errors and try again.",
                )
            ),
            answers("I can't pause a store for two hours. I can only close it for the whole day; do you want that?"),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="pause_store was not offered and is unknown to the framework",
    ),
    Story(
        "twelfth_food_bulk_update_rest_repeated",
        "genai",
        MENU,
        (
            user("86 the salmon, the tuna and the eel at store 0417."),
            asks(
                call(
                    "update_items_bulk",
                    {
                        "store_id": "0417",
                        "items": [
                            {"id": "salmon", "suspended": True},
                            {"id": "tuna", "suspended": True},
                            {"id": "eel", "suspended": True},
                        ],
                    },
                    {
                        "results": [
                            {"id": "salmon", "status": 200},
                            {"id": "tuna", "status": 200},
                            {
                                "id": "eel",
                                "status": 429,
                                "error": {
                                    "code": "rate_limited",
                                    "message": "Too many updates for this store, retry after 10s",
                                },
                            },
                        ],
                        "succeeded": 2,
                        "failed": 1,
                    },
                )
            ),
            pause(11),
            asks(
                call(
                    "update_items_bulk",
                    {"store_id": "0417", "items": [{"id": "eel", "suspended": True}]},
                    {"results": [{"id": "eel", "status": 200}], "succeeded": 1, "failed": 0},
                )
            ),
            answers("Salmon, tuna and eel are off the menu at store 0417."),
        ),
        failing=(),
        why="the one item that was over the rate was updated by a second call",
    ),
    Story(
        "twelfth_food_servings_as_text",
        "vercel_ai",
        RECIPES,
        (
            user("Przelicz szarlotkę (rec_118) na 12 porcji, forma 26 cm."),
            asks(
                call(
                    "scale_recipe",
                    {"recipe_id": "rec_118", "servings": "12", "pan_cm": 26.0, "metric": None},
                    "| Składnik | Ilość |\n|---|---|\n| mąka | 480 g |\n| masło | 300 g |\n| cukier | 180 g |\n| jabłka | 1,8 kg |\n| jajka | 3 |\n",
                )
            ),
            answers("Na 12 porcji: 480 g mąki, 300 g masła, 180 g cukru, 1,8 kg jabłek i 3 jajka."),
        ),
        failing=(),
        why="a number as a text that converts without loss, 26.0 for an integer and null for an optional property; the call worked",
    ),
    Story(
        "twelfth_food_allergens_without_answer",
        "genai",
        ALLERGY,
        (
            user("Can a guest with a sesame allergy have the dan dan noodles?"),
            asks(
                call(
                    "get_ingredients",
                    {"dish": "dan dan noodles"},
                    ["wheat noodles", "minced pork", "zhima jiang", "chili oil", "ya cai"],
                )
            ),
            asks(
                call(
                    "get_allergens",
                    {"ingredient": "zhima jiang"},
                    {"ingredient": "zhima jiang", "allergens": ["sesame"]},
                ),
                call("get_allergens", {"ingredient": "ya cai"}, {"ingredient": "ya cai", "allergens": ["mustard"]}),
            ),
            asks(call("get_allergens", {"ingredient": "chili oil"}, {"ingredient": "chili oil", "allergens": []})),
        ),
        failing=("run_completion",),
        why="the run stopped after its last lookup and the user never got an answer",
    ),
    Story(
        "twelfth_food_clock_and_oven",
        "openllmetry",
        COOK,
        (
            user("Sag Bescheid, wenn der Ofen 220 Grad hat, aber spätestens um 18:45."),
            *(
                step
                for time, degrees in (
                    ("18:41", 215),
                    ("18:41", 215),
                    ("18:41", 215),
                    ("18:42", 215),
                    ("18:42", 216),
                    ("18:43", 221),
                )
                for step in (
                    asks(
                        call("get_time", {}, time),
                        call("get_oven_temperature", {}, {"celsius": degrees, "probe_error": False}),
                    ),
                    pause(20),
                )
            ),
            answers("Der Ofen hat 221 Grad, es ist 18:43."),
        ),
        failing=(),
        why="a clock and a sensor are read until the oven is hot",
    ),
    Story(
        "twelfth_food_browser_back_and_forth",
        "genai_events",
        BROWSER,
        (
            user("Order me a falafel bowl from whichever of Zaatar and Levant delivers sooner."),
            *(
                step
                for _ in range(4)
                for step in (
                    asks(
                        call(
                            "browser_navigate",
                            {"url": "https://lunch.example/zaatar"},
                            snapshot("/zaatar", "Zaatar", "Delivery in 35-45 min"),
                        )
                    ),
                    asks(
                        call(
                            "browser_navigate",
                            {"url": "https://lunch.example/levant"},
                            snapshot("/levant", "Levant", "Delivery in 30-40 min"),
                        )
                    ),
                )
            ),
            answers("Levant is sooner (30 to 40 minutes). I stopped before ordering; shall I go on?"),
        ),
        failing=("tool_efficiency",),
        why="the same two pages were opened in turn four times without anything new",
    ),
)
