"""Level 8: pack models and data into bytes for the browser's canvas."""
