"""Tables, views, macros, statements and reports of the store, and how they are read.

SQL lives in `.sql` files, one object per file. This package finds and installs them (`catalog`), checks the SQL that
users write (`fence`), and answers over HTTP (`http`). It knows neither where the store is nor who writes to it.
"""
