"""Level 7: make figures (Plotly) and small pictures from arrays."""
