"""Questions that are sent through the batch API of a server."""
