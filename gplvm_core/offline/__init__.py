"""Level 9: show fitted models in one HTML file that needs no server, and in a notebook."""
