"""The tab Layers: what each layer of a deep model learnt."""
