"""Floor 8: models and data → the bytes that the browser's canvas reads."""
