"""Floor 9: a fitted model, or several, as one HTML file that needs no server and no network."""
