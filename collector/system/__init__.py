"""Resources of the system: memory, file descriptors, private files, the log."""
