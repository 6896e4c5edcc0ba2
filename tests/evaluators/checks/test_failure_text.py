"""Failures that a tool tells as text."""
# ruff: noqa: RUF001

from __future__ import annotations

import pytest

from tracegrade.evaluators.checks.failure.text import error_name, is_refusal_by_person, read_failure

ERRORS = """
Error: flight not available
ERROR: relation "orders" does not exist
[Error] the basket is closed
❌ Error: no seats left
Error (404): order missing
Failed to fetch the page
could not connect to the database
Unable to process the refund
Cannot cancel the order: already shipped
An error occurred while running the tool. Please try again.
Connection refused
Request timed out after 30 s
Rate limit exceeded
Access denied
2 validation errors for Booking
1 validation error: amount: Input should be a valid number
<tool_use_error>File has not been read yet</tool_use_error>
Fehler: Verbindung abgelehnt
Fehler beim Laden der Bestellung
Die Buchung konnte nicht durchgeführt werden
Datenbankfehler: Tabelle fehlt
Es ist ein Fehler aufgetreten
Zugriff verweigert
Error al procesar el pago
No se pudo completar la reserva
Se produjo un error inesperado
Acceso denegado
Erreur : vol complet
Échec de la réservation
Impossible de se connecter au serveur
Une erreur est survenue
Erro ao processar o pagamento
Não foi possível concluir a operação
Ocorreu um erro
エラー: 在庫サービスに接続できません
予約に失敗しました。
エラーが発生しました
错误：库存服务超时
预订失败：航班已满
系统繁忙，请稍后再试
无法连接到数据库
body failed validation: body.update_page.data should be defined, instead was `undefined`.
Parameter validation failed: missing required parameter in input: "Bucket"
Request failed schema validation
'{}' is not of type 'object'
'limit' is a required property
data/parent must be object
Expected object, received string
search() got an unexpected keyword argument 'limit'
Command Rejected: Error from server (Forbidden): pods is forbidden
Query rejected: only SELECT is allowed
Command not allowed: rm
Request blocked by policy
Bad Request: chat not found
Security error: the path is outside of the workspace
"""

OTHERS = """
404 results found
500 EUR transferred
401(k) plans explained
No errors found
0 errors
Error handling in Go is explicit
Errors are values
The error budget is 3 %
No flights found
Could not find any matches
Timeout: 30
Failures of the market in 1929
Fehlerfrei abgeschlossen
错误处理指南
Exceptional service
Failover complete
12 rows failed validation
name should be a string
Command line tools are blocked by default
Request rejected requests summary
Requests denied: 3
Request rejected: 3, approved: 4
Bad request errors have many causes
Expected object of type Foo
Failed: 0, passed: 3
Cancelled order 5
"""


@pytest.mark.parametrize("text", ERRORS.strip().splitlines())
def test_an_error_message_is_a_failure_in_the_languages_of_users(text: str) -> None:
    failure = read_failure(text, is_of_reader=False)
    assert failure is not None
    assert failure.rule == "error_text"


@pytest.mark.parametrize("text", OTHERS.strip().splitlines())
def test_what_merely_speaks_of_errors_is_not_a_failure(text: str) -> None:
    assert read_failure(text, is_of_reader=False) is None


@pytest.mark.parametrize(
    ("text", "rule", "name"),
    [
        ("PaymentError: card declined", "exception_text", "PaymentError"),
        ("requests.exceptions.ConnectionError: HTTPSConnectionPool", "exception_text", "ConnectionError"),
        ("TimeoutError", "exception_text", "TimeoutError"),
        ("KeyError('x')", "exception_text", "KeyError"),
        ("Traceback (most recent call last):\n  File …\nValueError: no", "exception_text", "ValueError"),
        ("java.lang.IllegalStateException: no\n\tat a.B.c(B.java:1)", "exception_text", "IllegalStateException"),
        ("HTTP 503 Service Unavailable", "http_text", "HTTP 503"),
        ("Request failed with status code 500", "http_text", "HTTP 500"),
        ("404 Client Error: Not Found for url: http://x", "http_text", "HTTP 404"),
        ("Internal Server Error", "http_text", None),
        ("rpc error: code = Unavailable desc = x", "grpc_status", "Unavailable"),
        ("Unknown tool: send_fax", "unknown_tool", None),
        ("foo is not a valid tool, try one of [bar].", "unknown_tool", None),
        ("Error: Tool 'x' not found", "unknown_tool", None),
        ("未知工具：send_fax", "unknown_tool", None),
    ],
)
def test_the_rule_and_the_name_of_the_error_are_told(text: str, rule: str, name: str | None) -> None:
    assert read_failure(text, is_of_reader=False) == (rule, name)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Traceback (most recent call last):\n  …\nValueError: no", id="a traceback in a log"),
        pytest.param("2026-01-01T10:00:00 Error: no", id="a line of a log"),
        pytest.param("ERROR payments - card declined", id="a level of a log"),
        pytest.param("src/a.py:3: Error: no", id="a hit of a search"),
        pytest.param("Error: 42\n" + "explained at length. " * 40, id="a long document"),
        pytest.param("Error: a\nb\nc\nd\ne", id="several lines"),
    ],
)
def test_what_a_reader_brings_may_begin_like_an_error(text: str) -> None:
    assert read_failure(text, is_of_reader=True) is None


def test_a_reader_fails_with_a_short_message() -> None:
    failure = read_failure("Error: ENOENT: no such file or directory", is_of_reader=True)
    assert failure is not None


@pytest.mark.parametrize(
    ("text", "is_refusal"),
    [
        ("The user doesn't want to proceed with this tool use.", True),
        ("Tool call was rejected by the user", True),
        ("Error: user not found", False),
        ("The bank rejected the card", False),
    ],
)
def test_a_refusal_by_a_person_is_recognised(text: str, *, is_refusal: bool) -> None:
    assert is_refusal_by_person(text) is is_refusal


def test_the_name_of_an_error_is_a_name_never_a_message() -> None:
    assert error_name("the call raised billing.CardDeclinedError for 4711") == "CardDeclinedError"
    assert error_name("card 4711 was declined") is None
