"""The bounded queue between receivers and store."""
