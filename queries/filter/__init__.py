"""The filter language of runs: `agent:checkout is:failing cost>0.1 "no refund"`, compiled to a condition over `runs`.

Pure: no database is needed to read a filter. The conditions themselves are `.sql` files in `queries/conditions`.
"""

from .compile import RunFilter, compile_filter
from .errors import FilterError
from .fields import FIELDS, TOOL_STATES, Field
from .lexer import quote
from .relax import Relaxed, relax

__all__ = ["FIELDS", "TOOL_STATES", "Field", "FilterError", "Relaxed", "RunFilter", "compile_filter", "quote", "relax"]
