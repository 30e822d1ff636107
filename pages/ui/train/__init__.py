"""The room Train: forms for data and models, and the progress of trainings."""
