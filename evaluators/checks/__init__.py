"""The deterministic evaluators, one module each, found by listing this folder.

The same trace always gets the same score, and nothing leaves the process; but those of tools' definitions check more
where a judge is named.
"""

from ..definition.listing import import_modules

__all__: list[str] = []

import_modules(__name__, __path__)
