"""Derived data: revisions of runs, links, sessions, tools, feedback, annotations."""
