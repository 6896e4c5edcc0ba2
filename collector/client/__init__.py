"""Where commands read and write: the local store, or the server that holds it."""
