"""Floor 10: experiments that train: each a function from what a visitor chose to a picture."""
