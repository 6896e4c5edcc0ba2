"""The deterministic evaluators, one module each, found by listing this folder.

The same trace always gets the same score, and nothing leaves the process. The evaluators of tool definitions check
more if a judge is configured.
"""

from ..definition.listing import import_modules

__all__: list[str] = []

import_modules(__name__, __path__)
