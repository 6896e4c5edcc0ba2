"""Payments and text messages: failures in the envelopes of Stripe and Twilio, and their look-alikes."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, tool, user

BILLING = Agent(
    "billing-agent",
    (
        tool("create_charge", "Charge the card on file", customer="string", amount_cents="integer", currency="string"),
        tool("get_payment_intent", "Look up a payment", id="string"),
        tool("send_sms", "Send a text message", to="string", body="string"),
        tool("get_message", "Look up a text message", sid="string"),
    ),
    "You help with payments.",
)
CHARGE = {"customer": "cus_9Kd", "amount_cents": 4900, "currency": "eur"}
DECLINED = {
    "code": "card_declined",
    "decline_code": "insufficient_funds",
    "message": "Your card has insufficient funds.",
    "type": "card_error",
}


STORIES = (
    Story(
        "second_stripe_declined",
        "vercel_ai",
        BILLING,
        (
            user("Renew my yearly plan."),
            asks(call("create_charge", CHARGE, {"error": DECLINED | {"charge": "ch_3Qa"}})),
            answers("Your bank declined the payment. Please use another card."),
        ),
        ("tool_error",),
        "the only charge was declined",
    ),
    Story(
        "second_stripe_last_payment_error",
        "openinference",
        BILLING,
        (
            user("Why did my payment pi_77 not go through on Monday?"),
            asks(
                call(
                    "get_payment_intent",
                    {"id": "pi_77"},
                    {
                        "id": "pi_77",
                        "object": "payment_intent",
                        "status": "requires_payment_method",
                        "last_payment_error": DECLINED,
                        "amount": 4900,
                    },
                )
            ),
            answers("Your bank reported insufficient funds on Monday. Nothing was charged."),
        ),
        (),
        "the lookup worked; the error is that of the payment which was looked up",
    ),
    Story(
        "second_stripe_succeeded_null_failures",
        "genai",
        BILLING,
        (
            user("Renew my yearly plan."),
            asks(
                call(
                    "create_charge",
                    CHARGE,
                    {"id": "ch_8", "status": "succeeded", "failure_code": None, "failure_message": None, "paid": True},
                )
            ),
            answers("Done: 49.00 € were charged."),
        ),
        (),
        "the charge succeeded; its failure fields are null",
    ),
    Story(
        "second_twilio_invalid_number",
        "genai_events",
        BILLING,
        (
            user("Text the customer at +49 15 that the parcel is there."),
            asks(
                call(
                    "send_sms",
                    {"to": "+4915", "body": "Your parcel is here."},
                    {
                        "code": 21211,
                        "message": "The 'To' number +4915 is not a valid phone number.",
                        "more_info": "https://www.twilio.com/docs/errors/21211",
                        "status": 400,
                    },
                )
            ),
            answers("The message is on its way."),
        ),
        ("tool_error",),
        "the message was refused with 400, and the user is told it was sent",
    ),
    Story(
        "second_twilio_undelivered_lookup",
        "pydantic_ai",
        BILLING,
        (
            user("Did SM12 arrive?"),
            asks(
                call(
                    "get_message",
                    {"sid": "SM12"},
                    {
                        "sid": "SM12",
                        "status": "undelivered",
                        "error_code": 30003,
                        "error_message": "Unreachable destination handset",
                        "to": "+491511234",
                    },
                )
            ),
            answers("No. The phone was not reachable (30003)."),
        ),
        (),
        "the question was how the message fared, and the lookup answered it",
    ),
)
