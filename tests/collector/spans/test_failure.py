from __future__ import annotations

from typing import Any

import pytest

from tracegrade.collector.spans.failure import build_failure_text, choose_more_specific

LIMITED = "Error code: 429 - Rate limit reached"


@pytest.mark.parametrize(
    ("told", "text"),
    [
        pytest.param({"message": "no rooms"}, "no rooms", id="message"),
        pytest.param({"message": None}, "error", id="nothing"),
        pytest.param({"message": "error"}, "error", id="no-more-than-that"),
        pytest.param({"message": None, "error_type": "_OTHER"}, "_OTHER", id="other"),
        pytest.param({"message": None, "error_type": "429"}, "429", id="status-code"),
        pytest.param({"message": "slow down", "error_type": "429"}, "slow down", id="message-and-status-code"),
        pytest.param(
            {"message": LIMITED, "error_type": "openai.RateLimitError"}, f"RateLimitError: {LIMITED}", id="type"
        ),
        pytest.param({"message": "ValueError: no", "error_type": "ValueError"}, "ValueError: no", id="type-in-message"),
        pytest.param({"message": None, "exceptions": [("a.KeyError", "'x'")]}, "KeyError: 'x'", id="exception"),
        pytest.param(
            {"message": "error", "exceptions": [("KeyError", "'x'")]}, "KeyError: 'x'", id="exception-says-more"
        ),
        pytest.param(
            {"message": None, "exceptions": [("TimeoutError", "")]}, "TimeoutError", id="exception-without-message"
        ),
        pytest.param({"message": "failed", "exceptions": [("Error", "boom")]}, "boom", id="exception-of-no-type"),
        pytest.param(
            {"message": "second", "exceptions": [("KeyError", "first"), ("ValueError", "second")]},
            "ValueError: second",
            id="the-exception-of-the-message",
        ),
        pytest.param(
            {"message": "gave up", "exceptions": [("KeyError", "first")]},
            "gave up",
            id="exception-of-an-earlier-attempt",
        ),
        pytest.param(
            {"message": "HotelError('no rooms')Traceback (most recent call last):\n  File 'x'\nHotelError: no rooms"},
            "HotelError: no rooms",
            id="repr-and-stack",
        ),
        pytest.param(
            {"message": "Traceback (most recent call last):\n  File 'x'\nHotelError: no rooms\n"},
            "HotelError: no rooms",
            id="stack-alone",
        ),
        pytest.param({"message": "no rooms\n    at book (a.js:1:2)"}, "no rooms", id="stack-of-javascript"),
        pytest.param(
            {
                "message": f"{{'message': 'Error in agent run', 'data': {{'error': '{LIMITED}'}}}}",
                "error_type": "_OTHER",
            },
            f"Error in agent run: {LIMITED}",
            id="repr-of-a-dict",
        ),
        pytest.param({"message": '{"error": {"message": "overloaded", "code": 529}}'}, "overloaded", id="json"),
        pytest.param(
            {"message": "Tool not found: {'tool_name': 'cancel'}"}, "Tool not found: cancel", id="fields-behind"
        ),
        pytest.param(
            {"message": "bad input: {'rooms': 0}"}, "bad input: {'rooms': 0}", id="somebodys-own-object-behind"
        ),
        pytest.param({"message": "{'a': [1]}"}, "{'a': [1]}", id="object-without-a-text"),
    ],
)
def test_failure_is_given_as_the_message_that_a_person_wants_to_read(told: dict[str, Any], text: str) -> None:
    assert build_failure_text(**told) == text


@pytest.mark.parametrize(
    ("cause", "text"),
    [
        pytest.param(f"RateLimitError: {LIMITED}", f"RateLimitError: {LIMITED}", id="names-the-exception"),
        pytest.param("KeyError: 'x'", f"Error in agent run: {LIMITED}", id="of-something-else"),
        pytest.param(LIMITED, f"Error in agent run: {LIMITED}", id="names-nothing-more"),
    ],
)
def test_cause_replaces_a_text_that_repeats_it(cause: str, text: str) -> None:
    assert choose_more_specific(f"Error in agent run: {LIMITED}", [cause]) == text


@pytest.mark.parametrize("text", ["error", "500", "_OTHER"])
def test_cause_replaces_a_text_that_tells_nothing(text: str) -> None:
    assert choose_more_specific(text, ["no rooms", "other"]) == "no rooms"
    assert choose_more_specific(text, []) == text
