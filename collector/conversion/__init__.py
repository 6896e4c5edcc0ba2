"""Files of other systems: which kind they are, their runs as spans, and their expectations as items."""
