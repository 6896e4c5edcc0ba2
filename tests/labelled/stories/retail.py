"""Customer support of shops: orders, returns, exchanges."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, tool, user

__all__ = ["STORIES"]

ORDER = tool("get_order_details", "Look up an order by its id", order_id="string")
RETURN = tool("return_items", "Start a return", order_id="string", item_ids="string[]", reason="string?")
SUPPORT = Agent(
    "retail-support", (ORDER, RETURN), "You help customers of Nordlicht Home. Confirm before you change an order."
)

SHIPPED = {
    "order_id": "#W5918442",
    "status": "delivered",
    "items": [
        {"item_id": "6086499569", "name": "Desk Lamp", "options": {"color": "brass", "power": "USB"}, "price": 149.8}
    ],
    "payment": {"method": "paypal_4421", "amount": 149.8},
    "error": None,
}

STORIES = (
    Story(
        "retail_return_ok",
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
        why="the return went through; `error: null` and `errors: []` say that nothing failed",
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
)
