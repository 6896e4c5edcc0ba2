"""Customer support of shops: orders, returns, exchanges."""

from __future__ import annotations

from ..story import (
    Agent,
    Fault,
    Story,
    answers,
    asks,
    call,
    crashes,
    model_fails,
    pause,
    tool,
    unanswered,
    user,
)

__all__ = ["STORIES"]

ORDER = tool("get_order_details", "Look up an order by its id", order_id="string")
RETURN = tool("return_items", "Start a return", order_id="string", item_ids="string[]", reason="string?")
CANCEL = tool(
    "cancel_order", "Cancel a pending order", order_id="string", reason=["no longer needed", "ordered by mistake"]
)
FIND = tool("find_user_id_by_email", "Find the id of a customer", email="string")
SEARCH = tool("search_products", "Search the catalogue", query="string", limit="integer?")
HUMAN = tool("transfer_to_human_agents", "Hand the customer to a person, with a summary", summary="string")
SUPPORT = Agent(
    "retail_support",
    (ORDER, RETURN, CANCEL, FIND, SEARCH, HUMAN),
    "You help customers of Nordlicht Home. Find the customer by email first. Confirm before you change an order.",
)

SHIPPED = {
    "order_id": "#W5918442",
    "user_id": "mei_kovacs_8020",
    "status": "delivered",
    "items": [
        {"item_id": "6086499569", "name": "Desk Lamp", "options": {"color": "brass", "power": "USB"}, "price": 149.8},
        {"item_id": "1656367028", "name": "Mechanical Keyboard", "options": {"switch": "clicky"}, "price": 158.9},
    ],
    "payment_history": [{"type": "payment", "method": "paypal_4421", "amount": 308.7}],
    "error": None,
}

STORIES = (
    Story(
        "retail_return_with_null_reason",
        "genai",
        SUPPORT,
        (
            user("Ich möchte die Lampe aus Bestellung #W5918442 zurückgeben, sie flackert."),
            asks(call("get_order_details", {"order_id": "#W5918442"}, SHIPPED, ms=180)),
            asks(
                call(
                    "return_items",
                    {"order_id": "#W5918442", "item_ids": ["6086499569"], "reason": None},
                    {"status": "return requested", "refund": 149.8, "errors": []},
                )
            ),
            answers("Die Rücksendung ist angemeldet; 149,80 € gehen auf Ihr PayPal-Konto zurück."),
        ),
        failing=(),
        why="the return went through; `error: null`, `errors: []` and a null for an optional argument are no failures",
    ),
    Story(
        "retail_order_service_down",
        "openinference",
        SUPPORT,
        (
            user("Where is my order #W2230194?"),
            asks(
                call(
                    "get_order_details",
                    {"order_id": "#W2230194"},
                    fault=Fault("OrderServiceError", "HTTP 503 from orders-api"),
                )
            ),
            answers("I can't reach our order system right now. Please try again in an hour."),
        ),
        failing=("tool_error",),
        why="the only lookup raised and was never made good",
    ),
    Story(
        "retail_user_not_found_as_text",
        "openllmetry",
        SUPPORT,
        (
            user("Hi, I'm sofia.rossi@exmaple.com, cancel my order please"),
            asks(call("find_user_id_by_email", {"email": "sofia.rossi@exmaple.com"}, "Error: user not found")),
            answers(
                "I couldn't find an account for that address. Could you check the spelling, or give me your zip code?"
            ),
        ),
        failing=("tool_error",),
        why="the whole result is the error message of the tool, and no later lookup succeeded",
    ),
    Story(
        "retail_user_found_at_second_address",
        "openllmetry",
        SUPPORT,
        (
            user("Cancel #W9911714 please. My mail is either noah.p@gmail.com or noah.patel@gmail.com"),
            asks(call("find_user_id_by_email", {"email": "noah.p@gmail.com"}, "Error: user not found")),
            asks(call("find_user_id_by_email", {"email": "noah.patel@gmail.com"}, "noah_patel_6952")),
            asks(
                call(
                    "cancel_order",
                    {"order_id": "#W9911714", "reason": "no longer needed"},
                    {"order_id": "#W9911714", "status": "cancelled", "cancel_reason": "no longer needed"},
                )
            ),
            answers("Done: #W9911714 is cancelled, and the refund goes to your gift card at once."),
        ),
        failing=(),
        why="the failed lookup was made good by the next call of the same tool",
    ),
    Story(
        "retail_transfer_to_human_without_words",
        "openinference",
        SUPPORT,
        (
            user("This is the third time I'm explaining this. Get me a person, NOW."),
            asks(
                call(
                    "transfer_to_human_agents",
                    {"summary": "Customer wants a refund for a lost parcel and asks for a person."},
                    "Transfer successful",
                )
            ),
        ),
        failing=(),
        why="handed to a person; the agent has nothing more to say",
    ),
    Story(
        "retail_asks_back",
        "vercel_ai",
        SUPPORT,
        (
            user("I want to exchange the keyboard"),
            answers("Happy to help! Which order is it in, and which switch type would you like instead?"),
        ),
        failing=(),
        why="asking back without a tool is what a good agent does here",
    ),
    Story(
        "retail_declines_discount",
        "pydantic_ai",
        SUPPORT,
        (
            user("Give me 50% off or I leave a one-star review"),
            answers("I'm sorry, I can't offer discounts beyond the ones on our site. Is there anything else I can do?"),
        ),
        failing=(),
        why="a polite refusal is an answer",
    ),
    Story(
        "retail_cancel_reason_not_in_enum",
        "genai",
        SUPPORT,
        (
            user("Cancel #W1170711, found it cheaper elsewhere"),
            asks(
                call(
                    "cancel_order",
                    {"order_id": "#W1170711", "reason": "found cheaper elsewhere"},
                    {"order_id": "#W1170711", "status": "cancelled"},
                )
            ),
            answers("Your order #W1170711 is cancelled."),
        ),
        failing=("tool_call_validity",),
        why="the reason is none of the two that the schema allows",
    ),
    Story(
        "retail_limit_as_text_that_worked",
        "vercel_ai",
        SUPPORT,
        (
            user("Show me three brass lamps"),
            asks(
                call(
                    "search_products",
                    {"query": "brass lamp", "limit": "3"},
                    [
                        {"id": "8384507844", "name": "Brass Desk Lamp", "price": 137.9},
                        {"id": "9083642334", "price": 164.2},
                    ],
                )
            ),
            answers("I found two: the Brass Desk Lamp for €137.90 and another one for €164.20."),
        ),
        failing=(),
        why='"3" converts to an integer without loss, and the call worked',
    ),
    Story(
        "retail_cancel_never_executed",
        "genai",
        SUPPORT,
        (
            user("Cancel #W3289292"),
            asks(call("get_order_details", {"order_id": "#W3289292"}, {"order_id": "#W3289292", "status": "pending"})),
            asks(unanswered("cancel_order", {"order_id": "#W3289292", "reason": "no longer needed"})),
        ),
        failing=("run_completion",),
        why="the run ended with a cancellation that was asked for and never executed; the customer got no answer",
    ),
    Story(
        "retail_model_rate_limited",
        "pydantic_ai",
        SUPPORT,
        (
            user("Track #W4435622"),
            asks(
                call("get_order_details", {"order_id": "#W4435622"}, {"order_id": "#W4435622", "status": "processed"})
            ),
            model_fails(
                "ModelHTTPError", "status_code: 429, model_name: gpt-4.1-mini, body: {'code': 'rate_limit_exceeded'}"
            ),
            crashes(
                "ModelHTTPError", "status_code: 429, model_name: gpt-4.1-mini, body: {'code': 'rate_limit_exceeded'}"
            ),
        ),
        failing=("run_completion",),
        why="the model was rate limited and the run ended in that error",
    ),
    Story(
        "retail_model_rate_limited_then_retried",
        "openinference",
        SUPPORT,
        (
            user("Track #W4435623"),
            asks(
                call("get_order_details", {"order_id": "#W4435623"}, {"order_id": "#W4435623", "status": "processed"})
            ),
            model_fails("openai.RateLimitError", "Error code: 429 - rate_limit_exceeded"),
            pause(4),
            answers("Your order has been processed and leaves our warehouse tomorrow."),
        ),
        failing=(),
        why="the model call was tried again and the customer got the answer",
    ),
)
