"""Who may see pages, and whose forms change something."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import Response
from tests.support.page_client import PageClient, serve_pages
from tests.support.store import opened

from tracegrade.collector.web.logins import Logins
from tracegrade.queries.pages.access.session import Session, Sessions
from tracegrade.queries.pages.routes import PAGES

TOKEN = "open sesame"
RUNS = "/runs?since=all"
FORMS = [page.path.replace("{", "").replace("}", "") for page in PAGES if page.method == "POST"]
every_form = pytest.mark.parametrize("form", FORMS)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with a token."""
    with serve_pages(tmp_path_factory.mktemp("guarded"), token=TOKEN) as url:
        yield url


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server without a token, with a run."""
    folder = tmp_path_factory.mktemp("local")
    with opened(folder) as store:
        store.add_runs(1)
    with serve_pages(folder) as url:
        yield url


@pytest.fixture
def reader(guarded: str) -> Iterator[PageClient]:
    """A browser that has not seen the server yet."""
    with PageClient(guarded) as client:
        yield client


def assert_refused(answer: httpx.Response, title: str) -> None:
    """It is refused with a page."""
    assert (answer.status_code, answer.headers["content-type"]) == (403, "text/html; charset=utf-8")
    assert title in answer.text
    assert "content-security-policy" in answer.headers


def test_token_is_asked_for_once_and_the_reader_goes_on_where_he_was(reader: PageClient) -> None:
    answer = reader.get("/runs?since=7d&q=is%3Afailing")
    assert (answer.status_code, answer.text) == (303, "")
    login = answer.headers["location"]
    assert login == "/login?next=%2Fruns%3Fsince%3D7d%26q%3Dis%253Afailing"
    assert "ended" not in reader.get(login).text
    answer = reader.submit(login, "/login", token=f" {TOKEN} ", next="/runs?since=7d&q=is%3Afailing")
    assert (answer.status_code, answer.headers["location"]) == (303, "/runs?since=7d&q=is%3Afailing")
    assert reader.get("/runs?since=7d&q=is%3Afailing").status_code == 200
    assert reader.get("/login?next=/runs").headers["location"] == "/runs"


def test_cookie_is_kept_from_scripts_and_from_forms_of_other_sites(reader: PageClient) -> None:
    cookie = reader.log_in(TOKEN).headers["set-cookie"].lower()
    for part in ("httponly", "samesite=lax", "max-age=", "path=/"):
        assert part in cookie
    assert "secure" not in cookie  # it is sent over plain HTTP, too
    assert TOKEN not in cookie


def test_cookie_is_sent_over_tls_alone_where_the_page_is() -> None:
    response = Response()
    request = Request({"type": "http", "scheme": "https", "path": "/", "server": ("grade.example", 443), "headers": []})
    Sessions(TOKEN, Logins()).keep(Session.start(), request, response)
    cookie = response.headers["set-cookie"]
    assert "secure" in cookie.lower()
    assert cookie.startswith("__Host-")  # which browsers take only over TLS, for this host and all of its paths
    assert "; Path=/;" in cookie


def test_wrong_token_is_refused_and_asked_for_again(reader: PageClient) -> None:
    answer = reader.log_in("guess")
    assert answer.status_code == 401
    assert "This is not the token of this server" in answer.text
    assert "guess" not in answer.text
    assert reader.get("/").status_code == 303


@pytest.mark.parametrize("cookie", ["", "x", "W10.aaaa.bbbb", "é"])
def test_cookie_without_our_signature_is_worth_nothing(reader: PageClient, cookie: str) -> None:
    kept = reader.log_in(TOKEN).cookies
    (name,) = kept.keys()
    signed = kept[name]
    for forged in (cookie, signed[:-2], f"V{signed[1:]}", f"{signed}x"):
        headers = [(b"cookie", f"{name}={forged}".encode())]
        assert httpx.get(f"{reader.base_url}/", headers=headers, trust_env=False).status_code == 303


def test_login_that_has_ended_says_so_and_goes_on_where_it_was(
    reader: PageClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader.log_in(TOKEN)
    monkeypatch.setattr(Logins, "lasts", lambda *_: False)
    answer = reader.get(RUNS)
    assert answer.headers["location"] == "/login?next=%2Fruns%3Fsince%3Dall&ended=page"
    assert "The session has ended. Log in again" in reader.get(answer.headers["location"]).text
    answer = reader.submit(answer.headers["location"], "/login", token=TOKEN, next=RUNS)
    assert (answer.status_code, answer.headers["location"]) == (303, RUNS)


def test_form_after_the_end_of_a_login_changes_nothing_and_leads_back_to_its_page(
    reader: PageClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader.log_in(TOKEN)
    monkeypatch.setattr(Logins, "lasts", lambda *_: False)
    answer = reader.post("/runs", data={"action": "good"}, headers={"referer": f"{reader.base_url}{RUNS}"})
    assert answer.headers["location"] == "/login?next=%2Fruns%3Fsince%3Dall&ended=form"
    assert "The session has ended, and nothing was changed" in reader.get(answer.headers["location"]).text


def test_login_survives_a_restart_with_the_same_token_alone(tmp_path: Path) -> None:
    file = tmp_path / "logins"
    response = Response()
    scope = {"type": "http", "scheme": "http", "path": "/", "server": ("localhost", 8400)}
    Sessions(TOKEN, Logins(file)).begin_login(Session.start(), Request({**scope, "headers": []}), response)
    cookie = response.headers["set-cookie"].partition(";")[0].encode()
    request = Request({**scope, "headers": [(b"cookie", cookie)]})
    logins = Logins(file)
    assert [Sessions(t, logins).read(request).is_logged_in for t in (TOKEN, "another", None)] == [True, False, False]
    assert not Sessions(TOKEN, Logins()).read(request).is_logged_in


def test_servers_at_two_ports_of_a_host_do_not_end_each_others_logins(reader: PageClient, local: str) -> None:
    reader.log_in(TOKEN)
    with PageClient(local) as other:
        other.cookies.update(reader.cookies)
        other.get(RUNS)
        reader.cookies.update(other.cookies)
    assert reader.get(RUNS).status_code == 200


def test_logout_ends_the_login_and_copies_of_its_cookie(reader: PageClient) -> None:
    reader.log_in(TOKEN)
    copy = dict(reader.cookies)
    assert reader.submit(RUNS, "/logout").headers["location"] == "/login"
    assert reader.get("/").status_code == 303
    assert httpx.get(f"{reader.base_url}/", cookies=copy, trust_env=False).status_code == 303


@pytest.mark.parametrize(
    "target",
    ["//evil.example", "https://evil.example", "/\\evil.example", "/\t/evil.example", "javascript:alert(1)", ""],
)
def test_login_leads_to_no_other_site(reader: PageClient, target: str) -> None:
    assert reader.submit("/login", "/login", token=TOKEN, next=target).headers["location"] == "/"
    assert reader.get("/login", params={"next": target}).headers["location"] == "/"


def test_token_in_a_header_opens_pages_for_programs(reader: PageClient) -> None:
    assert reader.get(RUNS, headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    answer = reader.get(RUNS, headers={"authorization": "Bearer guess"})
    assert (answer.status_code, "The token is wrong" in answer.text) == (401, True)


@every_form
def test_form_without_its_token_changes_nothing(local: str, form: str) -> None:
    with PageClient(local) as client:
        client.get(RUNS)
        assert_refused(client.post(form, data={"action": "good"}), "This form is not valid any more")


@every_form
def test_form_that_was_shown_to_another_browser_changes_nothing(local: str, form: str) -> None:
    with PageClient(local) as stranger, PageClient(local) as client:
        stranger.get(RUNS)
        answer = client.post(form, data={"form_token": stranger.read_form_token(RUNS), "action": "good"})
        assert_refused(answer, "This form is not valid any more")


@every_form
@pytest.mark.parametrize("origin", ["https://evil.example", "http://127.0.0.1:1", "null"])
def test_form_of_another_site_changes_nothing(local: str, form: str, origin: str) -> None:
    with PageClient(local) as client:
        answer = client.submit(RUNS, form, headers={"origin": origin}, action="good")
        assert_refused(answer, "Another site has sent this")


def test_own_form_changes_something_without_a_login(local: str) -> None:
    with PageClient(local) as client:
        origin = {"origin": local}
        run = client.get(RUNS).text.partition('name="run" value="')[2].partition('"')[0]
        answer = client.submit(RUNS, "/runs", headers=origin, action="good", run=run)
        assert answer.status_code == 303, answer.text
        (annotation,) = client.get("/api/v1/annotations").json()["annotations"]
        assert (annotation["name"], annotation["passed"]) == ("overall", True)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_page_is_refused_under_the_name_of_another_site(local: str, method: str) -> None:
    with PageClient(local) as client:
        answer = client.request(method, "/login", headers={"host": "evil.example"})
        assert_refused(answer, "does not answer under that name")
        assert "allowed_hosts" in answer.text
