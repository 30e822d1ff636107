"""Tables that need not fit into memory: read from files in parts, and found in opened folders."""
