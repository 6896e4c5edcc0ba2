"""Everything that uses sockets, disks and processes: receives spans, and stores traces and scores."""
