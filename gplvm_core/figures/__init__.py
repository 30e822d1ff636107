"""Floor 7: arrays and snapshots → figures (Plotly) and small pictures."""
