"""What pages are made of: a room for each page, and what several share."""
