"""The proxy between this machine and a judge, if the environment names one."""

from __future__ import annotations

import ipaddress
import urllib.request
from contextlib import suppress
from urllib.parse import unquote, urlsplit

from .judge import Judge

__all__ = ["is_local", "proxy_of", "proxy_secrets"]


def is_local(judge: Judge) -> bool:
    """Return whether the judge's server is on this machine, so that no proxy is used."""
    host = urlsplit(judge.base_url).hostname or ""
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost" or host.endswith(".localhost")


def proxy_of(judge: Judge) -> str | None:
    """Return the environment variable that names the proxy of requests to the judge; None if they go directly."""
    address = urlsplit(judge.base_url)
    if judge.backend != "endpoint" or is_local(judge) or urllib.request.proxy_bypass(address.hostname or ""):
        return None
    proxies = urllib.request.getproxies()
    name = next((name for name in (address.scheme, "all") if proxies.get(name)), None)
    return None if name is None else f"{name.upper()}_PROXY"


def proxy_secrets() -> tuple[str, ...]:
    """Return users and passwords of the proxies in the environment, as written and as sent, to hide in messages."""
    logins = [proxy.rpartition("@")[0].rpartition("/")[2] for proxy in urllib.request.getproxies().values()]
    words = [word for login in logins for word in (login, *login.split(":", 1))]
    return tuple({form for word in words for form in (word, unquote(word)) if form})
