"""What pages use: the services of the API, templates, sessions and the clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from ..http.access import AccessControl
from ..http.api import Api
from .access.session import Sessions
from .receiving import Receiving
from .rendering import Templates
from .streams import Streams

__all__ = ["Site"]


@dataclass(frozen=True, slots=True)
class Site:
    """What pages use. `now` is the time in UTC without a zone; `receiving` reads what the server has received."""

    api: Api
    control: AccessControl
    sessions: Sessions
    templates: Templates
    now: Callable[[], datetime]
    receiving: Callable[[], Receiving]
    streams: Streams
