"""Whether and where clients of Quack are answered."""

from __future__ import annotations

import pytest

from tracegrade.collector.config.settings import load
from tracegrade.collector.receiver.address import CannotListen
from tracegrade.collector.server.config_check import faults_of
from tracegrade.collector.server.quack import listener_of


def test_without_an_address_there_is_no_listener() -> None:
    assert listener_of(load(token="sesame")) is None


def test_address_without_a_token_is_refused() -> None:
    with pytest.raises(CannotListen, match="requires a token: set TRACEGRADE_TOKEN"):
        listener_of(load(listen={"quack": "127.0.0.1:0"}))


def test_token_that_is_too_short_for_the_extension_is_refused() -> None:
    with pytest.raises(CannotListen, match="at least 4 characters"):
        listener_of(load(listen={"quack": "127.0.0.1:0"}, token="abc"))


def test_address_that_other_machines_reach_is_refused_unless_a_setting_allows_it() -> None:
    address = "0.0.0.0:0"
    with pytest.raises(CannotListen, match=r"set listen\.quack_beyond_loopback"):
        listener_of(load(listen={"quack": address}, token="sesame"))
    allowed = listener_of(load(listen={"quack": address, "quack_beyond_loopback": True}, token="sesame"))
    assert allowed is not None
    assert allowed.is_beyond_loopback


def test_refusal_is_a_mistake_in_the_configuration() -> None:
    settings = load(store=":memory:", listen={"quack": "127.0.0.1:8410"})
    assert [fault for fault in faults_of(settings, None) if "requires a token" in fault]
