"""The scheduled pass: which targets are due and sampled, and when they are evaluated."""
