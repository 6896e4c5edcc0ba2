"""The process that computes: assembles traces, evaluates, asks judges. It never opens the store: what it works on comes
over a pipe, and what comes of it goes back the same way.

`python -m tracegrade.collector.worker FD` serves the pipe of that file descriptor.
"""
