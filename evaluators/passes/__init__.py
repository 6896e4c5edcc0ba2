"""The scheduled pass: what is due, sampled and evaluated when."""
