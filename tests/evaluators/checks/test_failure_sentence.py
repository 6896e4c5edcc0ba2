"""Plain sentences of failure, documents about failures, and failures in XML and HTML."""
# ruff: noqa: RUF001

from __future__ import annotations

import pytest

from tracegrade.evaluators.checks.failure.rules import FailureRules
from tracegrade.evaluators.checks.failure.sentence import read_sentence
from tracegrade.evaluators.checks.failure.text import is_about_access, read_failure
from tracegrade.evaluators.model import ToolCall

FAILURES = """
The server did not respond in time
Your session has expired
Your session has expired. Please log in again.
Payment declined by the issuer
The card was declined.
The requested resource was not found on this server
We were unable to complete your booking
We're sorry, but we could not process your payment.
Sorry, the system is currently down for maintenance.
The service is temporarily unavailable, please try again later.
The weather service is not responding.
The connection to the database was lost
The connection was reset by the peer
You do not have permission to view this record
You are not authorized to perform this action
You have exceeded your daily quota.
API limit reached
Insufficient funds
Your account has been suspended
The token is invalid
Your API key has been revoked
The service is unavailable. If the problem persists, contact support.
Your password is incorrect
Access to this resource is forbidden
Your account does not have permission to book
Request blocked by policy
Die Kreditkarte ist abgelaufen
I'm sorry, I was unable to complete the payment.
Der Zugriff auf diese Datei ist nicht erlaubt
Acceso no autorizado
Accès non autorisé
A conexão com o servidor caiu
系统维护中，请稍后再试
Login required
The host could not be reached
The transaction was not approved
The operation is not permitted
Your request could not be processed at this time.
No response from the server
An unexpected problem occurred
The message could not be delivered
Too many failed login attempts
Die Sitzung ist abgelaufen
Die Sitzung ist abgelaufen. Bitte melden Sie sich erneut an.
Der Server antwortet nicht
Der Server hat nicht rechtzeitig geantwortet.
Der Wetterdienst ist zurzeit nicht erreichbar
Die Zahlung wurde abgelehnt
Die Karte wurde vom Aussteller abgelehnt.
Sie haben keine Berechtigung für diese Aktion
Sie sind nicht berechtigt, diese Akte zu lesen.
Ihre Anfrage kann derzeit nicht bearbeitet werden
Das Tageslimit wurde überschritten
Das Token ist ungültig
Wir konnten Ihre Buchung leider nicht abschließen.
El servicio no está disponible
El servidor no responde
Su sesión ha caducado
La sesión ha expirado. Inicie sesión de nuevo.
El pago fue rechazado por el banco
La tarjeta ha sido rechazada
No tiene permisos para realizar esta acción
Fondos insuficientes
Se ha superado el límite de solicitudes
El servicio de reservas no está disponible en este momento.
No hemos podido procesar su solicitud.
Le service météo est momentanément indisponible
Le serveur ne répond pas
Votre session a expiré
Le paiement a été refusé
Vous n'avez pas les droits nécessaires
Solde insuffisant
Nous n'avons pas pu traiter votre demande.
La connexion au serveur a été perdue.
O serviço está indisponível no momento
O servidor não respondeu
Sua sessão expirou
O pagamento foi recusado
Você não tem permissão para acessar este recurso
Saldo insuficiente
O certificado expirou
サーバーに接続できません
ただいまサービスをご利用いただけません。
セッションの有効期限が切れました。
この操作を行う権限がありません
お支払いは拒否されました
サーバーが応答していません
システムはメンテナンス中です
您没有权限
服务暂时不可用
服务器无响应
会话已过期，请重新登录
支付被银行拒绝
余额不足
请求过于频繁，请稍后再试
您没有访问该资源的权限。
"""

OTHERS = """
No flights found
No results.
The order was cancelled on 3 March
The card was declined twice last year
Payment declined on 3 March 2024, paid on 4 March
The first payment was declined, the retry succeeded
The connection was lost once and restored after 3 s
0 errors
no failures
retry succeeded
The service is available
The server is up and responding
Your session is active
Payment accepted by the issuer
Your session expires in 30 minutes
Connection closed deals: 5
Service unavailable hours: 9-17
Payment declined rate: 3 %
The server room is down the hall
The system is down 20 % on last month
Sessions expired: 0
Access denied attempts: 4
Request timed out count: 0
Access denied: 0
Timeout set to 30 s.
Timeout: 30 s
Forbidden City, Beijing
Out of memory kills: 0
Error code E5 means the door is open.
If the server is down, call the hotline
The account was closed in 2019
Login page opened
Your card ends with 4242
Your request was sent to the bank
The page cannot be more than 3 MB
Die Sitzung beginnt um 10 Uhr
Die Zahlung wurde angenommen
Die Zahlung wurde am 3. März 2024 abgelehnt
Die Karte ist gültig
Keine Fehler gefunden
El pago fue aceptado
El servicio está disponible
No hay vuelos disponibles
La sesión empieza a las diez
Le service est disponible
Aucun vol trouvé
Le paiement a été accepté
O serviço está disponível
Nenhum voo encontrado
O pagamento foi aprovado
該当する便は見つかりませんでした
予約が完了しました
お支払いを受け付けました
没有找到航班
支付成功
服务器运行正常
余额充足
The customer was not found
Seat 4A is not available
Rate limit: 100 per minute
Booked. The card was charged 40 EUR.
Order 5 was rejected by the customer
Refund issued; the request was not permitted before but it worked
The payment failed twice, then the retry succeeded
Card blocked.
The card was blocked as requested
The token was revoked.
Account 4711 suspended.
The link is missing from page 3
La carte a été bloquée
O cartão foi bloqueado
Flight LH123 is not available on 3 May
"""


def rule_of(tool: str, result: str, **args: str) -> str | None:
    """The rule by which a call of `tool` counts as failed."""
    failure = FailureRules().failure_of(ToolCall(name=tool, args=args, result=result))
    return failure.rule if failure else None


def name_of(tool: str, result: str) -> str | None:
    """The name of the error with which a call of `tool` failed."""
    failure = FailureRules().failure_of(ToolCall(name=tool, result=result))
    return failure.name if failure else None


@pytest.mark.parametrize("text", FAILURES.strip().splitlines())
def test_a_plain_sentence_of_failure_is_recognised(text: str) -> None:
    assert rule_of("book_table", text) == "error_text"


@pytest.mark.parametrize("text", OTHERS.strip().splitlines())
def test_an_innocent_sentence_is_not_a_failure(text: str) -> None:
    assert rule_of("book_table", text) is None


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        pytest.param("read_file", "Your session has expired", id="a file"),
        pytest.param("get_shop_status", "The server is down", id="the state of something else"),
        pytest.param("book_table", "The server is down. " + "It was set up in spring. " * 2, id="three sentences"),
        pytest.param("book_table", "The server is down" + " and down" * 40, id="a long sentence"),
        pytest.param("book_table", "The server is down\nNotes of Monday", id="several lines"),
    ],
)
def test_a_plain_sentence_counts_only_where_it_is_the_whole_answer(tool: str, text: str) -> None:
    assert rule_of(tool, text) is None


RUNBOOK = (
    "Error: ECONNREFUSED 127.0.0.1:6379\n\nWhen you see this, Redis is down. Check the pod and the memory limit first."
)
STEPS = "Failed to connect to the database. 1. Check the pod. 2. Restart it."
SUMMARY = (
    "Failed to renew the certificate: the automation lost its permission. All logins returned HTTP 525 for an hour. "
    "The permission was restored; an alert warns in time."
)
ARTICLE = "Error 404: qué significa\n\nEl error aparece cuando una página ya no existe. Para resolverlo, crea otra."


@pytest.mark.parametrize(
    ("tool", "text", "rule"),
    [
        pytest.param("get_runbook", RUNBOOK, None, id="a runbook"),
        pytest.param("get_runbook", STEPS, None, id="numbered steps"),
        pytest.param("summarize_incident", SUMMARY, None, id="a summary of an incident"),
        pytest.param("buscar_ayuda", ARTICLE, None, id="an article in Spanish"),
        pytest.param("acme", ARTICLE, None, id="an article from a tool of any name"),
        pytest.param("get_runbook", "Error: runbook not found", "error_text", id="a runbook that is not there"),
        pytest.param("get_guide", "Error: the red lamp blinks twice", None, id="a short document"),
        pytest.param(
            "buscar_reserva", "Error: no se pudo consultar la reserva.", "error_text", id="a search that failed"
        ),
        pytest.param("acme", "Error: no seat\n\nPlease pick another seat. Then try again.", "error_text", id="advice"),
        pytest.param(
            "acme",
            "404 Not Found\n\nThe requested URL was not found. If you entered it, check it.",
            "http_text",
            id="HTTP",
        ),
        pytest.param(
            "acme", "Error: invalid order:\n1. Name is missing\n2. Date is missing", "error_text", id="a list"
        ),
        pytest.param("acme", "Error: boom\n\n    at f (a.js:1)\n    at g (b.js:2)", "error_text", id="stack frames"),
        pytest.param("get_sentry_event", "Traceback (most recent call last):\nKeyError: x", None, id="an event"),
        pytest.param("traduire", "Erreur : fichier cassé", None, id="a translation"),
    ],
)
def test_a_document_that_begins_like_an_error_is_not_one(tool: str, text: str, rule: str | None) -> None:
    assert rule_of(tool, text) == rule


@pytest.mark.parametrize(
    "text",
    [
        "Request timed out",
        "Timeout after 30 s",
        "Forbidden",
        "Out of memory",
        "Error code: 429",
        "Connection closed by peer",
    ],
)
def test_a_bare_word_of_failure_is_one_where_nothing_else_follows(text: str) -> None:
    assert read_failure(text, is_of_reader=False) is not None


@pytest.mark.parametrize(
    ("text", "is_about"),
    [
        ("Error: no such document", True),
        ("Fehler: Dokument nicht gefunden", True),
        ("Erreur : accès refusé", True),
        ("Error: el servicio no está disponible", True),
        ("エラー: 接続できません", True),
        ("错误：权限不足", True),
        ("Error: the red lamp blinks", False),
        ("Fehler: die Lampe blinkt", False),
    ],
)
def test_a_message_about_access_is_told_from_a_text_about_errors(text: str, *, is_about: bool) -> None:
    assert is_about_access(text) is is_about


@pytest.mark.parametrize("query", ["fallo de conexión", "Störung", "故障"])
def test_a_search_for_errors_may_find_one_in_the_languages_of_users(query: str) -> None:
    assert rule_of("buscar_manual", "Error: no connection") == "error_text"
    assert rule_of("buscar_manual", "Error: no connection", consulta=query) is None


SOAP = '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>{}</soap:Body></soap:Envelope>'
FAULT = "<soap:Fault><faultcode>soap:Server</faultcode><faultstring>down</faultstring></soap:Fault>"
DENIED = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>'
)
PAGE = "<html><head><title>{0}</title></head><body><center><h1>{0}</h1></center><hr>{1}</body></html>"


@pytest.mark.parametrize(
    ("tool", "text", "rule"),
    [
        pytest.param("check_vat", SOAP.format(FAULT), "error_text", id="a fault of the service that a probe asks"),
        pytest.param("book", SOAP.format(FAULT), "error_text", id="a SOAP fault"),
        pytest.param("book", SOAP.format("<Booked>1</Booked>"), None, id="a SOAP answer"),
        pytest.param("get_object", DENIED, "error_text", id="an error document"),
        pytest.param("read_file", DENIED, "error_text", id="an error document instead of a file"),
        pytest.param("read_file", "<Error><Lamp>red</Lamp></Error>", None, id="a file"),
        pytest.param(
            "book",
            '<ns:ExceptionReport><ns:Exception exceptionCode="NoCode"/></ns:ExceptionReport>',
            "error_text",
            id="OGC",
        ),
        pytest.param("book", "<Errors/>", None, id="no errors"),
        pytest.param("book", "<Errors></Errors>", None, id="an empty list of errors"),
        pytest.param(
            "book", "<Order><Id>1</Id><Lines><Errors>x</Errors></Lines></Order>", None, id="errors further down"
        ),
        pytest.param("book", "<Order><Errors>x</Errors></Order>", "errors_field", id="nothing but errors"),
        pytest.param("book", "<!DOCTYPE a [<!ENTITY b 'x'>]><a><Error>&b;</Error></a>", None, id="entities"),
        pytest.param("book", PAGE.format("403 Forbidden", "nginx"), "http_text", id="an error page"),
        pytest.param("fetch_url", PAGE.format("502 Bad Gateway", "nginx"), "http_text", id="an error page of a reader"),
        pytest.param("book", "<h1>Not Found</h1>", "http_text", id="a headline"),
        pytest.param("fetch_url", PAGE.format("404 Not Found - Reference", "nginx"), None, id="a page about a status"),
        pytest.param("fetch_url", PAGE.format("Not Found", "A film of 1982. " * 60), None, id="a long page"),
        pytest.param("book", PAGE.format("Booked", "seat 4A"), None, id="a page"),
    ],
)
def test_a_fault_in_xml_and_an_error_page_are_failures(tool: str, text: str, rule: str | None) -> None:
    assert rule_of(tool, text) == rule


def test_the_code_of_a_fault_is_told_and_never_its_message() -> None:
    assert name_of("book", SOAP.format(FAULT)) == "Server"
    assert name_of("book", DENIED) == "AccessDenied"
    assert name_of("book", PAGE.format("403 Forbidden", "nginx")) == "HTTP 403"
    assert name_of("book", "<Error><Message>card 4711 refused</Message></Error>") is None


@pytest.mark.parametrize("text", ["the " * 75, "<" * 5_000, "<Envelope " * 800, "Error: a. B" * 360, "\n \n" * 900])
def test_hostile_texts_are_read(text: str) -> None:
    assert read_sentence(text) is None
    read_failure(text, is_of_reader=False)
