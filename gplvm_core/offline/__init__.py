"""Level 9: write fitted models to one HTML file that needs no server and no network."""
