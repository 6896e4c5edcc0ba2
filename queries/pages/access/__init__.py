"""Who may see the pages, and which forms are ours: sessions, tokens of forms, login."""
