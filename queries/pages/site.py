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
from .stopping import Stopping

__all__ = ["Site"]


@dataclass(frozen=True, slots=True)
class Site:
    """The services of pages. `now` is the time in UTC without a zone, `receiving` reads what the server has received;
    `stopping` ends what would otherwise go on as long as a page is open."""

    api: Api
    control: AccessControl
    sessions: Sessions
    templates: Templates
    now: Callable[[], datetime]
    receiving: Callable[[], Receiving]
    stopping: Stopping
