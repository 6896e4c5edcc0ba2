"""Customers of an outdoor shop."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, hands_off, refused, tool, unanswered, user

__all__ = ["STORIES"]

ORDER = tool("get_order", "Look up an order", order_id="string")
REFUND = tool("refund_order", "Refund an order", order_id="string", amount="number", reason="string?")
STOCK = tool("check_stock", "Stock of an article", sku="string", store="string?")
HUMAN = tool("transfer_to_human", "Hand the conversation to a person", summary="string")
SHOP = Agent("shop_support", (ORDER, REFUND, STOCK, HUMAN), "You help the customers of an outdoor shop.")
PARCEL = {"order_id": "K-4410", "status": "in_transit", "carrier": "DHL", "eta": "2025-03-14", "error": None}

STORIES = [
    Story(
        "third_parcel_in_transit",
        "genai",
        SHOP,
        (
            user("Where is K-4410?"),
            asks(call("get_order", {"order_id": "K-4410"}, PARCEL)),
            answers("Your parcel is with DHL and should arrive on 14 March."),
        ),
        (),
        "an ordinary lookup with a null error field",
    ),
    Story(
        "third_refund_declined_by_gateway",
        "openinference",
        SHOP,
        (
            user("Please refund K-4381, the tent leaks."),
            asks(call("get_order", {"order_id": "K-4381"}, {"order_id": "K-4381", "total": 189.0})),
            asks(
                call(
                    "refund_order",
                    {"order_id": "K-4381", "amount": 189.0},
                    {"success": False, "error": {"code": "gateway_declined", "message": "Original card is closed"}},
                )
            ),
            answers("I am sorry, I could not issue the refund: the original card is closed."),
        ),
        ("tool_error",),
        "the refund failed, told as data, and was never made good",
    ),
    Story(
        "third_refund_second_try",
        "vercel_ai",
        SHOP,
        (
            user("Refund order K-4390 please."),
            asks(
                call("refund_order", {"order_id": "K-4390", "amount": 24.5}, fault=Fault("TimeoutError", "timed out"))
            ),
            asks(call("refund_order", {"order_id": "K-4390", "amount": 24.5}, {"refund_id": "re_881", "ok": True})),
            answers("Done, 24.50 will be on your card in three to five days."),
        ),
        (),
        "a timeout that the retry made good",
    ),
    Story(
        "third_refund_amount_words",
        "pydantic_ai",
        SHOP,
        (
            user("Refund K-4402 in full."),
            asks(
                refused(
                    "refund_order",
                    {"order_id": "K-4402", "amount": "the full amount"},
                    "1 validation error: amount: Input should be a valid number\n\nFix the errors and try again.",
                )
            ),
            answers("I could not process the refund. Please contact our office."),
        ),
        ("tool_call_validity", "tool_error"),
        "amount is no number; the call was rejected and not repeated",
    ),
    Story(
        "third_refund_amount_as_text",
        "vercel_ai",
        SHOP,
        (
            user("I was promised 15 euros back on K-4411."),
            asks(call("refund_order", {"order_id": "K-4411", "amount": "15.00", "reason": None}, {"refund": "re_902"})),
            answers("15 euros are on their way."),
        ),
        (),
        "a number as text that worked, and null for an optional property",
    ),
    Story(
        "third_order_unknown_number",
        "genai_events",
        SHOP,
        (
            user("Where is order 77?"),
            asks(call("get_order", {"order_id": "77"}, {"orders": [], "count": 0})),
            answers("I find no order 77. Could you check the number in your confirmation mail?"),
        ),
        (),
        "nothing found is no failure, and asking back is fine",
    ),
    Story(
        "third_angry_customer_to_person",
        "openllmetry",
        SHOP,
        (
            user("This is the third time. I want to talk to a human."),
            asks(call("transfer_to_human", {"summary": "Third complaint, wants a person"}, "Transfer successful")),
            answers("I am connecting you with a colleague."),
        ),
        (),
        "handed to a person as asked",
    ),
    Story(
        "third_stock_backend_down_german",
        "openllmetry",
        SHOP,
        (
            user("Gibt es den Kocher in der Filiale Bern?"),
            asks(
                call(
                    "check_stock",
                    {"sku": "KO-12", "store": "Bern"},
                    "Fehler: Verbindung zum Lagersystem fehlgeschlagen",
                )
            ),
            answers("Das kann ich im Moment leider nicht sehen."),
        ),
        ("tool_error",),
        "the whole result is an error message in German",
    ),
    Story(
        "third_decline_price_match",
        "vercel_ai",
        SHOP,
        (user("Match the price of the other shop?"), answers("I am sorry, we do not match prices of other shops.")),
        (),
        "declining without a tool",
    ),
    Story(
        "third_empty_reply",
        "genai",
        SHOP,
        (
            user("And the second parcel?"),
            asks(call("get_order", {"order_id": "K-4412"}, PARCEL | {"order_id": "K-4412"})),
            answers(""),
        ),
        ("run_completion",),
        "the answer is empty",
    ),
    Story(
        "third_refund_never_ran",
        "openinference",
        SHOP,
        (
            user("Refund K-4420."),
            asks(call("get_order", {"order_id": "K-4420"}, PARCEL | {"order_id": "K-4420"})),
            asks(unanswered("refund_order", {"order_id": "K-4420", "amount": 12})),
        ),
        ("run_completion",),
        "the refund was asked for and never executed",
    ),
    Story(
        "third_refund_waits_for_approval",
        "pydantic_ai",
        SHOP,
        (
            user("Refund K-4421, 640 euros."),
            asks(call("get_order", {"order_id": "K-4421"}, {"order_id": "K-4421", "total": 640})),
            asks(
                call(
                    "refund_order",
                    {"order_id": "K-4421", "amount": 640},
                    is_answered=False,
                    deferral="approval",
                )
            ),
        ),
        (),
        "waits for the approval of a person",
    ),
    Story(
        "third_triage_to_billing",
        "genai",
        Agent("triage", (), "You send the customer to the agent in charge."),
        (
            user("I was charged twice for K-4410."),
            hands_off(SHOP),
            asks(call("get_order", {"order_id": "K-4410"}, PARCEL | {"charges": 2})),
            asks(call("refund_order", {"order_id": "K-4410", "amount": 59}, {"refund": "re_950", "error": ""})),
            answers("The second charge of 59 euros is refunded."),
        ),
        (),
        "a hand-over to another agent that does the work",
    ),
]
