"""Several agents that work together; labelled from the spans alone."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, crashes, hands_off, model_fails, tool, user

__all__ = ["STORIES"]


STORIES = (
    Story(
        "team_supervisor_and_writer",
        "genai",
        Agent(
            "supervisor",
            (
                tool("ask_researcher", "Have the researcher find facts.", task="string"),
                tool("ask_writer", "Have the writer write.", task="string"),
            ),
            "You lead a team of a researcher and a writer.",
        ),
        (
            user("A paragraph on how basalt columns form, please."),
            asks(
                call(
                    "ask_researcher",
                    {"task": "How do basalt columns form?"},
                    "Lava cools and contracts; cracks grow inwards and make mostly hexagonal columns.",
                    agent=Agent("researcher", (tool("lookup", "Look up a term.", term="string"),), "You find facts."),
                    steps=(
                        asks(
                            call(
                                "lookup",
                                {"term": "columnar jointing"},
                                "Contraction during cooling creates joints in polygonal, mostly hexagonal patterns.",
                            )
                        ),
                        answers("Lava cools and contracts; cracks grow inwards and make mostly hexagonal columns."),
                    ),
                )
            ),
            asks(
                call(
                    "ask_writer",
                    {"task": "Write a paragraph: lava cools, contracts, cracks grow inwards, hexagons."},
                    (
                        "As a lava flow cools it shrinks, and cracks grow from its surface inwards, "
                        "dividing the rock into columns, most of them six-sided."
                    ),
                    agent=Agent("writer", (), "You write."),
                    steps=(
                        answers(
                            "As a lava flow cools it shrinks, and cracks grow from its surface inwards, "
                            "dividing the rock into columns, most of them six-sided."
                        ),
                    ),
                )
            ),
            answers(
                "As a lava flow cools it shrinks, and cracks grow from its surface inwards, "
                "dividing the rock into columns, most of them six-sided."
            ),
        ),
        failing=(),
        why=("The supervisor had two agents work for it, both answered, and it put the answer together."),
    ),
    Story(
        "team_booking_agent_fails",
        "genai_events",
        Agent(
            "concierge",
            (tool("ask_booking", "Have the booking agent book a table.", task="string"),),
            "You arrange evenings with the help of a booking agent.",
        ),
        (
            user("A table for two at Nonna's, tonight at eight."),
            asks(
                call(
                    "ask_booking",
                    {"task": "Table for 2 at Nonna's, 20:00"},
                    "I could not reach the restaurant's system.",
                    agent=Agent(
                        "booking",
                        (
                            tool(
                                "reserve_table",
                                "Reserve a table.",
                                restaurant="string",
                                guests="integer",
                                time="string",
                            ),
                        ),
                        "You book tables.",
                    ),
                    steps=(
                        asks(
                            call(
                                "reserve_table",
                                {"restaurant": "Nonna's", "guests": 2, "time": "20:00"},
                                fault=Fault("ReadTimeout", "timed out after 10 s"),
                            )
                        ),
                        answers("I could not reach the restaurant's system."),
                    ),
                )
            ),
            answers(
                "I am sorry, the booking at Nonna's did not work. Please call them at the number on their website."
            ),
        ),
        failing=("tool_error",),
        why="The tool of the second agent timed out and was not called again; both agents said so.",
    ),
    Story(
        "team_triage_hands_off",
        "openinference",
        Agent(
            "triage",
            (tool("transfer_to_billing", "Hand the customer over to billing."),),
            "You find out who can help and hand the customer over.",
        ),
        (
            user("Invoice 2024-117 has the wrong VAT number."),
            hands_off(
                Agent(
                    "billing",
                    (
                        tool("get_invoice", "Get an invoice.", number="string"),
                        tool("correct_invoice", "Issue a corrected invoice.", number="string", vat_number="string"),
                    ),
                    "You help with invoices.",
                )
            ),
            asks(
                call(
                    "get_invoice",
                    {"number": "2024-117"},
                    {
                        "number": "2024-117",
                        "vat_number": "DE129",
                        "customer": {"name": "Kraft GmbH", "vat_number": "DE129273398"},
                    },
                )
            ),
            asks(
                call(
                    "correct_invoice",
                    {"number": "2024-117", "vat_number": "DE129273398"},
                    {"number": "2024-117-K1", "status": "issued"},
                )
            ),
            answers("The corrected invoice 2024-117-K1 with the VAT number DE129273398 is on its way to you."),
        ),
        failing=(),
        why="Triage handed the customer over to billing, which looked the invoice up and answered.",
    ),
    Story(
        "team_billing_breaks_after_hand_off",
        "genai",
        Agent(
            "triage",
            (tool("transfer_to_billing", "Hand the customer over to billing."),),
            "You find out who can help and hand the customer over.",
        ),
        (
            user("Why was I charged twice?"),
            hands_off(
                Agent("billing", (tool("list_charges", "List charges.", customer="string"),), "You help with invoices.")
            ),
            model_fails("APIConnectionError", "Connection error."),
            crashes("APIConnectionError", "Connection error."),
        ),
        failing=("run_completion",),
        why="After the hand-off the model of the second agent could not be reached; nobody answered.",
    ),
)
