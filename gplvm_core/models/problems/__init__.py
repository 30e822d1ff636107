"""What training maximises: beliefs, layers, and how they hang together."""
