"""The evaluators that ask a judge, one module each, found by listing this folder; and what they share.

They share prompts, evidence, and strict parsing of answers. They are as pure as the others: they yield questions and
are sent the answers. The caller asks the model.
"""

from ..definition.listing import import_modules

__all__: list[str] = []

import_modules(__name__, __path__)
