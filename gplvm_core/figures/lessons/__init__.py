"""What the stops of the tour draw: each a function from what a visitor chose to a picture."""
