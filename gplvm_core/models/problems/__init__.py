"""The objectives of training: nodes, layers, and their connections."""
