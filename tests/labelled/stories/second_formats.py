"""Short runs whose results are in a format of their own: FHIR, SOAP, JSON:API, RFC 9457, the repr of a dict, gRPC."""

from __future__ import annotations

from ..one_call import call_fails, call_works

STORIES = (
    call_fails(
        "second_fhir_outcome_error",
        "openinference",
        "Book Ms Okoye with Dr Ito on Monday at nine.",
        (
            "create_appointment",
            {"patient": "okoye", "practitioner": "ito", "start": "2026-03-02T09:00:00Z"},
            {
                "resourceType": "OperationOutcome",
                "issue": [{"severity": "error", "code": "conflict", "diagnostics": "Slot is already taken"}],
            },
        ),
        "Ms Okoye is booked on Monday at nine.",
        "the server refused the appointment: severity error",
    ),
    call_works(
        "second_fhir_outcome_information",
        "openllmetry",
        "Delete the draft appointment 9.",
        (
            "delete_appointment",
            {"id": "9"},
            {
                "resourceType": "OperationOutcome",
                "issue": [
                    {
                        "severity": "information",
                        "code": "informational",
                        "diagnostics": "Successfully deleted 1 resource",
                    }
                ],
            },
        ),
        "It is deleted.",
        "the outcome is information, of success",
    ),
    call_fails(
        "second_soap_fault",
        "genai_events",
        "Is the VAT number DE123 valid?",
        (
            "check_vat",
            {"number": "DE123"},
            (
                '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><soap:Fault>'
                "<faultcode>soap:Server</faultcode><faultstring>MS_UNAVAILABLE</faultstring></soap:Fault></soap:Body>"
                "</soap:Envelope>"
            ),
        ),
        "Yes, the number is valid.",
        "the service answered with a fault, and the answer is made up",
    ),
    call_fails(
        "second_json_api_errors",
        "genai",
        "Rename my playlist to Focus.",
        (
            "rename_playlist",
            {"id": "p1", "title": "Focus"},
            '{"errors": [{"status": "422", "title": "Invalid Attribute", "detail": "title has already been taken"}]}',
        ),
        "There is already a playlist of that name.",
        "the change was refused with 422",
    ),
    call_fails(
        "second_problem_json",
        "openllmetry",
        "Track parcel 3S7.",
        (
            "track_parcel",
            {"number": "3S7"},
            {"type": "about:blank", "title": "Service Unavailable", "status": 503, "detail": "Upstream carrier down"},
        ),
        "The carrier cannot be reached right now.",
        "the lookup failed with 503",
    ),
    call_fails(
        "second_python_repr_error",
        "openinference",
        "Assign ticket 40 to me.",
        (
            "assign_ticket",
            {"ticket": 40, "to": "me"},
            "{'status': 'error', 'message': 'Ticket is locked by another user', 'ticket': None}",
        ),
        "It is yours.",
        "the assignment failed, told as the repr of a dict",
    ),
    call_works(
        "second_python_repr_fine",
        "genai_events",
        "How many rows does the import have?",
        ("import_status", {"id": 7}, "{'status': 'finished', 'rows': 3120, 'error': None, 'errors': [], 'failed': 0}"),
        "3,120 rows.",
        "its error fields are empty",
    ),
    call_fails(
        "second_grpc_text",
        "pydantic_ai",
        "How much is left on my gift card 77?",
        (
            "gift_card_balance",
            {"card": "77"},
            "rpc error: code = Unavailable desc = connection error: dial tcp 10.0.3.9:443: connect: connection refused",
        ),
        "I could not reach the gift card service.",
        "the call ended in the gRPC status Unavailable",
    ),
    call_fails(
        "second_langchain_invocation_error",
        "vercel_ai",
        "Add the event to my calendar.",
        (
            "create_event",
            {"title": "Dentist", "start": "Tuesday"},
            (
                "Error invoking tool 'create_event' with kwargs {'title': 'Dentist', 'start': 'Tuesday'} with error:\n "
                "Invalid isoformat string: 'Tuesday'\n Please fix the error and try again."
            ),
        ),
        "The dentist is in your calendar.",
        "the event was not made, and nobody tried again",
    ),
    call_works(
        "second_model_metrics_called_error",
        "genai",
        "How good is the demand model?",
        (
            "evaluate_model",
            {"model": "demand-v3"},
            {"model": "demand-v3", "error": 0.034, "errors": {"mae": 3.2, "rmse": 4.9}, "status": "evaluated"},
        ),
        "Its relative error is 3.4 %, MAE 3.2.",
        "`error` is a measure of the model",
    ),
    call_works(
        "second_log_statistics_numbers",
        "openllmetry",
        "How many errors did the gateway log today?",
        ("log_statistics", {"service": "gateway"}, {"service": "gateway", "errors": 37, "warnings": 12, "code": 0}),
        "37 errors and 12 warnings.",
        "counts of errors were asked for",
    ),
)
