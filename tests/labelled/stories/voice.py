"""Agents on the phone and in the car: short turns, devices, appointments."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, tool, unanswered, user

__all__ = ["STORIES"]

SLOTS = tool("find_slots", "Free slots of a practice", practice="string", day="string")
BOOK = tool("book_slot", "Book a slot", practice="string", slot="string", name="string", phone="string")
LIGHT = tool("set_light", "Switch a light", room="string", on="boolean", brightness="integer?")
SENSOR = tool("read_sensor", "Read a sensor", sensor="string")
CALL = tool("transfer_call", "Put the caller through to a person", department="string")
WEATHER = tool("weather", "The weather", city="string")
PHONE = Agent("praxis_telefon", (SLOTS, BOOK, CALL), "Du nimmst Anrufe einer Arztpraxis entgegen. Antworte kurz.")
HOME = Agent("home_voice", (LIGHT, SENSOR, WEATHER), "You are a voice assistant at home. Answer in one sentence.")

STORIES = (
    Story(
        "voice_german_slot_gone",
        "genai",
        PHONE,
        (
            user("Ich hätte gern den Termin am Dienstag um neun."),
            asks(
                call(
                    "book_slot",
                    {"practice": "Dr. Okafor", "slot": "2026-11-24T09:00", "name": "Brandt", "phone": "0170 555 0134"},
                    "Fehler: Der Termin ist nicht mehr verfügbar.",
                )
            ),
            answers("Dieser Termin ist leider schon vergeben. Passt Ihnen auch Mittwoch?"),
        ),
        failing=("tool_error",),
        why="the booking failed, told in German, and no later one succeeded",
    ),
    Story(
        "voice_german_slot_gone_then_booked",
        "openinference",
        PHONE,
        (
            user("Den Termin am Dienstag um neun, sonst halb zehn."),
            asks(
                call(
                    "book_slot",
                    {"practice": "Dr. Okafor", "slot": "2026-11-24T09:00", "name": "Yilmaz", "phone": "0170 555 0188"},
                    "Fehler: Der Termin ist nicht mehr verfügbar.",
                )
            ),
            asks(
                call(
                    "book_slot",
                    {"practice": "Dr. Okafor", "slot": "2026-11-24T09:30", "name": "Yilmaz", "phone": "0170 555 0188"},
                    "Termin gebucht: Dienstag, 24. November, 9:30 Uhr.",
                )
            ),
            answers("Neun Uhr war schon weg, ich habe Sie für halb zehn eingetragen."),
        ),
        failing=(),
        why="the second booking made the first good",
    ),
    Story(
        "voice_german_no_free_slots",
        "genai_events",
        PHONE,
        (
            user("Haben Sie am Freitag noch etwas frei?"),
            asks(call("find_slots", {"practice": "Dr. Okafor", "day": "2026-11-27"}, "Keine freien Termine gefunden.")),
            answers("Am Freitag ist leider alles belegt."),
        ),
        failing=(),
        why="finding no free slot is an answer, not a failure",
    ),
    Story(
        "voice_call_put_through",
        "openllmetry",
        PHONE,
        (
            user("Ich möchte mit einem Menschen sprechen."),
            asks(call("transfer_call", {"department": "Empfang"}, {"transferred": True, "error": None})),
            answers("Ich verbinde Sie mit dem Empfang."),
        ),
        failing=(),
        why="the caller was put through to a person",
    ),
    Story(
        "voice_answer_without_tool",
        "vercel_ai",
        HOME,
        (user("How many minutes for a soft-boiled egg?"), answers("Six.")),
        failing=(),
        why="a short answer without a tool is right here",
    ),
    Story(
        "voice_light_brightness_as_number",
        "pydantic_ai",
        HOME,
        (
            user("Dim the kitchen to forty percent"),
            asks(call("set_light", {"room": "kitchen", "on": True, "brightness": 40.0}, {"ok": True})),
            answers("Done."),
        ),
        failing=(),
        why="40.0 is an integer",
    ),
    Story(
        "voice_light_on_missing",
        "openllmetry",
        HOME,
        (
            user("Lights!"),
            asks(call("set_light", {"room": "living room"}, {"ok": True, "state": "unchanged"})),
            answers("Done."),
        ),
        failing=("tool_call_validity",),
        why="the required argument `on` is missing",
    ),
    Story(
        "voice_sensor_read_until_warm",
        "vercel_ai",
        HOME,
        (
            user("Tell me when the bath has 38 degrees."),
            asks(call("read_sensor", {"sensor": "bath"}, {"celsius": 35.5, "error": 0})),
            asks(call("read_sensor", {"sensor": "bath"}, {"celsius": 36.8, "error": 0})),
            asks(call("read_sensor", {"sensor": "bath"}, {"celsius": 38.1, "error": 0})),
            answers("The bath has reached 38 degrees."),
        ),
        failing=(),
        why="a sensor read several times shows something new each time",
    ),
    Story(
        "voice_bridge_offline",
        "genai",
        HOME,
        (
            user("Turn off the bedroom light"),
            asks(
                call(
                    "set_light",
                    {"room": "bedroom", "on": False},
                    {"ok": False, "error": "bridge_offline", "hint": "check the power of the bridge"},
                )
            ),
            answers("The light bridge seems to be offline."),
        ),
        failing=("tool_error",),
        why="ok is false with an error, and the light stayed on",
    ),
    Story(
        "voice_caller_got_silence",
        "openinference",
        PHONE,
        (
            user("Hallo? Ich brauche ein Rezept."),
            answers(None),
        ),
        failing=("run_completion",),
        why="the model gave nothing, and the caller heard nothing",
    ),
    Story(
        "voice_booking_never_ran",
        "genai_events",
        PHONE,
        (
            user("Ja, bitte buchen Sie das."),
            asks(
                unanswered(
                    "book_slot",
                    {"practice": "Dr. Okafor", "slot": "2026-11-24T11:00", "name": "Novak", "phone": "0170 555 0111"},
                ),
                text="Einen Moment, ich trage Sie ein.",
            ),
        ),
        failing=("run_completion",),
        why="the call ended with a booking that was asked for and never executed",
    ),
    Story(
        "voice_weather_japanese_error",
        "openinference",
        HOME,
        (
            user("札幌の天気は？"),
            asks(call("weather", {"city": "札幌"}, "エラー: 天気サービスに接続できませんでした。")),
            answers("申し訳ありません、今は天気を確認できません。"),
        ),
        failing=("tool_error",),
        why="the whole result is an error message in Japanese",
    ),
    Story(
        "voice_weather_timeout_twice_then_ok",
        "genai",
        HOME,
        (
            user("Weather in Porto?"),
            asks(call("weather", {"city": "Porto"}, fault=Fault("TimeoutError", "timed out"))),
            asks(call("weather", {"city": "Porto"}, fault=Fault("TimeoutError", "timed out"))),
            asks(call("weather", {"city": "Porto"}, {"celsius": 18, "sky": "clear"})),
            answers("Clear and 18 degrees."),
        ),
        failing=(),
        why="retries after a failure, the last of which succeeded",
    ),
)
