"""A judge as it is configured, a question to it, and its reply."""
