"""Spans in, traces and scores kept: everything that touches sockets, disks and processes."""
