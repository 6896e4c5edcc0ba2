"""Customer service of a shop; labelled from the spans alone."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, tool, user

__all__ = ["STORIES"]

RETAIL_SYSTEM = (
    "You are the assistant of an online shop. Identify the customer first, by email or by name and zip code."
)
FIND_USER = tool("find_user_id_by_email", "Find a customer by email.", email="string")
ORDER = tool("get_order_details", "Get an order.", order_id="string")
EXCHANGE = tool(
    "exchange_delivered_order_items",
    "Exchange items of a delivered order.",
    order_id="string",
    item_ids="string[]",
    new_item_ids="string[]",
    payment_method_id="string",
)
RETURN = tool(
    "return_delivered_order_items",
    "Return items of a delivered order.",
    order_id="string",
    item_ids="string[]",
    payment_method_id="string",
    reason=("defective", "wrong_item", "no_longer_needed"),
)

STORIES = (
    Story(
        "retail_second_address_is_right",
        "vercel_ai",
        Agent("retail_agent", (FIND_USER, ORDER, EXCHANGE), RETAIL_SYSTEM),
        (
            user(
                "Exchange the keyboard of #W2378156 for 7706410293, clicky switches, same card. I "
                "am yusuf@rossi.example or yusuf.rossi9301@example.com, I do not remember which."
            ),
            asks(call("find_user_id_by_email", {"email": "yusuf@rossi.example"}, "Error: user not found")),
            asks(call("find_user_id_by_email", {"email": "yusuf.rossi9301@example.com"}, "yusuf_rossi_9620")),
            asks(
                call(
                    "get_order_details",
                    {"order_id": "#W2378156"},
                    {
                        "order_id": "#W2378156",
                        "user_id": "yusuf_rossi_9620",
                        "status": "delivered",
                        "payment_method_id": "credit_card_9513926",
                        "items": [
                            {
                                "name": "Mechanical Keyboard",
                                "item_id": "1151293680",
                                "options": {"switch type": "linear", "backlight": "RGB"},
                            }
                        ],
                    },
                )
            ),
            asks(
                call(
                    "exchange_delivered_order_items",
                    {
                        "order_id": "#W2378156",
                        "item_ids": ["1151293680"],
                        "new_item_ids": ["7706410293"],
                        "payment_method_id": "credit_card_9513926",
                    },
                    {"order_id": "#W2378156", "status": "exchange requested", "exchange_price_difference": -3.27},
                )
            ),
            answers("The exchange is requested; you get $3.27 back on your card."),
        ),
        failing=(),
        why=("The look-up by the first address failed, the same tool found the customer by the second one."),
    ),
    Story(
        "shop_asks_back",
        "pydantic_ai",
        Agent("retail_agent", (FIND_USER, ORDER, RETURN), RETAIL_SYSTEM),
        (
            user("I'd like to send the shoes back."),
            answers("Gladly. Could you give me the order number and the email address of your account?"),
        ),
        failing=(),
        why="The request is ambiguous and the agent asks which order is meant; no tool was needed.",
    ),
    Story(
        "retail_return_reason_outside_enum",
        "pydantic_ai",
        Agent("retail_agent", (FIND_USER, ORDER, RETURN), RETAIL_SYSTEM),
        (
            user("Return the hiking boots of #W9502127, they are too small. mei.kovacs8020@example.com"),
            asks(call("find_user_id_by_email", {"email": "mei.kovacs8020@example.com"}, "mei_kovacs_8020")),
            asks(
                call(
                    "get_order_details",
                    {"order_id": "#W9502127"},
                    {
                        "order_id": "#W9502127",
                        "status": "delivered",
                        "items": [{"name": "Hiking Boots", "item_id": "1615379700", "price": 253.89}],
                    },
                )
            ),
            asks(
                call(
                    "return_delivered_order_items",
                    {
                        "order_id": "#W9502127",
                        "item_ids": ["1615379700"],
                        "payment_method_id": "paypal_7644869",
                        "reason": "too small",
                    },
                    {"order_id": "#W9502127", "status": "return requested"},
                )
            ),
            answers("The return of the hiking boots is requested. You will get an email with the label."),
        ),
        failing=("tool_call_validity",),
        why='reason is "too small", which is not a value of the enum; the tool took it nevertheless.',
    ),
    Story(
        "retail_same_order_again_and_again",
        "genai_events",
        Agent("retail_agent", (FIND_USER, ORDER, RETURN), RETAIL_SYSTEM),
        (
            user("Where is my order #W5199551?"),
            *(
                asks(
                    call(
                        "get_order_details",
                        {"order_id": "#W5199551"},
                        {
                            "order_id": "#W5199551",
                            "status": "processed",
                            "items": [{"name": "Smart Thermostat", "item_id": "4953074738"}],
                            "fulfillments": [],
                        },
                    )
                ),
            )
            * 4,
            answers("Your order #W5199551 is processed and has not left the warehouse yet."),
        ),
        failing=("tool_efficiency",),
        why="get_order_details with the same order four times in a row, each time the same result.",
    ),
    Story(
        "support_answer_without_recorded_content",
        "genai",
        Agent("support", (tool("find_article", "Find a help article.", query="string"),), "You help customers."),
        (
            user("How do I reset my password?"),
            asks(call("find_article", {"query": "reset password"}, "Open Settings, Security, Reset.")),
            answers("Open Settings, then Security, then Reset."),
        ),
        failing=(),
        why=("Nothing of the content is recorded; the model stopped by itself, and the tool ended without an error."),
        has_content=False,
    ),
)
