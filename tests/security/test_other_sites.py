"""Pages of other sites, opened by somebody who may read the store: what they learn of it through the browser."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import httpx
import pytest
from selenium.webdriver.support.wait import WebDriverWait
from tests.support.browser import Browser, browsing
from tests.support.http_servers import serve_answer
from tests.support.page_client import PageClient, serve_pages
from tests.support.store import opened

TRUE, FALSE = (f"sql:case when (select count(*) from runs) {s} 1 then error('x') else true end" for s in "<>")
"""Conditions of a filter: one that is refused if there are runs, and one that is refused if there are none."""
WAYS = (
    "/runs?q={}",
    "/api/v1/runs?q={}",
    "/sql?sql=select {}",
    "/api/v1/reports/failed?agent={}",
    "/live?after=0&q={}",
)
EMBEDDED = {"sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
OBJECT = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "object"}
AHEAD = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document", "sec-purpose": "prefetch;prerender"}
LINK = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
SITES = pytest.mark.parametrize("site", ["cross-site", "same-site", "of-the-future"])


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server without a token, with two runs."""
    folder = tmp_path_factory.mktemp("store")
    with opened(folder) as store:
        store.add_runs(2)
    with serve_pages(folder) as url:
        yield url


def get(url: str, **headers: str) -> httpx.Response:
    return httpx.get(url, headers={name.replace("_", "-"): value for name, value in headers.items()}, trust_env=False)


def look(answer: httpx.Response) -> tuple[int, bytes, dict[str, str]]:
    """All that a page of another site could notice of an answer, but the time."""
    return answer.status_code, answer.content, {k: v for k, v in answer.headers.items() if k != "date"}


@SITES
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("means", [EMBEDDED, OBJECT, AHEAD], ids=["image", "object", "prefetch"])
def test_embedded_query_is_refused_whatever_it_asks(served: str, site: str, way: str, means: dict[str, str]) -> None:
    answers = [get(served + way.format(quote(text)), sec_fetch_site=site, **means) for text in (TRUE, FALSE)]
    assert [answer.status_code for answer in answers] == [403, 403]
    assert look(answers[0]) == look(answers[1])


@SITES
@pytest.mark.parametrize("way", WAYS)
def test_link_with_a_query_asks_before_anything_runs(served: str, site: str, way: str) -> None:
    answers = [get(served + way.format(quote(text)), sec_fetch_site=site, **LINK) for text in (TRUE, FALSE, "word")]
    assert answers[0].status_code == 200
    assert "Nothing was run yet" in answers[0].text
    assert 'href=""' in answers[0].text
    assert look(answers[0]) == look(answers[1]) == look(answers[2])


@SITES
def test_link_to_a_run_leads_straight_there(served: str, site: str) -> None:
    run = get(f"{served}/api/v1/runs").json()["runs"][0]["agent_trace_id"]
    answer = get(f"{served}/runs/{run}", sec_fetch_site=site, **LINK)
    assert (answer.status_code, run in answer.text) == (200, True)


@SITES
@pytest.mark.parametrize("path", ["/", "/runs", "/metrics", "/api/v1", "/api/v1/runs", "/readyz", "/static/x/base.css"])
def test_nothing_of_the_port_is_embedded(served: str, site: str, path: str) -> None:
    assert get(served + path, sec_fetch_site=site, **EMBEDDED).status_code == 403


@SITES
@pytest.mark.parametrize("path", ["/runs", "/preview", "/login", "/api/v1/sql", "/api/v1/annotations"])
def test_nothing_is_posted_from_another_site(served: str, site: str, path: str) -> None:
    for headers in ({"sec-fetch-site": site, **LINK}, {"origin": "https://evil.example"}):
        answer = httpx.post(served + path, headers=headers, data={"a": "b"}, trust_env=False)
        assert answer.status_code == 403


@pytest.mark.parametrize("site", ["none", "same-origin", None])
def test_readers_and_programs_go_on(served: str, site: str | None) -> None:
    headers = (
        {} if site is None else {"sec_fetch_site": site, "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
    )
    assert get(f"{served}/runs?q=word", **headers).status_code == 200
    assert get(f"{served}/api/v1/runs?q=word", **headers).status_code == 200


@pytest.mark.parametrize("path", ["/", "/runs", "/nowhere", "/login", "/api/v1/runs", "/api/v1/none", "/metrics"])
def test_every_answer_keeps_to_its_own_site(served: str, path: str) -> None:
    headers = get(served + path).headers
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"


def test_refusals_are_counted_by_reason(served: str) -> None:
    def count() -> float:
        line = 'tracegrade_refused_answers_total{reason="other_site"} '
        found = [text for text in get(f"{served}/metrics").text.splitlines() if text.startswith(line)]
        return float(found[0].removeprefix(line)) if found else 0.0

    before = count()
    get(f"{served}/runs", sec_fetch_site="cross-site", **EMBEDDED)
    assert count() == before + 1


PAGE = """<!doctype html><meta charset=utf-8><title>evil</title><body><script>
const told = {};
const ways = ["runs?q=", "api/v1/runs?q="];
const add = (name, make) => new Promise(done => {
  const element = make();
  element.onload = () => { told[name] = "load"; done(); };
  element.onerror = () => { told[name] = "error"; done(); };
  setTimeout(() => { told[name] ??= "nothing"; done(); }, 3000);
  document.body.append(element);
});
const embed = (tag, key, extra) => address => Object.assign(document.createElement(tag), {[key]: address, ...extra});
const means = {
  object: embed("object", "data"), image: embed("img", "src"), frame: embed("iframe", "src"),
  script: embed("script", "src"), style: embed("link", "href", {rel: "stylesheet"}),
};
(async () => {
  for (const [truth, text] of Object.entries(CONDITIONS))
    for (const way of ways) {
      for (const [name, make] of Object.entries(means))
        await add([truth, way, name].join(" "), () => make(SERVER + way + encodeURIComponent(text)));
      for (const mode of ["cors", "no-cors"])
        await fetch(SERVER + way + encodeURIComponent(text), {mode}).then(
          () => told[[truth, way, mode].join(" ")] = "load", () => told[[truth, way, mode].join(" ")] = "error");
    }
  window.told = told;
})();
</script>
<a id=link href="" rel=noreferrer>link</a><script>
document.getElementById("link").href = SERVER + "runs?q=" + encodeURIComponent(CONDITIONS.yes);
</script>"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


def test_page_of_another_port_cannot_tell_conditions_apart(served: str, browser: Browser) -> None:
    page = PAGE.replace("SERVER", f"'{served}/'").replace("CONDITIONS", repr({"yes": TRUE, "no": FALSE}))
    with serve_answer(200, page.encode()) as evil:
        browser.open(evil.url)
        told = WebDriverWait(browser.driver, 60).until(lambda _: browser.run("return window.told"))
    assert len(told) == 28
    conditions = {
        truth: {k.partition(" ")[2]: v for k, v in told.items() if k.startswith(truth)} for truth in ("yes", "no")
    }
    assert conditions["yes"] == conditions["no"]


def test_reader_goes_on_from_a_link_of_another_site(served: str, browser: Browser) -> None:
    page = PAGE.replace("SERVER", f"'{served}/'").replace("CONDITIONS", repr({"yes": "word"}))
    with serve_answer(200, page.encode()) as evil:
        browser.open(evil.url)
        browser.find("#link").click()
        WebDriverWait(browser.driver, 30).until(lambda _: "Another site leads here" in browser.find("main").text)
        assert browser.path == "/runs?q=word"
        browser.find("main a").click()
        WebDriverWait(browser.driver, 30).until(lambda _: browser.driver.title.startswith("Runs"))
        assert browser.path == "/runs?q=word"


def test_own_forms_and_lists_work_in_the_browser(served: str, browser: Browser) -> None:
    browser.open(f"{served}/runs?q=word")
    assert browser.driver.title.startswith("Runs")
    assert browser.errors() == []
    with PageClient(served) as client:
        assert client.get("/runs").status_code == 200


@pytest.mark.parametrize("site", ["none", "same-origin", "cross-site"])
@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_loaded_ahead(served: str, site: str, way: str) -> None:
    assert get(served + way.format("word"), sec_fetch_site=site, **AHEAD).status_code == 403


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "[::ffff:127.0.0.1]"])
def test_address_that_hides_the_site_is_no_name(served: str, host: str) -> None:
    port = served.rpartition(":")[2]
    assert get(f"{served}/api/v1/runs", host=f"{host}:{port}").status_code == 403


SPECULATION = """<!doctype html><meta charset=utf-8><title>evil</title><body>
<script type=speculationrules>{"prefetch": [{"source": "list", "eagerness": "immediate", "urls": ["URL"]}]}</script>
<p id=done>done</p>"""


def test_speculation_rules_of_another_port_load_nothing(served: str, browser: Browser) -> None:
    def count() -> float:
        line = 'tracegrade_refused_answers_total{reason="other_site"} '
        return float(get(f"{served}/metrics").text.partition(line)[2].partition("\n")[0] or 0)

    before = count()
    with serve_answer(200, SPECULATION.replace("URL", f"{served}/sql?sql=select+42").encode()) as evil:
        browser.open(evil.url)
        WebDriverWait(browser.driver, 30).until(lambda _: count() > before)
