"""The answers of servers: completions, errors, and the request formats that they accept."""
