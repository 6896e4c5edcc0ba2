"""Readers of other systems' formats of runs and references, one module for each format.

Input that cannot be read raises a ValueError that names the place; nothing is guessed.
"""

from ..definition.recorded import CALLS_NOT_RECORDED

__all__ = ["CALLS_NOT_RECORDED"]
