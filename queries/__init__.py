"""The reading side: what the store's tables, views and macros are, and how anyone asks them something.

SQL lives in `.sql` files, one object a file. This package finds and installs them (`catalog`), fences what users
write (`fence`), and answers over HTTP (`api`). It decides nothing about where the store is or who writes to it.
"""
