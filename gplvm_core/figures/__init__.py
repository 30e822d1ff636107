"""Arrays and snapshots → figures (Plotly), and the bytes that the latent canvas reads."""
