"""The access of commands to a store: the local file, or the server that holds it."""
