"""Parts of the pages: one package per page, and `shared` for parts that several pages use."""
