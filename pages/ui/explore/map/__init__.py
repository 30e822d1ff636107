"""The tab Map: the latent map of one model."""
