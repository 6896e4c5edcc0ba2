"""The running process: composition, start and stop, and the commands that a running server accepts."""
