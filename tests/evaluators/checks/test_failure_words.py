"""Failures in the words of editors, shells, browsers, libraries and languages, each as the only result of a run."""
# ruff: noqa: E501, RUF001

from __future__ import annotations

from typing import Any

import pytest

from tracegrade.evaluators.checks.tool_error import ToolError
from tracegrade.evaluators.model import AgentTrace, ToolCall

FAILED = [
    (
        "edit",
        "Your proposed edit has introduced new syntax error(s). Please read this error message carefully and then retry editing the file.\n\nERRORS:\n- E999 IndentationError: unexpected indent\n\nThis is how your edit would have looked if applied\n-------------------------------------------------\n[File: /x.py (20 lines total)]\n1:import os\n2:  x = 1\n\nThis is the original code before your edit\n---------\n1:import os\n\nYour changes have NOT been applied. Please fix your edit command and try again.",
    ),
    ("str_replace_editor", "No replacement was performed, old_str `foo` did not appear verbatim in /repo/a.py."),
    (
        "str_replace_editor",
        "No replacement was performed. Multiple occurrences of old_str `foo` in lines [3, 9]. Please ensure it is unique",
    ),
    ("Edit", "<tool_use_error>String to replace not found in file.\nString: foo</tool_use_error>"),
    ("Edit", "String to replace not found in file.\nString: def a():\n    pass"),
    ("edit_file", "The edit was not applied: the search block was not found in src/a.ts"),
    ("replace_in_file", "The SEARCH block in the diff does not match anything in the file."),
    ("apply_diff", "No sufficiently similar match found at line: 12 (89% similar, needs 100%)"),
    ("apply_patch", "patch does not apply"),
    ("apply_patch", "Hunk #1 FAILED at 12."),
    ("write_file", "File has not been read yet. Read it first before writing to it."),
    (
        "edit_file",
        "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.",
    ),
    (
        "edit",
        "Found 2 matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true.",
    ),
    ("edit", "oldString not found in content"),
    ("edit", "Could not find the exact text in a.py. The old text must match exactly."),
    (
        "insert_lines",
        "Invalid `insert_line` parameter: 400. It should be within the range of lines of the file: [0, 120]",
    ),
    ("bash", "/bin/bash: line 6: syntax error near unexpected token `('"),
    ("bash", "bash: -c: line 1: unexpected EOF while looking for matching `''"),
    ("bash", "/bin/sh: 1: Syntax error: Unterminated quoted string"),
    ("bash", "sh: 1: foo: not found"),
    ("bash", "zsh: parse error near `)'"),
    ("bash", "zsh: no matches found: *.foo"),
    ("bash", "/bin/bash: line 1: cd: /nope: No such file or directory"),
    ("bash", "bash: fork: retry: Resource temporarily unavailable"),
    ("bash", "bash: warning: setlocale\nbash: line 3: `foo-bar': not a valid identifier"),
    ("execute_command", "'foo' is not recognized as an internal or external command,\noperable program or batch file."),
    ("shell", "The term 'foo' is not recognized as the name of a cmdlet, function, script file, or operable program."),
    ("run_query", 'psycopg.errors.UndefinedColumn: column "foo" does not exist\nLINE 1: SELECT foo'),
    ("query_database", 'psycopg2.errors.UndefinedTable: relation "x" does not exist'),
    ("run_sql", '(psycopg2.errors.UndefinedTable) relation "x" does not exist\n[SQL: select 1]'),
    ("browser_navigate", "net::ERR_NAME_NOT_RESOLVED at https://foo.invalid"),
    ("goto", "page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/"),
    ("browser_click", "Timeout 30000ms exceeded."),
    ("browser_click", "locator.click: Timeout 30000ms exceeded.\nCall log:\n  - waiting for locator('#a')"),
    ("click", "TimeoutError: page.click: Timeout 30000ms exceeded.\nCall log: waiting"),
    ("call_api", "requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='x', port=443): Read timed out."),
    ("get_doc", "elasticsearch.NotFoundError: not found"),
    ("read_object", "botocore.errorfactory.NoSuchKey: An error occurred (NoSuchKey)"),
    ("book", "sqlalchemy.exc.NoResultFound: No row was found when one was required"),
    ("charge", "stripe.error.CardDeclined: Your card was declined."),
    ("book", "org.postgresql.util.PSQLException: ERROR: x"),
    ("book", "django.core.exceptions.ObjectDoesNotExist: x"),
    ("book", "Models.Order.DoesNotExist: Order matching query does not exist."),
    ("book", "redis.exceptions.WatchError: x"),
    ("call", "kotlinx.coroutines.TimeoutCancellationException: Timed out waiting for 5000 ms"),
    ("call", "asyncio.exceptions.CancelledError"),
    ("book", "خطأ: الخدمة غير متوفرة"),
    ("book", "حدث خطأ أثناء معالجة الطلب"),
    ("book", "فشل الاتصال بالخادم"),
    ("book", "تعذر الاتصال بقاعدة البيانات"),
    ("book", "الخدمة غير متاحة حاليا. يرجى المحاولة لاحقا."),
    ("book", "تم رفض الدفع"),
    ("book", "انتهت صلاحية الجلسة"),
    ("book", "서비스를 사용할 수 없습니다. 잠시 후 다시 시도해 주세요."),
    ("book", "결제에 실패했습니다"),
    ("book", "서버에 연결할 수 없습니다"),
    ("book", "세션이 만료되었습니다"),
    ("book", "요청 시간이 초과되었습니다"),
    ("book", "권한이 없습니다"),
    ("book", "카드가 거절되었습니다"),
    ("book", "내부 서버 오류"),
    ("book", "네트워크 오류가 발생했습니다"),
    ("book", "서버가 응답하지 않습니다"),
    ("book", "Ошибка: сервер недоступен"),
    ("book", "Сервис временно недоступен"),
    ("book", "Платёж отклонён банком"),
    ("book", "Произошла ошибка при обработке запроса"),
    ("book", "Срок действия сессии истёк"),
    ("book", "Превышено время ожидания"),
    ("book", "Превышен лимит запросов"),
    ("book", "Il servizio non è disponibile al momento"),
    ("book", "Si è verificato un errore"),
    ("book", "Pagamento rifiutato dalla banca"),
    ("book", "Sessione scaduta"),
    ("book", "Il server non risponde"),
    ("book", "De service is momenteel niet beschikbaar"),
    ("book", "Betaling geweigerd"),
    ("book", "Er ging iets mis"),
    ("book", "Kon geen verbinding maken met de server"),
    ("book", "Usługa jest niedostępna"),
    ("book", "Nie udało się połączyć z serwerem"),
    ("book", "Wystąpił błąd podczas przetwarzania"),
    ("book", "Płatność odrzucona"),
    ("book", "Hizmet şu anda kullanılamıyor"),
    ("book", "Bir hata oluştu"),
    ("book", "Ödeme reddedildi"),
    ("book", "Bağlantı kurulamadı"),
    ("book", "सेवा अभी उपलब्ध नहीं है"),
    ("book", "त्रुटि: भुगतान विफल"),
    ("book", "कोई त्रुटि हुई, कृपया बाद में प्रयास करें"),
    ("book", "भुगतान अस्वीकार कर दिया गया"),
    ("book", "Layanan sedang tidak tersedia"),
    ("book", "Terjadi kesalahan saat memproses permintaan"),
    ("book", "Gagal terhubung ke server"),
    ("book", "Dịch vụ hiện không khả dụng"),
    ("book", "Đã xảy ra lỗi"),
    ("book", "Không thể kết nối đến máy chủ"),
    ("book", "Lỗi: hết thời gian chờ"),
    ("book", "เกิดข้อผิดพลาด"),
    ("book", "ไม่สามารถเชื่อมต่อกับเซิร์ฟเวอร์ได้"),
    ("book", "שגיאה: השירות אינו זמין"),
    ("book", "אירעה שגיאה"),
    ("book", "Σφάλμα: ο διακομιστής δεν ανταποκρίνεται"),
    ("book", "Παρουσιάστηκε σφάλμα"),
    ("book", "Tjänsten är inte tillgänglig just nu"),
    ("book", "Ett fel uppstod"),
    ("book", "Det oppstod en feil"),
    ("book", "Der opstod en fejl"),
    ("book", "Palvelu ei ole käytettävissä"),
    ("book", "Tapahtui virhe"),
    ("book", "Služba není dostupná"),
    ("book", "Došlo k chybě"),
    ("book", "Сервіс тимчасово недоступний"),
    ("book", "Сталася помилка"),
    ("book", "Serviciul nu este disponibil"),
    ("book", "A apărut o eroare"),
    ("book", "A szolgáltatás nem érhető el"),
    ("book", "Hiba történt"),
    ("book", "خطا: سرویس در دسترس نیست"),
    ("book", "پرداخت ناموفق بود"),
    ("fetch_url", "404 Not Found"),
    ("book", "I could not reach the booking service."),
]

DONE = [
    (
        "edit",
        "The file /x.py has been edited. Here's the result of running `cat -n`:\n1 a\nReview the changes and make sure they are as expected",
    ),
    ("str_replace_editor", "The file /x.py has been edited successfully."),
    (
        "edit",
        "[File: /x.py (20 lines total)]\n1:def error():\n2: raise ValueError\nFile updated. Please review the changes and make sure they are correct",
    ),
    ("replace_text", "No replacement was needed: the text is already so."),
    ("bash", "bash: warning: setlocale: LC_ALL: cannot change locale (en_US.UTF-8)\nhello"),
    ("lookup", "google.com.ads: 5 entries"),
    ("lookup", "com.example.Booking: confirmed"),
    ("book", "تم الحجز بنجاح"),
    ("book", "لا توجد أخطاء"),
    ("book", "예약이 완료되었습니다"),
    ("book", "Бронирование подтверждено"),
    ("book", "Prenotazione confermata"),
    ("book", "बुकिंग सफल रही"),
    ("research_agent", "I can't help with that."),
    ("ask_specialist", "I'm sorry, but I can't assist with that request."),
    ("legal_agent", "I cannot help with legal advice; please contact a lawyer."),
    ("agent_task", "I'm unable to provide medical advice."),
]


def call(called: str, result: str, **args: Any) -> ToolCall:
    return ToolCall(name=called, args=args, result=result)


def passes(*calls: ToolCall) -> bool | None:
    return ToolError()(AgentTrace(tool_calls=calls)).passed


@pytest.mark.parametrize(("tool", "result"), FAILED)
def test_words_of_failure_fail_the_only_call(tool: str, result: str) -> None:
    assert passes(call(tool, result)) is False


@pytest.mark.parametrize(("tool", "result"), DONE)
def test_words_that_only_resemble_a_failure_pass(tool: str, result: str) -> None:
    assert passes(call(tool, result)) is True


@pytest.mark.parametrize(
    "calls",
    [
        pytest.param(
            (
                call("goto", "404 Not Found", url="a"),
                call("goto", "Welcome", url="b"),
            ),
            id="a page that is missing, and another one",
        ),
        pytest.param(
            (
                call("browser_navigate", "Error: page.goto: net::ERR_NAME_NOT_RESOLVED", url="a"),
                call("browser_click", "clicked", ref="b"),
            ),
            id="an address without a name, and a click",
        ),
        pytest.param(
            (
                call("browser_navigate", "HTTP 404", url="a"),
                call("browser_navigate", "ok page", url="b"),
            ),
            id="an HTTP status, and another page",
        ),
        pytest.param(
            (
                call("create", "Error: File already exists at: /a.py", path="a"),
                call("edit", "File updated", path="a"),
            ),
            id="a file that is there, and an edit",
        ),
        pytest.param(
            (
                call(
                    "str_replace_editor",
                    "File already exists at: /a.py. Cannot overwrite files using command `create`.",
                    command="create",
                    path="/a.py",
                ),
                call("bash", "ok", command="python a.py"),
            ),
            id="a file that is there, and a command",
        ),
        pytest.param(
            (call("bash", "bash: foo: command not found\nall good\ndone", command="foo; python x.py"),),
            id="a stray word, and output",
        ),
        pytest.param(
            (call("bash", "bash: line 1: Here: command not found\n42", command="x"),), id="a stray word in a script"
        ),
        pytest.param(
            (call("get_job", '{"job_id":"j-17","status":"failed","log":"oom"}', job_id="j-17"),), id="a job of others"
        ),
        pytest.param(
            (
                call("start_job", '{"job_id":"j-18","status":"queued"}'),
                call("get_job", '{"job_id":"j-17","status":"failed","log":"oom"}', job_id="j-17"),
            ),
            id="a job beside the one that was started",
        ),
        pytest.param(
            (
                call("start_job", '{"job_id":"j-17"}'),
                call("get_job", '{"status":"failed","job_id":"j-17"}', job_id="j-17"),
                call("start_job", '{"job_id":"j-18"}'),
                call("get_job", '{"status":"succeeded","job_id":"j-18"}', job_id="j-18"),
            ),
            id="a job that was started again",
        ),
    ],
)
def test_work_that_goes_on_after_a_failure_passes(calls: tuple[ToolCall, ...]) -> None:
    assert passes(*calls) is True


@pytest.mark.parametrize(
    "calls",
    [
        pytest.param((call("browser_navigate", "HTTP 404", url="a"),), id="only a missing page"),
        pytest.param(
            (
                call("browser_click", "Timeout 30000ms exceeded.", url="a"),
                call("browser_navigate", "x"),
            ),
            id="a click that timed out",
        ),
        pytest.param(
            (call("create", "Error: File already exists at: /a.py", path="a"),), id="only a file that is there"
        ),
        pytest.param(
            (
                call("create_user", "Error: user already exists", name="a"),
                call("send_mail", "sent", name="a"),
            ),
            id="a user that is there",
        ),
        pytest.param((call("bash", "bash: foo: command not found", command="foo"),), id="only a stray word"),
        pytest.param(
            (
                call("start_job", '{"job_id":"j-17","status":"queued"}', kind="x"),
                call("get_job", '{"job_id":"j-17","status":"running"}', job_id="j-17"),
                call("get_job", '{"job_id":"j-17","status":"failed","log":"oom"}', job_id="j-17"),
            ),
            id="a job that was started and failed",
        ),
        pytest.param(
            (
                call("deploy_service", '{"status":"started"}', service="api"),
                call("get_deployment_status", '{"service":"api","status":"failed","reason":"x"}', service="api"),
            ),
            id="a deployment without an id",
        ),
        pytest.param(
            (
                call("start_backup", "Backup started"),
                call("backup_status", "status: failed"),
            ),
            id="a backup without arguments",
        ),
        pytest.param(
            (
                call("trigger_build", "Build 4711 queued", repo="x"),
                call("get_build", "Build 4711 failed: tests", id=4711),
            ),
            id="a build whose id is in a text",
        ),
        pytest.param(
            (
                call("submit_export", '{"data":{"id":"exp_1","state":"PENDING"}}'),
                call("poll_export", '{"data":{"id":"exp_1","state":"FAILED"}}', export_id="exp_1"),
            ),
            id="a job whose data is one level down",
        ),
    ],
)
def test_failure_that_ends_the_work_fails(calls: tuple[ToolCall, ...]) -> None:
    assert passes(*calls) is False
