"""Level 11: a server of the Model Context Protocol, which lets an assistant ask models."""
