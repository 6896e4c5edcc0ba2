"""What the program counts about itself."""
