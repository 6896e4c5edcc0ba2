"""The proxy on the way to a judge, which the environment may name."""

from __future__ import annotations

import ipaddress
import urllib.request
from contextlib import suppress
from urllib.parse import unquote, urlsplit

from .judge import Judge

__all__ = ["is_local", "proxy_of", "proxy_secrets"]


def is_local(judge: Judge) -> bool:
    """Return whether the judge's server is on this machine, which no proxy leads to."""
    host = urlsplit(judge.base_url).hostname or ""
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost" or host.endswith(".localhost")


def proxy_of(judge: Judge) -> str | None:
    """Return the environment variable whose proxy the requests to the judge's server go through; None where they go
    directly."""
    address = urlsplit(judge.base_url)
    if judge.backend != "endpoint" or is_local(judge) or urllib.request.proxy_bypass(address.hostname or ""):
        return None
    proxies = urllib.request.getproxies()
    name = next((name for name in (address.scheme, "all") if proxies.get(name)), None)
    return None if name is None else f"{name.upper()}_PROXY"


def proxy_secrets() -> tuple[str, ...]:
    """Return what no message may repeat of the proxies in the environment: users and passwords, as they are written
    and as they are sent."""
    logins = [proxy.rpartition("@")[0].rpartition("/")[2] for proxy in urllib.request.getproxies().values()]
    words = [word for login in logins for word in (login, *login.split(":", 1))]
    return tuple({form for word in words for form in (word, unquote(word)) if form})
