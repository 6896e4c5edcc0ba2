"""Pages for people: HTML that is made on the server, and works without scripts."""
