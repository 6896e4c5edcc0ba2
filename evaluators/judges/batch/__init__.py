"""Questions that are sent through a server's batch API."""
