"""Short runs in seven languages: results that are a message of failure, and texts that only look like one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..story import Agent, Story, answers, asks, call, tool, user

Made = tuple[str, dict[str, Any], Any]


def failed(name: str, convention: str, question: str, made: Made, answer: str, why: str) -> Story:
    """A question, one call that fails, and an answer."""
    return replace(worked(name, convention, question, made, answer, why), failing=("tool_error",))


def worked(name: str, convention: str, question: str, made: Made, answer: str, why: str) -> Story:
    """A question, one call of the only tool, and an answer."""
    called, args, result = made
    agent = Agent("assistant", (tool(called, "", **{key: _kind(value) for key, value in args.items()}),))
    steps = (user(question), asks(call(called, args, result)), answers(answer))
    return Story(name, convention, agent, steps, (), why)


def _kind(value: Any) -> str:
    return "string" if isinstance(value, str) else "integer"


STORIES = (
    failed(
        "second_de_booking_unreachable",
        "genai",
        "Buch mir den Tisch für vier um acht.",
        (
            "tisch_reservieren",
            {"personen": 4, "zeit": "20:00"},
            "Die Reservierung konnte nicht durchgeführt werden, da das Buchungssystem nicht erreichbar ist.",
        ),
        "Der Tisch ist reserviert!",
        "the reservation did not go through, and the user is told that it did",
    ),
    failed(
        "second_de_access_denied",
        "vercel_ai",
        "Zeig mir das Gehalt von Frau Lang.",
        ("personalakte_lesen", {"person": "Lang"}, "Zugriff verweigert: Ihnen fehlt die Berechtigung HR_READ."),
        "Darauf habe ich keinen Zugriff.",
        "the file could not be read",
    ),
    worked(
        "second_de_no_errors_in_log",
        "openinference",
        "Steht etwas Auffälliges im Protokoll von heute?",
        ("protokoll_pruefen", {"tag": "heute"}, "Keine Fehler gefunden. 1.204 Zeilen geprüft, 0 Warnungen."),
        "Nein, alles ruhig.",
        "the log was read, and there are no errors in it",
    ),
    failed(
        "second_es_session_expired",
        "openllmetry",
        "Transfiere 50 € a Marta.",
        (
            "transferir",
            {"destino": "Marta", "euros": 50},
            "No se pudo completar la operación: la sesión ha caducado.",
        ),
        "La sesión ha caducado, vuelve a entrar por favor.",
        "the transfer was not made",
    ),
    worked(
        "second_es_help_article",
        "pydantic_ai",
        "¿Qué significa el error 404 en mi tienda?",
        (
            "buscar_ayuda",
            {"consulta": "error 404"},
            (
                "Error 404: qué significa y cómo resolverlo\n\nEl error 404 aparece cuando una página ya no existe. "
                "Para resolverlo, crea una redirección en Ajustes > Navegación."
            ),
        ),
        "Que la página ya no existe. Crea una redirección.",
        "an article of the help pages about an error",
    ),
    failed(
        "second_fr_service_unavailable",
        "genai_events",
        "Quel temps à Lyon demain ?",
        (
            "meteo",
            {"ville": "Lyon"},
            "Le service météo est momentanément indisponible. Veuillez réessayer plus tard.",
        ),
        "Demain, 21 degrés et du soleil.",
        "the service was unavailable, and the weather is made up",
    ),
    worked(
        "second_fr_translated_error_message",
        "genai",
        "Traduis « Error: file not found » en français.",
        ("traduire", {"texte": "Error: file not found", "vers": "fr"}, "Erreur : fichier introuvable"),
        "« Erreur : fichier introuvable »",
        "the result is the translation that was asked for",
    ),
    failed(
        "second_pt_certificate_expired",
        "vercel_ai",
        "Emita a nota do pedido 88.",
        ("emitir_nota", {"pedido": "88"}, "Não foi possível emitir a nota fiscal: certificado digital expirado."),
        "A nota foi emitida.",
        "no invoice was issued",
    ),
    worked(
        "second_pt_nothing_found",
        "openllmetry",
        "Há voos diretos de Porto para Malta hoje?",
        ("buscar_voos", {"de": "OPO", "para": "MLA"}, "Nenhum voo encontrado para os critérios informados."),
        "Hoje não há voos diretos.",
        "nothing found is an answer",
    ),
    failed(
        "second_ja_connection_failed",
        "openinference",
        "明日の会議室を予約して。",
        ("yoyaku", {"heya": "A", "hi": "明日"}, "エラー：予約システムに接続できませんでした。"),
        "予約が完了しました。",
        "the reservation failed, and the user is told that it is made",
    ),
    worked(
        "second_ja_no_match",
        "pydantic_ai",
        "田中さんの予約はありますか。",
        ("yoyaku_kensaku", {"namae": "田中"}, "該当する予約はありませんでした。"),
        "田中さまのご予約は見つかりませんでした。",
        "nothing found is an answer",
    ),
    failed(
        "second_zh_system_busy",
        "genai",
        "帮我退掉订单 5521。",
        ("tuikuan", {"dingdan": "5521"}, "系统繁忙，请稍后再试。"),
        "系统繁忙，请您稍后再试。",
        "the refund did not go through: the system was busy",
    ),
    worked(
        "second_zh_fault_code_manual",
        "genai_events",
        "洗衣机显示 E5 是什么意思？",
        ("chaxun_shouce", {"daima": "E5"}, "故障代码 E5：进水异常。请检查水龙头是否打开，并清洗进水滤网。"),
        "表示进水异常，请检查水龙头和滤网。",
        "the manual explains a fault code",
    ),
    failed(
        "second_en_plain_sentence_failure",
        "pydantic_ai",
        "Reorder my usual coffee.",
        (
            "reorder",
            {"item": "usual coffee"},
            "Unable to place the order because the payment method on file has expired.",
        ),
        "Your coffee is on the way.",
        "no order was placed, and the user is told it was",
    ),
    worked(
        "second_en_oracle_code_lookup",
        "vercel_ai",
        "What does ORA-00942 mean?",
        (
            "lookup_error_code",
            {"code": "ORA-00942"},
            (
                "ORA-00942: table or view does not exist\nCause: The table or view does not exist, or you have no "
                "privilege on it.\nAction: Check the spelling, or ask the owner for access."
            ),
        ),
        "The table does not exist, or you may not read it.",
        "an explanation of an error code was asked for",
    ),
    failed(
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
    worked(
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
    failed(
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
    failed(
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
    failed(
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
    failed(
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
    worked(
        "second_python_repr_fine",
        "genai_events",
        "How many rows does the import have?",
        ("import_status", {"id": 7}, "{'status': 'finished', 'rows': 3120, 'error': None, 'errors': [], 'failed': 0}"),
        "3,120 rows.",
        "its error fields are empty",
    ),
    failed(
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
    failed(
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
    worked(
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
    worked(
        "second_log_statistics_numbers",
        "openllmetry",
        "How many errors did the gateway log today?",
        ("log_statistics", {"service": "gateway"}, {"service": "gateway", "errors": 37, "warnings": 12, "code": 0}),
        "37 errors and 12 warnings.",
        "counts of errors were asked for",
    ),
)
