"""Tables that need not fit into memory: rows in files, a part at a time, and opened folders."""
