"""What the machine and the system give to this process: memory, file descriptors, private files, the log."""
