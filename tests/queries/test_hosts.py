"""The names by which a request may call the server."""

from __future__ import annotations

import pytest

from tracegrade.queries.hosts import AllowedHosts, checked


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
        pytest.param("2001:DB8:0::7", ["[2001:db8::7]:8400", "[2001:db8:0:0::7]"], ["[2001:db8::8]"], id="IPv6"),
        pytest.param("[2001:db8::7]:8400", ["[2001:db8::7]:8400"], ["[2001:db8::7]:8401"], id="IPv6 with port"),
        pytest.param("192.0.2.7", ["192.0.2.7:8400"], ["192.0.2.70", "192.0.2.7.evil.example"], id="IPv4"),
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


def test_server_that_listens_on_all_addresses_is_called_by_any_address_and_no_other_server_is() -> None:
    addresses = ["192.0.2.7:8400", "[2001:db8::7]:8400", "0.0.0.0:8400"]
    for bound in ("0.0.0.0:8400", "[::]:8400"):
        assert [host for host in addresses if host not in AllowedHosts(bound)] == []
    assert [host for host in addresses if host in AllowedHosts("127.0.0.1:8400")] == []


@pytest.mark.parametrize(
    "entry", ["http://grade.example.com", "grade.example.com/api", "*example.com", "a.*.com", "", " ", "a b", "a:99999"]
)
def test_entry_that_is_not_the_name_of_a_host_is_refused_with_how_to_write_one(entry: str) -> None:
    with pytest.raises(ValueError, match=r"is not the name of a host; write .* \*\.example\.com"):
        checked(entry)
