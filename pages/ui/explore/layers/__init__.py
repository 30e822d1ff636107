"""The tab Layers, which shows what each layer of a deep model has learnt."""
