"""What is plainly meant is taken so: each rule of `tool_call_validity` by its name, and without it."""

from __future__ import annotations

from typing import Any

import pytest

from tracegrade.evaluators.checks.tool_call_validity import ToolCallValidity
from tracegrade.evaluators.model import AgentTrace, JsonObject, Score, ToolCall, ToolDefinition

BOOK = ToolDefinition(
    name="book_hotel",
    input_schema={
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "nights": {"type": "integer"},
            "price": {"type": "number"},
            "quiet": {"type": "boolean"},
            "arrival": {"type": "string", "format": "date-time"},
            "guests": {"type": "array", "items": {"type": "object", "required": ["name"]}},
            "address": {"type": "object", "properties": {"street": {"type": "string"}}},
            "stars": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]},
            "opaque": {"type": "object"},
        },
    },
)
OFFERED = (ToolDefinition(name="search_flights"), BOOK)


def evaluated(*calls: ToolCall, tools: tuple[ToolDefinition, ...] = OFFERED, **options: Any) -> Score:
    return ToolCallValidity(**options)(AgentTrace(tool_calls=calls, tool_definitions=tools))


def book(**args: Any) -> ToolCall:
    return ToolCall(name="book_hotel", args=args, result="booked")


def failing(call: ToolCall, failure: str) -> ToolCall:
    return call.model_copy(update={"status": "error", "error": failure})


def with_schema(schema: JsonObject, args: JsonObject, **options: Any) -> Score:
    tool = ToolDefinition(name="pay", input_schema=schema)
    return evaluated(ToolCall(name="pay", args=args), tools=(tool,), **options)


@pytest.mark.parametrize(
    ("args", "note"),
    [
        pytest.param({"nights": "5"}, "nights: a text for a number", id="text for an integer"),
        pytest.param({"price": "2.5"}, "price: a text for a number", id="text for a number"),
        pytest.param({"quiet": "true"}, "quiet: a text for a boolean", id="text for a boolean"),
        pytest.param({"quiet": 1}, "quiet: a number for a boolean", id="one for true"),
        pytest.param({"city": 5}, "city: a number for a text", id="number for a text"),
        pytest.param({"city": True}, "city: a boolean for a text", id="boolean for a text"),
        pytest.param({"stars": ["5"]}, "stars[0]: a text for a number", id="within a branch of a union"),
        pytest.param({"stars": "5"}, "stars: a text for a number", id="for a branch of a union"),
        pytest.param({"opaque": "economy"}, "opaque: the schema says no more than object", id="opaque object"),
        pytest.param({"arrival": "2026-12-01T10:00:00"}, "arrival: ISO 8601 for date-time", id="time without offset"),
        pytest.param({"arrival": "2026-12-01"}, "arrival: ISO 8601 for date-time", id="day for a time"),
    ],
)
def test_a_scalar_that_converts_without_loss_is_valid_with_a_note_where_the_call_worked(
    args: JsonObject, note: str
) -> None:
    score = evaluated(book(**args))
    assert score.value == 1
    assert score.explanation == f"every call is valid; book_hotel: coercion: {note}"
    assert score.details["calls"][0]["notes"] == [f"coercion: {note}"]
    assert evaluated(book(**args), coercion="none").value == 0
    assert evaluated(failing(book(**args), "Out of rooms")).value == 0


@pytest.mark.parametrize(
    "args",
    [
        pytest.param({"nights": "five"}, id="word for an integer"),
        pytest.param({"nights": "2.5"}, id="fraction for an integer"),
        pytest.param({"nights": 2.5}, id="fraction"),
        pytest.param({"nights": "05"}, id="number with a leading zero"),
        pytest.param({"quiet": "yes"}, id="word for a boolean"),
        pytest.param({"quiet": 2}, id="two for a boolean"),
        pytest.param({"arrival": "soon"}, id="word for a time"),
        pytest.param({"city": ["Paris"]}, id="list for a text"),
        pytest.param({"opaque": ["economy"]}, id="list for an object"),
    ],
)
def test_what_would_lose_something_is_invalid_even_where_the_call_worked(args: JsonObject) -> None:
    assert evaluated(book(**args)).value == 0


def test_a_whole_number_with_a_fraction_of_zero_is_an_integer() -> None:
    assert evaluated(book(nights=2.0), coercion="none").value == 1


def test_a_converted_value_has_to_fit_the_rest_of_its_schema() -> None:
    schema = {"properties": {"level": {"type": "integer", "minimum": 3}}}
    assert with_schema(schema, {"level": "3"}).value == 1
    assert with_schema(schema, {"level": "2"}).value == 0


def test_null_for_an_optional_parameter_is_absent() -> None:
    score = evaluated(book(nights=None))
    assert score.value == 1
    assert score.explanation == (
        "every call is valid; book_hotel: null_is_absent: nights: null for an optional property"
    )
    assert evaluated(book(nights=None), null_is_absent=False).value == 0


def test_null_for_a_required_parameter_is_invalid() -> None:
    assert with_schema({"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"a": None}).value == 0


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        pytest.param({"type": ["string", "null"]}, 1, id="that takes null"),
        pytest.param({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1, id="with a branch for null"),
        pytest.param({"type": "string", "nullable": True}, 1, id="that is nullable as in OpenAPI"),
        pytest.param({"type": "string", "default": "x"}, 1, id="with a default"),
        pytest.param({"type": "string"}, 0, id="that takes no null"),
        pytest.param({}, 0, id="of which nothing is said"),
    ],
)
def test_strict_schemas_list_each_parameter_as_required_so_that_a_required_one_may_be_absent(
    declared: JsonObject, value: int
) -> None:
    schema = {"properties": {"a": declared}, "required": ["a"]}
    assert with_schema(schema, {}).value == value
    assert with_schema(schema, {}, null_is_absent=False).value == 0


def test_schemas_in_the_words_of_openapi_are_read() -> None:
    schema = {"type": "OBJECT", "properties": {"a": {"type": "STRING", "nullable": True}}, "required": ["a"]}
    assert with_schema(schema, {"a": None}, null_is_absent=False).value == 1
    assert with_schema(schema, {"a": []}).value == 0


def test_arguments_that_are_encoded_twice_are_decoded() -> None:
    whole = ToolCall(name="book_hotel", args_text='"{\\"nights\\": 5}"')
    assert evaluated(whole).details["calls"][0]["notes"] == ["encoded_twice: JSON in a text"]
    assert evaluated(whole, encoded_twice=False).value == 0

    part = book(guests='[{"name": "Ann"}]', address='{"street": "Rue 1"}')
    assert evaluated(part).details["calls"][0]["notes"] == [
        "encoded_twice: guests: JSON in a text",
        "encoded_twice: address: JSON in a text",
    ]
    assert evaluated(part, encoded_twice=False).value == 0


def test_what_was_encoded_twice_is_checked_like_everything_else() -> None:
    score = evaluated(book(guests='[{"age": 3}]'))
    assert score.details["calls"][0]["faults"] == ["'name' is missing in guests[0]"]
    assert evaluated(ToolCall(name="book_hotel", args_text='"{\\"nights\\": \\"five\\"}"')).value == 0


def test_a_parameter_that_the_failure_of_the_call_names_is_taken_as_it_was_passed() -> None:
    call = book(guests='[{"name": "Ann"}]')
    assert evaluated(failing(call, "Timeout")).value == 1
    assert evaluated(failing(call, "guests: Input should be a valid list")).value == 0
    assert evaluated(failing(book(nights=None), "nights must be a number")).value == 0


@pytest.mark.parametrize(
    "failure",
    [
        "Input validation error: '[{\"name\": \"Ann\"}]' is not of type 'array'",
        "Expected array, received string",
        'body should be an object or `undefined`, instead was `"[]"`',
        "json: cannot unmarshal string into Go value of type []Guest",
        'invalid type: string "[]", expected a sequence',
        "AttributeError: 'str' object has no attribute 'append'",
    ],
)
def test_text_that_the_tool_rejected_is_no_list(failure: str) -> None:
    score = evaluated(failing(book(guests='[{"name": "Ann"}]'), failure))
    assert score.details["calls"][0]["status"] == "invalid"


@pytest.mark.parametrize("failure", ["Timeout", "HTTP 503", "The list is empty", "Validation failed: no room"])
def test_text_that_failed_for_another_reason_is_decoded(failure: str) -> None:
    assert evaluated(failing(book(guests='[{"name": "Ann"}]'), failure)).value == 1


def test_a_text_for_the_only_parameter_is_read_where_the_call_worked() -> None:
    tool = ToolDefinition(name="look", input_schema={"properties": {"city": {"type": "string"}}, "required": ["city"]})
    call = ToolCall(name="look", args_text="Paris", result="found")
    assert evaluated(call, tools=(tool,)).details["calls"][0]["notes"] == [
        "coercion: city: a text for the only parameter"
    ]
    assert evaluated(call, tools=(tool,), coercion="none").value == 0
    assert evaluated(failing(call, "Bad input"), tools=(tool,)).value == 0
    assert evaluated(call.model_copy(update={"args_text": '{"city": "Pa'}), tools=(tool,)).value == 0
    assert evaluated(call.model_copy(update={"name": "book_hotel"})).value == 0


def test_a_tool_that_takes_free_text_has_no_schema_to_break() -> None:
    free = ToolDefinition(name="patch")
    call = ToolCall(name="patch", args_text="*** Begin Patch", result="done")
    assert evaluated(call, tools=(free,)).reason == (
        "no call could be checked: patch: the schema of the tool was not recorded, or is not a JSON object"
    )
    assert evaluated(call.model_copy(update={"args_text": '{"a": '}), tools=(free,)).value == 0


def test_arguments_that_were_cut_off_by_the_exporter_are_left_out() -> None:
    call = ToolCall(name="book_hotel", args_text='{"city": "' + "x" * 200)
    trace = AgentTrace(tool_calls=(call,), tool_definitions=OFFERED)
    assert ToolCallValidity()(trace).value == 0
    cut = ToolCallValidity()(trace.model_copy(update={"gaps": ("truncated",)}))
    assert cut.reason == "no call could be checked: book_hotel: its arguments were cut off"


@pytest.mark.parametrize("text", ["[REDACTED]", "<masked>", "***", "redacted"])
def test_an_argument_that_was_redacted_is_not_recorded(text: str) -> None:
    assert evaluated(book(nights=text)).reason == "no call could be checked: book_hotel: nights was redacted"
    assert evaluated(book(nights=text, price="much")).details["calls"][0]["faults"] == [
        'price: the value is not of type "number"'
    ]


@pytest.mark.parametrize("text", ["", "  ", "null"])
def test_blank_arguments_are_none(text: str) -> None:
    tool = ToolDefinition(name="now", input_schema={"type": "object", "properties": {}})
    assert evaluated(ToolCall(name="now", args_text=text), tools=(tool,)).value == 1


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({}, id="empty"),
        pytest.param({"type": "object"}, id="any object"),
        pytest.param({"type": "object", "properties": {}, "required": []}, id="no parameters, called with some"),
        pytest.param({"title": "pay", "additionalProperties": True}, id="a title alone"),
    ],
)
def test_a_schema_that_says_nothing_checks_nothing_and_scores_nothing(schema: JsonObject) -> None:
    score = with_schema(schema, {"amount": 3})
    assert (score.status, score.reason) == ("skipped", "no call could be checked: pay: its schema says nothing")
    assert with_schema(schema, {"amount": 3}, silent_schemas=False).value == 1


def test_a_tool_without_parameters_that_is_called_without_arguments_is_called_right() -> None:
    assert with_schema({"type": "object", "properties": {}}, {}).value == 1
    assert with_schema({}, {}).status == "skipped"


def test_a_schema_that_closes_its_empty_list_of_parameters_says_something() -> None:
    closed = {"type": "object", "properties": {}, "additionalProperties": False}
    assert with_schema(closed, {"amount": 3}).value == 0


@pytest.mark.parametrize(
    ("called", "offered"),
    [
        pytest.param("mcp__travel__book_hotel", "book_hotel", id="called with an MCP prefix"),
        pytest.param("book_hotel", "mcp__travel__book_hotel", id="run without its MCP prefix"),
        pytest.param("mcp__travel__book_hotel", "travel.book_hotel", id="both with a namespace"),
        pytest.param("functions.book_hotel", "book_hotel", id="OpenAI's namespace"),
        pytest.param("default_api.book_hotel", "book_hotel", id="Gemini's namespace"),
        pytest.param("travel:book_hotel", "book_hotel", id="colon"),
        pytest.param("travel/book_hotel", "book_hotel", id="slash"),
        pytest.param("book_hotel", "travel-book_hotel", id="offered with a plug-in"),
        pytest.param("travel_book_hotel", "book_hotel", id="server and underscore"),
        pytest.param("bookHotel", "book_hotel", id="camel case"),
        pytest.param("book-hotel", "book_hotel", id="kebab case"),
        pytest.param("Travel.BookHotel", "book_hotel", id="namespace and Pascal case"),
    ],
)
def test_a_tool_by_another_spelling_is_the_only_offered_one_that_fits(called: str, offered: str) -> None:
    tools = (ToolDefinition(name=offered, input_schema=BOOK.input_schema), ToolDefinition(name="search_flights"))
    call = ToolCall(name=called, args={"nights": 2}, result="booked")
    score = evaluated(call, tools=tools)
    assert score.value == 1
    assert score.explanation == f"every call is valid; {called}: name_variants: offered as {offered}"
    assert evaluated(call, tools=tools, name_variants=False).value == 0
    assert evaluated(call.model_copy(update={"args": {"nights": []}}), tools=tools).value == 0


@pytest.mark.parametrize("called", ["cancel_hotel", "book_hotels", "hotel", "delete_search_flights"])
def test_a_name_that_was_not_offered_is_invalid(called: str) -> None:
    call = ToolCall(name=called, args={}, status="not_executed")
    assert evaluated(call).details["calls"][0]["faults"][0].startswith("no such tool was offered")


def test_a_verb_before_the_name_of_a_tool_makes_it_another_tool() -> None:
    order = ToolDefinition(name="order", input_schema=BOOK.input_schema)
    assert evaluated(ToolCall(name="cancel_order", args={}, result="done"), tools=(order,)).value == 0


def test_a_name_that_fits_several_tools_is_left_out() -> None:
    tools = tuple(ToolDefinition(name=f"mcp__{server}__search", input_schema={}) for server in ("github", "jira"))
    score = evaluated(ToolCall(name="search", args={}), tools=tools)
    assert score.reason == "no call could be checked: search: it may be mcp__github__search, mcp__jira__search"


@pytest.mark.parametrize(
    "answer",
    [
        "Error: unknown tool 'bookHotel'",
        "Tool bookHotel not found",
        "bookHotel is not a valid tool, try one of [book_hotel].",
        "The function `bookHotel` does not exist.",
        "Model tried to call unavailable tool 'bookHotel'. Available tools: book_hotel.",
    ],
)
def test_a_name_that_the_framework_refused_is_invalid_however_near_it_is(answer: str) -> None:
    score = evaluated(ToolCall(name="bookHotel", args={}, result=answer))
    assert score.details["calls"][0]["faults"] == ["no such tool was offered (did you mean 'book_hotel'?)"]


def test_where_no_tools_were_recorded_a_name_that_was_refused_is_invalid_and_others_are_left_out() -> None:
    refused = ToolCall(name="send_fax", args={}, result="Unknown tool: send_fax. Available tools: file_document")
    answered = ToolCall(name="search", args={}, result="Error: no such tool in stock")
    score = ToolCallValidity()(AgentTrace(tool_calls=(refused, answered)))
    assert score.value == 0
    assert score.explanation == (
        "1 of 1 call invalid (1 not checked: the trace does not record which tools were offered): "
        "send_fax: no such tool was offered"
    )
    assert ToolCallValidity()(AgentTrace(tool_calls=(answered,))).status == "skipped"


def test_a_tool_that_the_provider_runs_is_left_out() -> None:
    score = evaluated(ToolCall(name="web_search_call", id="ws_1"), book(nights=[]))
    assert score.explanation == (
        "1 of 1 call invalid (1 not checked: the provider runs it): "
        'book_hotel: nights: the value is not of type "integer"'
    )
    assert evaluated(ToolCall(name="web_search"), provider_tools=False).value == 0
    assert evaluated(ToolCall(name="web_search", result="Unknown tool: web_search")).value == 0


def test_a_tool_that_the_provider_defines_is_left_out_where_it_ran() -> None:
    ran = evaluated(ToolCall(name="bash", args={"command": "ls"}, result="a.txt"))
    assert ran.reason == "no call could be checked: bash: the provider defines it"
    assert evaluated(ToolCall(name="bash", args={"command": "ls"}, status="not_executed")).value == 0


def test_a_function_of_the_users_with_the_name_of_a_provider_tool_is_checked() -> None:
    own = ToolDefinition(name="web_search", input_schema={"required": ["query"]})
    assert evaluated(ToolCall(name="web_search", args={}), tools=(own,)).value == 0


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("transfer_to_booking_agent", "a hand-off, which the framework offers"),
        ("handoff_to_billing", "a hand-off, which the framework offers"),
        ("Handoff-transfer_to_hotel_agent", "a hand-off, which the framework offers"),
        ("transfer_back_to_supervisor", "a hand-off, which the framework offers"),
        ("python_interpreter", "code, which the framework runs"),
        ("final_result", "the final answer, whose form the framework offers"),
        ("final_answer", "the final answer, whose form the framework offers"),
    ],
)
def test_a_tool_that_the_framework_adds_is_left_out_unless_it_failed(name: str, reason: str) -> None:
    call = ToolCall(name=name, args={}, status="not_executed")
    assert evaluated(call).reason == f"no call could be checked: {name}: {reason}"
    assert evaluated(call, framework_tools=False).value == 0
    assert evaluated(failing(call, f"Tool {name} not found")).value == 0


def test_a_managed_agent_is_called_like_a_tool_and_offered_as_an_agent() -> None:
    inner = ToolCall(name="pay", args={}, agent_name="hotel_agent", child_agent_trace_id="t-1")
    score = evaluated(inner, ToolCall(name="hotel_agent", args={"task": "Book"}, result="booked"))
    assert [call["reason"] for call in score.details["calls"]] == [
        "a sub-agent made it, with tools of its own",
        "an agent, which was offered as such",
    ]


def test_a_managed_agent_whose_run_is_not_seen_is_known_by_its_task() -> None:
    call = ToolCall(name="poet", args={"task": "Write", "additional_args": {}}, result="a poem")
    assert evaluated(call).reason == "no call could be checked: poet: an agent, which was offered as such"
    assert evaluated(call.model_copy(update={"status": "not_executed", "result": None})).value == 0
    assert evaluated(call.model_copy(update={"args": {"task": "Write", "style": "odd"}})).value == 0


def test_a_call_of_a_sub_agent_is_checked_only_where_this_run_was_offered_the_tool() -> None:
    inner = ToolCall(name="pay", args={}, agent_name="billing", child_agent_trace_id="t-1")
    score = evaluated(inner, book(nights=[]).model_copy(update={"child_agent_trace_id": "t-1"}))
    assert score.value == 0
    assert score.details["calls"][0]["reason"] == "a sub-agent made it, with tools of its own"
    assert score.details["judged"] == 1


def test_where_only_hand_offs_were_recorded_as_offered_nobody_knows_the_other_tools() -> None:
    hand_off = ToolDefinition(name="transfer_to_hotel_agent", input_schema={})
    call = ToolCall(name="search", args={}, result="[]")
    assert evaluated(call, tools=(hand_off,)).reason == (
        "no call could be checked: search: only hand-offs were recorded as offered"
    )
    assert evaluated(failing(call, "Unknown tool search"), tools=(hand_off,)).value == 0


def test_calls_that_were_not_recorded_are_not_no_calls() -> None:
    hidden = AgentTrace(tool_definitions=OFFERED, gaps=("content_not_captured",))
    assert ToolCallValidity()(hidden).reason == "tool calls were not recorded (content_not_captured)"


def test_notes_never_repeat_a_value() -> None:
    text = evaluated(book(nights="4711", city=4711, guests='[{"name": "4711"}]')).model_dump_json()
    assert "4711" not in text
