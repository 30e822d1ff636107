"""Parts of the pages: one package per page, and `shared` for several."""
