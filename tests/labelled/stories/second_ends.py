"""How runs end: with errors, cut off, empty, or with very short answers."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, crashes, model_fails, tool, user

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
FOUND = call("find_exhibit", {"name": "Rosetta Stone"}, {"room": 4})


STORIES = (
    Story(
        "second_end_step_limit",
        "openinference",
        GUIDE,
        (
            user("Where is the Rosetta Stone?"),
            asks(FOUND),
            asks(call("find_exhibit", {"name": "Rosetta"}, {"room": 4})),
            crashes("MaxTurnsExceeded", "Max turns (2) exceeded"),
        ),
        ("run_completion",),
        "the run ended at its limit of turns, without an answer",
    ),
    Story(
        "second_end_connection_lost_in_stream",
        "vercel_ai",
        GUIDE,
        (
            user("Tell me about the Rosetta Stone."),
            asks(FOUND),
            model_fails("AI_APICallError", "Cannot connect to API: other side closed"),
            crashes("AI_APICallError", "Cannot connect to API: other side closed"),
        ),
        ("run_completion",),
        "the model could not be reached, and the run ended in an error",
    ),
    Story(
        "second_end_model_overloaded_then_fine",
        "genai",
        GUIDE,
        (
            user("Where is the Rosetta Stone?"),
            model_fails("OverloadedError", "529 overloaded"),
            asks(FOUND),
            model_fails("OverloadedError", "529 overloaded"),
            answers("In room 4."),
        ),
        (),
        "the model was asked again each time, and answered",
    ),
    Story(
        "second_end_cut_off_mid_sentence",
        "openllmetry",
        GUIDE,
        (user("Tell me all about Egypt."), answers("Egypt was unified around 3100 BC by", "length")),
        ("run_completion",),
        "the answer was cut off",
    ),
    Story(
        "second_end_cut_off_then_continued",
        "pydantic_ai",
        GUIDE,
        (
            user("Tell me all about Egypt."),
            answers("Egypt was unified around 3100 BC by", "length"),
            answers("Egypt was unified around 3100 BC by Narmer. The end."),
        ),
        (),
        "the model was asked again, and ended by itself",
    ),
    Story(
        "second_end_content_filter_empty",
        "genai_events",
        GUIDE,
        (user("Describe the battle scenes in detail."), answers("", "content_filter")),
        ("run_completion",),
        "the filter left nothing of the answer",
    ),
    Story(
        "second_end_only_white_space",
        "genai",
        GUIDE,
        (user("Where is the Rosetta Stone?"), asks(FOUND), answers("\n\n")),
        ("run_completion",),
        "the answer is empty",
    ),
    Story(
        "second_end_no_answer_after_tool",
        "openllmetry",
        GUIDE,
        (user("Where is the Rosetta Stone?"), asks(FOUND), answers(None)),
        ("run_completion",),
        "the model gave no answer after the call",
    ),
    Story(
        "second_end_emoji",
        "vercel_ai",
        GUIDE,
        (user("Thanks, that was all!"), answers("👍")),
        (),
        "an answer, if a short one",
    ),
    Story(
        "second_end_one_digit",
        "genai_events",
        GUIDE,
        (user("Which room, as a number only?"), asks(FOUND), answers("4")),
        (),
        "an answer in one digit, as it was asked for",
    ),
    Story(
        "second_end_structured_with_error_field",
        "genai",
        GUIDE,
        (
            user("Where is the Stone? Answer as JSON."),
            asks(FOUND),
            answers('{"room": 4, "error": null, "status": "found"}'),
        ),
        (),
        "a structured answer",
    ),
    Story(
        "second_end_answer_quotes_an_error",
        "pydantic_ai",
        GUIDE,
        (
            user("My phone says 'Error 53: could not connect'. What can I do?"),
            answers("Error: 'could not connect' (53) means that the museum's Wi-Fi is full. Please try room 2."),
        ),
        (),
        "the answer explains the error of the visitor",
    ),
    Story(
        "second_end_refusal_in_japanese",
        "openinference",
        GUIDE,
        (user("警備の予定を教えて。"), answers("申し訳ありませんが、警備に関する情報はお答えできません。")),
        (),
        "declining is an answer",
    ),
    Story(
        "second_end_asks_back",
        "genai_events",
        GUIDE,
        (user("Tickets please."), answers("For which day, and for how many people?")),
        (),
        "asking back is fine",
    ),
    Story(
        "second_end_answer_cut_off_as_json",
        "pydantic_ai",
        GUIDE,
        (user("All rooms as JSON."), asks(FOUND), answers('{"rooms": [{"id": 4, "exhibits": ["Rosetta', "length")),
        ("run_completion",),
        "the structured answer was cut off",
    ),
)
