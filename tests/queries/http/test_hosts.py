"""The names by which a request may call the server."""

from __future__ import annotations

import pytest

from tracegrade.queries.http.hosts import AllowedHosts, checked, is_loopback


@pytest.mark.parametrize(
    ("entry", "admitted", "refused"),
    [
        pytest.param(
            "grade.example.com",
            ["grade.example.com", "Grade.Example.com:8400", "grade.example.com.", "grade.example.com.:443"],
            ["example.com", "a.grade.example.com", "grade.example.com.evil.example", "grade.example.com:x"],
            id="name",
        ),
        pytest.param("GRADE.example.com.", ["grade.example.com"], [], id="in another spelling"),
        pytest.param(
            "grade.example.com:8443",
            ["grade.example.com:8443"],
            ["grade.example.com", "grade.example.com:8400"],
            id="name with port",
        ),
        pytest.param("grade.example.com:443", ["grade.example.com"], ["grade.example.com:8400"], id="port not said"),
        pytest.param("2001:DB8:0::7", ["[2001:db8::7]:8400", "[2001:db8:0:0::7]"], [], id="IPv6"),
        pytest.param("[2001:db8::7]:8400", ["[2001:db8::7]:8400"], ["2001:db8::7.evil.example"], id="IPv6 with port"),
        pytest.param("192.0.2.7", ["192.0.2.7:8400"], ["192.0.2.700", "192.0.2.7.evil.example"], id="IPv4"),
        pytest.param(
            "*.example.com",
            ["a.example.com", "a.b.example.com:8400"],
            ["example.com", "evilexample.com", "a.example.com.evil.example", ".example.com", "a b.example.com"],
            id="subdomains",
        ),
        pytest.param("*.example.com:8400", ["a.example.com:8400"], ["a.example.com"], id="subdomains with port"),
        pytest.param("*", ["evil.example.com:1", "[2001:db8::7]", ""], [], id="every name"),
        pytest.param("tracegrade_1", ["tracegrade_1:8400"], [], id="name of a container"),
    ],
)
def test_entry_admits_the_names_that_it_means(entry: str, admitted: list[str], refused: list[str]) -> None:
    allowed = AllowedHosts("127.0.0.1:8400", [entry])
    assert [host for host in admitted if host not in allowed] == []
    assert [host for host in refused if host in allowed] == []


@pytest.mark.parametrize("bound", ["127.0.0.1:8400", "0.0.0.0:8400", "[::]:8400", "192.0.2.7:8400", "localhost:0"])
def test_foreign_name_is_refused_wherever_the_server_listens(bound: str) -> None:
    allowed = AllowedHosts(bound)
    assert [host for host in ("localhost:8400", "127.0.0.1", "[::1]:8400") if host not in allowed] == []
    assert [
        host for host in ("evil.example.com", "localhost.evil.example", "1.2.3.4.evil.example") if host in allowed
    ] == []


@pytest.mark.parametrize("bound", ["127.0.0.1:8400", "0.0.0.0:8400", "[::]:8400", "192.0.2.7:8400", "localhost:0"])
def test_address_is_a_name_wherever_the_server_listens(bound: str) -> None:
    addresses = ["192.0.2.7:8400", "[2001:db8::7]:8400"]
    assert [host for host in addresses if host not in AllowedHosts(bound)] == []
    hiding = ["0.0.0.0:8400", "[::]:8400", "[::ffff:127.0.0.1]:8400"]  # browsers do not say which site asks these
    assert [host for host in hiding if host in AllowedHosts(bound)] == []


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("127.0.0.1:8400", True),
        ("127.9.9.9:0", True),
        ("localhost:8400", True),
        ("[::1]:8400", True),
        ("::1", True),
        ("0.0.0.0:8400", False),
        ("[::]:8400", False),
        ("192.0.2.7:8400", False),
        ("grade.example.com:8400", False),
        ("127.0.0.1.evil.example:8400", False),
        ("", False),
    ],
)
def test_loopback_is_what_only_this_machine_reaches(address: str, *, expected: bool) -> None:
    assert is_loopback(address) is expected


@pytest.mark.parametrize(
    ("bound", "entries", "host", "expected"),
    [
        pytest.param("127.0.0.1:4318", [], "localhost:4318", True, id="loopback by its name"),
        pytest.param("127.0.0.1:4318", [], "evil.example", False, id="loopback by a foreign name"),
        pytest.param("127.0.0.1:4318", [], "", False, id="loopback by none"),
        pytest.param("127.0.0.1:4318", [], "host.docker.internal:4318", True, id="loopback from a container"),
        pytest.param("0.0.0.0:4318", [], "collector.example:4318", True, id="in a network of containers"),
        pytest.param("0.0.0.0:4318", ["grade.example.com"], "evil.example", False, id="foreign name beside entries"),
        pytest.param("0.0.0.0:4318", ["grade.example.com"], "grade.example.com:4318", True, id="an entry"),
        pytest.param("0.0.0.0:4318", ["grade.example.com"], "tracegrade:4318", True, id="service of a network"),
        pytest.param("0.0.0.0:4318", ["a.b"], "t.ns.svc.cluster.local", True, id="service of a cluster"),
    ],
)
def test_sender_calls_the_server_by_a_name_that_no_page_has(
    bound: str, entries: list[str], host: str, *, expected: bool
) -> None:
    assert AllowedHosts(bound, entries).allow_sender(host) is expected


@pytest.mark.parametrize(
    ("entries", "origin", "expected"),
    [
        ([], "http://localhost:3000", True),
        ([], "https://evil.example", False),
        ([], "http://203.0.113.9", False),
        ([], "http://host.docker.internal", False),
        ([], "null", False),
        ([], "http://[", False),
        (["app.example.com"], "https://app.example.com", True),
        (["app.example.com"], "https://app.example.com.evil.example", False),
        (["*"], "https://evil.example", True),
    ],
)
def test_page_may_send_that_comes_from_a_name_of_the_server(entries: list[str], origin: str, *, expected: bool) -> None:
    assert AllowedHosts("0.0.0.0:4318", entries).allow_page(origin) is expected


@pytest.mark.parametrize(
    "entry", ["http://grade.example.com", "grade.example.com/api", "*example.com", "a.*.com", "", " ", "a b", "a:99999"]
)
def test_entry_that_is_not_the_name_of_a_host_is_refused_with_how_to_write_one(entry: str) -> None:
    with pytest.raises(ValueError, match=r"is not the name of a host; write .* \*\.example\.com"):
        checked(entry)
