"""Agents that speak, and that act in a home; labelled from the spans alone."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, crashes, pause, tool, user

__all__ = ["STORIES"]

SLOTS = tool("find_slots", "Find free appointments.", doctor="string", date="string")
BOOK = tool(
    "book_appointment", "Book an appointment.", doctor="string", start="string", patient_id="integer", reason="string?"
)
PATIENT = tool("find_patient", "Find a patient by name and date of birth.", name="string", born="string")
CLINIC = "You answer the telephone of a medical practice. Be short."
CLOCK_TOOL = tool("get_current_time", "The time in UTC.")

STORIES = (
    Story(
        "voice_appointment_booked",
        "pydantic_ai",
        Agent(
            "praxis_telefon", (PATIENT, SLOTS, BOOK), "Du nimmst für eine Arztpraxis Anrufe entgegen. Antworte kurz."
        ),
        (
            user(
                "Guten Tag, Jana Wolf, geboren am 3. April 1988. Ich brauche nächsten Dienstag "
                "einen Termin bei Frau Doktor Ernst."
            ),
            asks(
                call(
                    "find_patient",
                    {"name": "Jana Wolf", "born": "1988-04-03"},
                    {"patient_id": 20418, "name": "Jana Wolf"},
                )
            ),
            asks(call("find_slots", {"doctor": "Ernst", "date": "2024-06-11"}, {"slots": ["08:40", "11:20"]})),
            asks(
                call(
                    "book_appointment",
                    {"doctor": "Ernst", "start": "2024-06-11T08:40", "patient_id": 20418},
                    {"confirmed": True, "number": "T-5531"},
                )
            ),
            answers("Frau Wolf, Sie haben am Dienstag um 8 Uhr 40 einen Termin bei Frau Doktor Ernst."),
        ),
        failing=(),
        why="The caller's appointment was found and booked.",
    ),
    Story(
        "voice_number_as_text_accepted",
        "genai_events",
        Agent("clinic_phone", (SLOTS, BOOK), CLINIC),
        (
            user("This is patient 2-0-4-1-8, the eleven twenty with Doctor Ernst on the eleventh of June, please."),
            asks(
                call(
                    "book_appointment",
                    {"doctor": "Ernst", "start": "2024-06-11T11:20", "patient_id": "20418"},
                    {"confirmed": True, "number": "T-5532"},
                )
            ),
            answers("You are booked for eleven twenty on June the eleventh. Goodbye!"),
        ),
        failing=(),
        why=(
            'The patient\'s number was sent as the text "20418", which is the integer without '
            "loss, and the tool took it."
        ),
    ),
    Story(
        "voice_german_error_text",
        "genai",
        Agent("praxis_telefon", (SLOTS, BOOK), "Du nimmst für eine Arztpraxis Anrufe entgegen. Antworte kurz."),
        (
            user("Patientin 20418, bitte den Termin um elf Uhr zwanzig am elften Juni bei Doktor Ernst."),
            asks(
                call(
                    "book_appointment",
                    {"doctor": "Ernst", "start": "2024-06-11T11:20", "patient_id": 20418},
                    "Fehler: Der Termin ist nicht mehr verfügbar.",
                )
            ),
            answers("Der Termin ist leider schon vergeben. Bitte rufen Sie später wieder an."),
        ),
        failing=("tool_error",),
        why="The booking answered with an error message in German, and none succeeded later.",
    ),
    Story(
        "voice_nothing_said",
        "openinference",
        Agent("clinic_phone", (SLOTS, BOOK), CLINIC),
        (
            user("Do you have anything on Friday?"),
            asks(call("find_slots", {"doctor": "any", "date": "2024-06-14"}, {"slots": ["09:00", "15:10"]})),
            answers(""),
        ),
        failing=("run_completion",),
        why="The last answer is empty; the caller hears nothing.",
    ),
    Story(
        "household_second_turn",
        "genai",
        Agent(
            "home",
            (
                tool("set_thermostat", "Set a room's temperature.", room="string", celsius="number"),
                tool("get_thermostat", "Read a room's temperature.", room="string"),
            ),
            "You run the smart home.",
        ),
        (
            user("How warm is the study?"),
            asks(call("get_thermostat", {"room": "study"}, {"room": "study", "celsius": 18.5, "target": 19})),
            answers("18.5 degrees."),
            user("Make it 21."),
            asks(call("set_thermostat", {"room": "study", "celsius": 21}, {"room": "study", "target": 21})),
            answers("The study is set to 21 degrees."),
        ),
        failing=(),
        why="Two turns of one session, each answered; the second one remembers the first.",
    ),
    Story(
        "household_second_turn_breaks",
        "openllmetry",
        Agent(
            "home",
            (
                tool("get_thermostat", "Read a room's temperature.", room="string"),
                tool("list_rooms", "List the rooms."),
            ),
            "You run the smart home.",
        ),
        (
            user("Which rooms are there?"),
            asks(call("list_rooms", {}, ["study", "kitchen"])),
            answers("The study and the kitchen."),
            user("And how warm are they?"),
            asks(
                call("get_thermostat", {"room": "study"}, {"room": "study", "celsius": 18.5}),
                call("get_thermostat", {"room": "kitchen"}, {"room": "kitchen", "celsius": 20.0}),
            ),
            crashes("KeyError", "'living room'"),
        ),
        failing=("run_completion",),
        why=("The first turn was answered; in the second the agent broke with an exception and did not answer."),
    ),
    Story(
        "time_zones_clock",
        "openinference",
        Agent("timer", (CLOCK_TOOL,), "You remind people."),
        (
            user("Tell me when it is 15:00 UTC."),
            asks(call("get_current_time", {}, "2024-06-03T14:58:31Z")),
            pause(60),
            asks(call("get_current_time", {}, "2024-06-03T14:59:32Z")),
            pause(40),
            asks(call("get_current_time", {}, "2024-06-03T15:00:13Z")),
            answers("It is 15:00 UTC now."),
        ),
        failing=(),
        why=(
            "The clock is read three times with different answers while the agent waits for "
            "the hour; that is what a clock is for."
        ),
    ),
)
