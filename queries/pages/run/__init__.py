"""One run, one session, and two runs side by side."""
