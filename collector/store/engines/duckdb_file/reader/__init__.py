"""The process that answers what users write as SQL: one query each, forked from a process that has imported what it
needs. It opens the file of the store for reading while the server goes on writing, and may be killed at any time.

`python -m tracegrade.collector.store.engines.duckdb_file.reader FD` forks whenever the socket at that file descriptor
says so.
"""
