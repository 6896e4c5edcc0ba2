"""Arguments against a schema: every way of being right or wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..story import Agent, Fault, Story, Tool, answers, asks, call, refused, user

BOOKING = Tool(
    "book_room",
    "Book a hotel room",
    {
        "type": "object",
        "properties": {
            "guest": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "email": {"type": "string"}},
                "required": ["name", "email"],
            },
            "nights": {"type": "integer", "minimum": 1, "maximum": 30},
            "room": {"enum": ["single", "double", "suite"]},
            "extras": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
            "code": {"type": "string", "pattern": "^[A-Z]{3}[0-9]{2}$"},
            "pay": {
                "oneOf": [
                    {
                        "type": "object",
                        "properties": {"card": {"type": "string"}},
                        "required": ["card"],
                        "additionalProperties": False,
                    },
                    {
                        "type": "object",
                        "properties": {"voucher": {"type": "string"}},
                        "required": ["voucher"],
                        "additionalProperties": False,
                    },
                ]
            },
            "late": {"type": "boolean"},
        },
        "required": ["guest", "nights", "room"],
        "additionalProperties": False,
    },
)
GUEST = {"name": "Ana Costa", "email": "ana@x.example"}
GOOD = {"guest": GUEST, "nights": 2, "room": "double"}
BOOKED = {"booking": "B7", "status": "confirmed"}


def booked(
    name: str, convention: str, args: Mapping[str, Any] | str, failing: str, why: str, result: Any = BOOKED
) -> Story:
    """A room is booked with these arguments in one call, and it works."""
    made = call("book_room", args, result)
    steps = (user("Book a room for Ana Costa."), asks(made), answers("It is booked: B7."))
    return Story(name, convention, Agent("hotel", (BOOKING,)), steps, (failing,) if failing else (), why)


WRONG = "tool_call_validity"


STORIES = (
    booked(
        "second_args_all_right",
        "genai",
        GOOD | {"extras": ["parking"], "code": "SUN26", "pay": {"voucher": "V1"}, "late": True},
        "",
        "everything fits the schema",
    ),
    booked("second_args_enum", "openinference", GOOD | {"room": "twin"}, WRONG, "no such kind of room"),
    booked(
        "second_args_nested_required",
        "vercel_ai",
        GOOD | {"guest": {"name": "Ana Costa"}},
        WRONG,
        "the guest's address is required",
    ),
    booked("second_args_maximum", "pydantic_ai", GOOD | {"nights": 90}, WRONG, "at most 30 nights"),
    booked("second_args_pattern", "openllmetry", GOOD | {"code": "summer"}, WRONG, "the code has another form"),
    booked(
        "second_args_one_of_none",
        "genai",
        GOOD | {"pay": {"card": "4111", "voucher": "V1"}},
        WRONG,
        "a card or a voucher, not both",
    ),
    booked(
        "second_args_additional",
        "openinference",
        GOOD | {"smoking": False},
        WRONG,
        "the schema allows no other property",
    ),
    booked(
        "second_args_array_of_objects",
        "openllmetry",
        GOOD | {"extras": [{"name": "parking"}]},
        WRONG,
        "extras are texts, not objects",
    ),
    booked("second_args_null_for_required", "vercel_ai", GOOD | {"nights": None}, WRONG, "nights are required"),
    booked(
        "second_args_nulls_for_optional",
        "openinference",
        GOOD | {"extras": None, "code": None, "pay": None, "late": None},
        "",
        "null for optional properties",
    ),
    booked(
        "second_args_scalars_that_convert",
        "vercel_ai",
        GOOD | {"nights": "2", "late": "true"},
        "",
        "texts that convert without loss, and the call worked",
    ),
    booked("second_args_whole_float", "openllmetry", GOOD | {"nights": 2.0}, "", "2.0 is an integer"),
    booked("second_args_number_word", "genai", GOOD | {"nights": "two"}, WRONG, "a word is no integer"),
    booked(
        "second_args_lossy_float", "pydantic_ai", GOOD | {"nights": 2.5}, WRONG, "2.5 does not convert without loss"
    ),
    booked(
        "second_args_encoded_twice",
        "pydantic_ai",
        '"{\\"guest\\": {\\"name\\": \\"Ana Costa\\", \\"email\\": \\"ana@x.example\\"}, \\"nights\\": 2, '
        '\\"room\\": \\"suite\\"}"',
        "",
        "encoded twice, and right",
    ),
    Story(
        "second_args_conversion_that_failed",
        "genai",
        Agent("hotel", (BOOKING,)),
        (
            user("Book a room for Ana Costa."),
            asks(
                call(
                    "book_room",
                    GOOD | {"nights": "2"},
                    fault=Fault("ValidationError", "nights: Input should be a valid integer, got str"),
                )
            ),
            answers("I could not book it."),
        ),
        ("tool_call_validity", "tool_error"),
        "the text was not taken for a number, and the call failed for good",
    ),
    Story(
        "second_args_refused_then_corrected",
        "openllmetry",
        Agent("hotel", (BOOKING,)),
        (
            user("Book a room for Ana Costa."),
            asks(
                refused(
                    "book_room",
                    {"nights": 2, "room": "double"},
                    "Error: 1 validation error for book_room\nguest\n  Field required",
                )
            ),
            asks(call("book_room", GOOD, BOOKED)),
            answers("It is booked: B7."),
        ),
        ("tool_call_validity",),
        "the guest was missing in the first call; the second one made it good",
    ),
)
