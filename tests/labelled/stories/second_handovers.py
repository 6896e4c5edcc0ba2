"""How runs end that hand over, wait, or leave a call open."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, crashes, hands_off, model_fails, tool, unanswered, user

GUIDE = Agent(
    "museum-guide",
    (
        tool("find_exhibit", "Find an exhibit", name="string"),
        tool("sell_ticket", "Sell a ticket", day="string", people="integer"),
        tool("transfer_to_human", "Hand over to the front desk", reason="string"),
        tool("ask_curator", "Ask the curator", question="string"),
    ),
    "You guide visitors of a museum.",
)
SHOP = Agent("museum-shop", (tool("refund", "Give money back", order="string"),), "You run the shop.")
FOUND = call("find_exhibit", {"name": "Rosetta Stone"}, {"room": 4})
TICKET = {"day": "Friday", "people": 2}


STORIES = (
    Story(
        "second_end_ticket_never_sold",
        "openinference",
        GUIDE,
        (user("Two tickets for Friday."), asks(unanswered("sell_ticket", TICKET))),
        ("run_completion",),
        "the call was asked for and never executed",
    ),
    Story(
        "second_end_one_of_two_calls_open",
        "genai",
        GUIDE,
        (
            user("Where is the Stone, and two tickets for Friday please."),
            asks(FOUND, unanswered("sell_ticket", TICKET)),
        ),
        ("run_completion",),
        "one of two calls was never executed, and there is no answer",
    ),
    Story(
        "second_end_waits_for_approval",
        "pydantic_ai",
        GUIDE,
        (user("Two tickets for Friday."), asks(call("sell_ticket", TICKET, deferral="approval_required"))),
        (),
        "the call waits for the approval of a person",
    ),
    Story(
        "second_end_handed_to_a_person",
        "genai_events",
        GUIDE,
        (
            user("I want to talk to somebody."),
            asks(call("transfer_to_human", {"reason": "asked for"}, "Transferred to the front desk.")),
        ),
        (),
        "a person has taken over",
    ),
    Story(
        "second_end_handed_to_an_agent",
        "openllmetry",
        GUIDE,
        (
            user("My money back please, order 7."),
            hands_off(SHOP),
            asks(call("refund", {"order": "7"}, {"refunded": True})),
            answers("Refunded."),
        ),
        (),
        "the second agent answered",
    ),
    Story(
        "second_end_second_agent_crashed",
        "openinference",
        GUIDE,
        (
            user("My money back please, order 7."),
            hands_off(SHOP),
            crashes("AuthenticationError", "401 invalid api key"),
        ),
        ("run_completion",),
        "the agent that took over ended in an error",
    ),
    Story(
        "second_end_second_turn_crashed",
        "vercel_ai",
        GUIDE,
        (
            user("Where is the Stone?"),
            asks(FOUND),
            answers("In room 4."),
            user("And two tickets."),
            asks(call("sell_ticket", TICKET, {"sold": 2})),
            crashes("TypeError", "Cannot read properties of undefined (reading 'price')"),
        ),
        ("run_completion",),
        "the second turn ended in an error",
    ),
    Story(
        "second_end_sub_agent_crashed",
        "genai",
        GUIDE,
        (
            user("Who made the Stone?"),
            asks(
                call(
                    "ask_curator",
                    {"question": "Who made it?"},
                    fault=Fault("RateLimitError", "429 quota exceeded"),
                    agent=Agent("curator"),
                    steps=(model_fails("RateLimitError", "429 quota exceeded"), crashes("RateLimitError", "429 quota")),
                )
            ),
            answers("The curator is not available."),
        ),
        ("run_completion", "tool_error"),
        "the sub-agent ended in an error, and so did the call that asked it",
    ),
    Story(
        "second_end_run_still_open",
        "openllmetry",
        GUIDE,
        (user("Where is the Stone?"), asks(FOUND)),
        (),
        "the run has not ended yet",
        agent_span="open",
    ),
)
