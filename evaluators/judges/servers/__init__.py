"""What servers answer: completions, errors, and the request formats that they accept."""
