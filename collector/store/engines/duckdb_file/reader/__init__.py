"""The reader processes, each of which executes one query of a user, and the process that forks them.

A reader opens the file of the store for reading while the server writes, and may be killed at any time. The forking
process has imported all that readers need.
`python -m tracegrade.collector.store.engines.duckdb_file.reader FD` starts it; it takes commands from the socket at
file descriptor FD.
"""
